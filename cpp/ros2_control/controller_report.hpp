#pragma once

#include <cstdint>
#include <diagnostic_msgs/msg/diagnostic_status.hpp>
#include <string>

#include "cycle_times.hpp"
#include "dynid/control_report.hpp"

namespace dynid
{

/// Status of the control cycle; copied without allocation.
struct ControllerStatus
{
  Collision collision;
  CollisionLevel level = CollisionLevel::none;
  Collision warning;    ///< where the level is warn
  Blindness blindness;  ///< of a drive whose torque is not evaluated
  InactiveReason inactive_reason = InactiveReason::no_model;
  int limited_drive = -1;
  double gain = 0.0;
  std::int64_t collision_time = 0;  ///< [ns]
  std::uint64_t failed_writes = 0;  ///< of command interfaces
  CycleTimes cycle_times;
  ModelUpdatesReport updates;  ///< where they are enabled
};

/// ~/collision.
[[nodiscard]] diagnostic_msgs::msg::DiagnosticStatus collision_report(
  const ControllerStatus & status, const JointNames & joints);

/// The controller's entry in /diagnostics; `model` describes the model in use, or is empty,
/// `supervision` is the text of describe_supervision(), and `rate` is that of control cycles [Hz].
[[nodiscard]] diagnostic_msgs::msg::DiagnosticStatus health_report(
  const ControllerStatus & status, const JointNames & joints, const std::string & model,
  const std::string & supervision, double rate);

/// ~/model_updates: which model is in use, with the number of updates that were refused and why the
/// last one was, or empty.
[[nodiscard]] diagnostic_msgs::msg::DiagnosticStatus model_updates_report(
  const ModelUpdatesReport & updates, const JointNames & joints, std::uint64_t refused,
  const std::string & refusal);

}  // namespace dynid
