#pragma once

#include <Eigen/Core>
#include <vector>

#include "drive_inertia.hpp"
#include "dynid/control_law.hpp"

namespace dynid
{

/// Tests the measured motion of each drive against itself, and finds what of it can be believed.
///
/// Velocity against differences of positions: over the last 40 ms, what the velocity travels may
/// differ from the change of position by the resolution of an encoder and a fifth of the way.
/// Where it differs by more, the one that has not changed in any bit, or has changed by more than
/// the torque limits allow, is not believed; nor is either, where that does not tell which.
///
/// Motion against torque: where neither has changed in any bit although the loops' torque has
/// changed by more than friction explains, the drive is blocked, or its encoder has failed.
///
/// A drive has no feedback in a cycle whose position or velocity is not finite, or where no bit of
/// position, velocity and torque has changed although the drive moved, or was commanded to.
///
/// Vectors (n,); for control cycles: no allocation, lock or exception.
class FeedbackCheck
{
public:
  /// `noise`: of velocities [rad/s or m/s]; `torque_max` [N*m or N].
  FeedbackCheck(const Eigen::VectorXd & noise, const Eigen::VectorXd & torque_max);

  /// Begins at rest at a finite position.
  void start(const VectorIn & position) noexcept;

  /// One cycle, `time` [s] after the last, with the position command before it, and the largest
  /// accelerations that torques can cause.
  void update(
    const Feedback & feedback, const Eigen::VectorXd & command,
    const Eigen::VectorXd & acceleration_max, double time) noexcept;

  /// What the loops add to the torque of the model now, and the model's dry friction; 0: unknown.
  void expect_motion(
    const Eigen::VectorXd & loop_torque, const Eigen::VectorXd & friction,
    const DriveInertia & inertia, double time) noexcept;

  /// The first contradiction since start(); no cause where there is none.
  [[nodiscard]] const Collision & fault() const noexcept { return fault_; }

  /// For the loops: as measured, NaN in a drive without feedback in this cycle.
  [[nodiscard]] const Feedback & feedback() const noexcept { return feedback_; }

  /// The motion that is believed, without a measurement for 20 ms at most: positions are finite
  /// always, velocities NaN in a drive of which nothing is believed.
  [[nodiscard]] const Eigen::VectorXd & position() const noexcept { return position_; }
  [[nodiscard]] const Eigen::VectorXd & velocity() const noexcept { return velocity_; }

private:
  struct Drive
  {
    double position = 0.0;  // the last sample
    double velocity = 0.0;
    double torque = 0.0;
    double place = 0.0;               // the last finite position
    double pace = 0.0;                // the last finite velocity
    double gap = 0.0;                 // [s] since the last comparison
    double absent = 0.0;              // [s] without a finite position
    double rate = 0.0;                // change of position per second, in the last difference
    double speed = 0.0;               // the same, filtered
    double mismatch = 0.0;            // of velocity and position, with forgetting [rad or m]
    double way = 0.0;                 // that mismatch is a share of
    double unchanged = 0.0;           // [s]: no bit of all three
    double position_unchanged = 0.0;  // [s]
    double velocity_unchanged = 0.0;  // [s]
    double position_jump = 0.0;       // [s] since a change that no torque can cause
    double velocity_jump = 0.0;       // [s]
    bool position_believed = true;
    bool velocity_believed = true;
    double commanded_from = 0.0;  // command when feedback changed last
    double torque_from = 0.0;     // of the loops, when the motion changed last
    double expected_speed = 0.0;  // since then, by that torque
    double expected_way = 0.0;
  };

  void age(Drive & drive, const double (&sample)[3], double command, double time) noexcept;
  void compare(Eigen::Index i, Drive & drive, double most, double time) noexcept;
  void judge(Eigen::Index i, Drive & drive) noexcept;
  void estimate(Eigen::Index i, Drive & drive, double command, double time) noexcept;
  void find(CollisionCause cause, Eigen::Index i, double value, double threshold) noexcept;

  Eigen::VectorXd noise_;
  Eigen::VectorXd torque_max_;
  std::vector<Drive> drives_;
  Collision fault_;
  Feedback feedback_;
  Eigen::VectorXd position_;
  Eigen::VectorXd velocity_;
};

}  // namespace dynid
