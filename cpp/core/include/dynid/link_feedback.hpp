#pragma once

#include <Eigen/Core>

#include "dynid/control_law.hpp"

namespace dynid
{

/// What collision detection compares where it is the torque in gears: position and velocity of the
/// links and the torque of their gears, in place of those of the motors.
///
/// With K, H, D and b of the gear, the torque is K e + H e^3 + D d(delta)/dt where the teeth touch
/// and 0 in the backlash; delta is the position of the motor less that of the link, and e what of
/// it exceeds b / 2. The motor's position is delayed as that of the link is. A sensor in the gear
/// measures the torque itself; a link without encoder then is at the motor's position less e. Rates
/// are differences of the last two samples that were finite; the first is the motor's. Where
/// anything is missing, the torque is NaN.
///
/// Vectors (n,); for control cycles: no allocation, lock or exception.
class LinkFeedback
{
public:
  /// For settings that pass their check(), and control cycles per second [Hz].
  LinkFeedback(Eigen::Index drives, const ElasticSettings & settings, double control_rate);

  /// The next cycle is the first.
  void restart() noexcept;

  /// One cycle, this time in nominal cycles after the last. Where no gear is compared, returns what
  /// was measured.
  const Feedback & update(const Feedback & measured, double cycles) noexcept;

  /// 1 where the torque in the gear is compared, else 0.
  [[nodiscard]] const Eigen::VectorXd & gears() const noexcept { return settings_.link_torque; }

private:
  /// A value and its last finite one.
  struct Differences
  {
    Eigen::VectorXd last;
    Eigen::VectorXd passed;  // time since then [cycles]
  };

  void remember(const Eigen::VectorXd & motors, double cycles) noexcept;
  [[nodiscard]] double delayed(const Eigen::VectorXd & motors, Eigen::Index i) const noexcept;
  [[nodiscard]] double rate_of(
    Differences & differences, Eigen::Index i, double value, double cycles,
    double first = 0.0) noexcept;
  void by_encoder(const Feedback & measured, Eigen::Index i, double cycles) noexcept;
  void by_sensor(const Feedback & measured, Eigen::Index i, double cycles) noexcept;

  ElasticSettings settings_;
  double rate_;  // [Hz]
  bool any_;
  bool begun_ = false;
  Eigen::MatrixXd motors_;  // a column for each cycle
  Eigen::VectorXd ages_;    // of these columns [cycles]
  Eigen::Index newest_ = 0;
  Differences links_;
  Differences bent_;  // deflections
  Feedback feedback_;
};

}  // namespace dynid
