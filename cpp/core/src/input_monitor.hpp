#pragma once

#include <Eigen/Core>
#include <array>

#include "dynid/collision_detector.hpp"
#include "dynid/mechanism.hpp"

namespace dynid
{

/// Detects missing feedback: how long a drive's position, velocity or torque has not been finite,
/// and how long all three have not changed in any bit while the drive was commanded to move.
/// Vectors (n,); for control cycles: no allocation, lock or exception.
class InputMonitor
{
public:
  /// `max_age`: longest permitted time of either [s].
  InputMonitor(Eigen::Index drives, double max_age);

  /// Clears the state.
  void restart() noexcept;

  /// One cycle, this time [s] after the last, with the command (n,) of the cycle before.
  /// `torque_counts` (n,): 1 where torque is supervised, so that it must be measured, or 0.
  void update(
    const Eigen::VectorXd & position, const Eigen::VectorXd & velocity,
    const Eigen::VectorXd & torque, const Eigen::VectorXd & torque_counts,
    const Eigen::VectorXd & command, double time) noexcept;

  /// Feedback missing for longer than max_age, as a collision with drive, duration [s] and max_age
  /// [s]; no cause where none is missing.
  [[nodiscard]] const Collision & fault() const noexcept { return fault_; }

  /// Whether a drive's torque has not changed in any bit since restart(), although the drive was
  /// commanded to move: as of a drive that does not measure it.
  [[nodiscard]] bool constant_torque(Eigen::Index i) const noexcept;

private:
  void count(Eigen::Index i, CollisionCause cause, bool missing, double & age) noexcept;
  void keep(
    Eigen::Index i, double position, double velocity, double torque, double command) noexcept;

  double max_age_;     // [s]
  double time_ = 0.0;  // of this cycle [s]
  bool begun_ = false;
  Collision fault_;
  std::array<Eigen::VectorXd, 4> ages_;  // [s]: of position, velocity, torque, standing still
  Eigen::MatrixXd last_;                 // position, velocity, torque (3, n)
  Eigen::VectorXd moved_from_;           // command when feedback last changed
  Eigen::VectorXd torque_moved_;         // way of the command with the first torque; then -infinity
  Eigen::VectorXd last_command_;
};

}  // namespace dynid
