#pragma once

#include <cstdint>
#include <diagnostic_msgs/msg/diagnostic_status.hpp>
#include <string>
#include <vector>

#include "dynid/control_law.hpp"

namespace dynid
{

/// What the control cycle tells of itself; copied without allocation.
struct ControllerStatus
{
  Collision collision;
  CollisionLevel level = CollisionLevel::none;
  Silence silence = Silence::no_model;
  double gain = 0.0;
  std::int64_t collision_time = 0;  ///< [ns]
  std::uint64_t failed_writes = 0;  ///< of command interfaces
};

/// What a reset came to.
struct ResetReport
{
  ResetAnswer answer = ResetAnswer::nothing_latched;
  int drive = 0;          ///< the one whose reference is furthest away
  double distance = 0.0;  ///< of that [rad or m]
};

/// The joints' names, and which of them slide.
struct JointNames
{
  std::vector<std::string> names;
  std::vector<bool> sliding;
};

/// ~/collision.
[[nodiscard]] diagnostic_msgs::msg::DiagnosticStatus collision_report(
  const ControllerStatus & status, const JointNames & joints);

/// The controller's entry in /diagnostics; `model` says which one there is, or is empty.
[[nodiscard]] diagnostic_msgs::msg::DiagnosticStatus health_report(
  const ControllerStatus & status, const JointNames & joints, const std::string & model);

/// The answer of ~/reset.
[[nodiscard]] std::string reset_sentence(const ResetReport & report, const JointNames & joints);

}  // namespace dynid
