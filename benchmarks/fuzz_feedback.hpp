#pragma once

// Feedback of drives that exert what a model says, with faults of sensors and buses.

#include <deque>

#include "dynid/control_law.hpp"
#include "fuzz_robots.hpp"

namespace fuzz
{

/// What is wrong with feedback.
struct Faults
{
  int bad_in = 0;           ///< one of that many values is bad; 0: none
  Eigen::Index drive = -1;  ///< of which; -1: of any
  bool random = false;      ///< torque has nothing to do with the motion
};

[[nodiscard]] Faults draw_faults(Dice & dice, Eigen::Index drives);

/// Feedback in position mode: drives that follow their commands, and exert the torque of a model.
class FollowingDrives
{
public:
  /// `delay`: cycles from a command to its torque.
  FollowingDrives(Dice & dice, Eigen::Index drives, int delay);

  /// The motion that was commanded in a cycle, of a robot that is as this model, or unknown.
  void command(const dynid::Reference & motion, dynid::ControlModel * model);

  /// What the next cycle measures, without faults.
  [[nodiscard]] const dynid::Feedback & feedback() const { return feedback_; }

private:
  Dice & dice_;
  std::size_t length_;
  std::deque<Eigen::VectorXd> torques_;
  dynid::Feedback feedback_;
};

/// Puts faults on what is measured.
void spoil(Dice & dice, const Faults & faults, dynid::Feedback & feedback);

/// A fault of a drive's sensors that lasts.
enum class SensorFault
{
  none,
  all_frozen,
  position_frozen,
  velocity_frozen,
  velocity_inverted,
  velocity_halved,
  velocity_doubled,
  velocity_zero,
  all_missing,
  velocity_missing,
  position_slipped
};
constexpr int sensor_faults = 11;

/// Puts it on what a drive measures now, and measured when the fault began.
void spoil(
  SensorFault fault, Eigen::Index drive, const dynid::Feedback & then, dynid::Feedback & now);

}  // namespace fuzz
