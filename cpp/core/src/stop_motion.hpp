#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

namespace dynid
{

/// A synchronised stop: all drives come to rest at the same time, each with constant deceleration.
class StopMotion
{
public:
  StopMotion(Eigen::Index drives, double control_rate) : step_(1.0 / control_rate)
  {
    velocity_.setZero(drives);
    position_.setZero(drives);
  }

  /// Starts at a motion (n,). The drive that needs longest at its deceleration (n,) sets the time.
  void begin(
    const Eigen::VectorXd & position, const Eigen::VectorXd & velocity,
    const Eigen::VectorXd & deceleration) noexcept
  {
    position_ = position;
    velocity_ = velocity;
    duration_ = (velocity.array().abs() / deceleration.array()).maxCoeff();
    time_ = 0.0;
  }

  /// Stands still at once.
  void hold(const Eigen::VectorXd & position) noexcept
  {
    position_ = position;
    velocity_.setZero();
    duration_ = 0.0;
    time_ = 0.0;
  }

  /// The drives moved on by themselves.
  void shift(const Eigen::VectorXd & distance) noexcept { position_ += distance; }

  [[nodiscard]] bool at_rest() const noexcept { return time_ >= duration_; }

  /// The command (n,) one cycle later.
  const Eigen::VectorXd & next() noexcept
  {
    if (!at_rest()) {
      const double end = std::min(time_ + step_, duration_);
      const double middle = 0.5 * (time_ + end);
      position_ += (end - time_) * (1.0 - middle / duration_) * velocity_;
      time_ = end;
    }
    return position_;
  }

private:
  double step_;            // [s]
  double duration_ = 0.0;  // [s]
  double time_ = 0.0;      // since the beginning [s]
  Eigen::VectorXd position_;
  Eigen::VectorXd velocity_;  // at the beginning
};

}  // namespace dynid
