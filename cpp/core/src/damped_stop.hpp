#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <tuple>

#include "drive_inertia.hpp"
#include "dynid/torque_law.hpp"

namespace dynid
{

/// The damped stop of a TorqueLaw: it ends at rest, after stop_time, or where it fails, because the
/// motion is not known or its energy grows without reason. Vectors (n,); for control cycles: no
/// allocation, lock or exception.
class DampedStop
{
public:
  /// With settings that pass check().
  explicit DampedStop(const TorqueLawSettings & settings)
  : slow_(settings.stop_speed), stop_time_(settings.stop_time)
  {
    before_.setZero(slow_.size());
  }

  /// The robot follows again.
  void clear() noexcept { failed_ = false; }

  void begin() noexcept { duration_ = still_ = 0.0; }

  /// One cycle [s], with the power [W] of the torque beyond the holding torque. Returns the drive
  /// that became faster than this explains, and by which the stop fails.
  [[nodiscard]] Collision update(
    const Eigen::VectorXd & velocity, const DriveInertia & inertia, double power,
    double time) noexcept
  {
    const auto found = failed_ ? Collision() : supervise(velocity, inertia, power, time);
    still_ = at_rest(velocity) ? still_ + time : 0.0;
    duration_ += time;
    return found;
  }

  /// Whether no measured speed (n,) is above stop_speed.
  [[nodiscard]] bool at_rest(const Eigen::VectorXd & velocity) const noexcept
  {
    return !(velocity.array().abs() > slow_.array()).any();
  }

  [[nodiscard]] bool failed() const noexcept { return failed_; }
  [[nodiscard]] bool still() const noexcept { return still_ >= still_time; }
  /// At rest, or too late.
  [[nodiscard]] bool settled() const noexcept { return still() || duration_ >= stop_time_; }

private:
  static constexpr double still_time = 0.02;  // [s] at rest without interruption

  Collision supervise(
    const Eigen::VectorXd & velocity, const DriveInertia & inertia, double power,
    double time) noexcept
  {
    if (!velocity.allFinite()) {
      failed_ = true;
      return {};
    }
    const double speed = inertia.norm(velocity);
    const double gained = 2.0 * time * std::max(power, 0.0);
    explained_ = duration_ == 0.0 ? speed : std::sqrt(explained_ * explained_ + gained);
    if (speed <= explained_) {
      explained_ = speed;
      before_ = velocity;
    }
    failed_ = speed > explained_ + 2.0 * inertia.norm(slow_);
    if (!failed_) {
      return {};
    }
    Eigen::Index drive = 0;
    std::ignore = (velocity.cwiseAbs() - before_.cwiseAbs()).maxCoeff(&drive);
    return {
      CollisionCause::speed_grew, static_cast<int>(drive), std::abs(velocity[drive]),
      std::abs(before_[drive]), 0};
  }

  Eigen::VectorXd slow_;
  double stop_time_;        // [s]
  double duration_ = 0.0;   // [s]
  double still_ = 0.0;      // time at rest [s]
  double explained_ = 0.0;  // speed of the robot by DriveInertia::norm()
  bool failed_ = false;
  Eigen::VectorXd before_;  // velocity, while its growth was explained
};

}  // namespace dynid
