#include "dynid/collision_detector.hpp"

#include <algorithm>
#include <cmath>

#include "cycle_time.hpp"
#include "setting_checks.hpp"

namespace dynid
{
namespace
{

/// The share of its state that a low-pass keeps in a cycle; 0 without a time constant.
double kept(double time_constant, double control_rate) noexcept
{
  return time_constant > 0.0 ? std::exp(-1.0 / (time_constant * control_rate)) : 0.0;
}

/// 1 for drives (n,) whose torque is supervised, else 0.
void find_supervised(const CollisionSettings & settings, Eigen::VectorXd & found) noexcept
{
  for (Eigen::Index i = 0; i < found.size(); ++i) {
    const bool any = watches_errors(settings, i) || std::isfinite(settings.torque_threshold[i]);
    found[i] = any ? 1.0 : 0.0;
  }
}

constexpr double settled = 3.0;        // time constants after which a filter shows 95 %
constexpr double uneven_cycle = 0.02;  // of a cycle, too long or too short
// Of a cycle above a threshold that one below takes back. Values that alternate around a threshold
// are a collision if more than a third of them are above: a Bernoulli CUSUM (Reynolds, Stoumbos
// 1999), in which what is rare in free motion counts for more than what is usual.
constexpr double taken_back = 0.5;

}  // namespace

Eigen::VectorXd supervised(const CollisionSettings & settings)
{
  Eigen::VectorXd found(settings.torque_threshold.size());
  find_supervised(settings, found);
  return found;
}

void CollisionSettings::check(Eigen::Index drives) const
{
  check_rate("control", control_rate);
  check_declared(*this, drives);
}

CollisionDetector::CollisionDetector(Eigen::Index drives, const CollisionSettings & settings)
: settings_(checked(settings, drives)),
  watched_(static_cast<std::size_t>(drives)),
  drives_(static_cast<std::size_t>(drives))
{
  for (auto * vector : {&supervised_, &kept_, &filtered_, &friction_, &steady_acceleration_}) {
    vector->setZero(drives);
  }
  threshold_ = settings.torque_error_max;
  prepare();
  reset();
}

void CollisionDetector::set(const CollisionSettings & settings) noexcept
{
  settings_ = settings;
  prepare();
}

/// Converts the settings in seconds to cycles and filter coefficients.
void CollisionDetector::prepare() noexcept
{
  const double rate = settings_.control_rate;
  for (Eigen::Index i = 0; i < kept_.size(); ++i) {
    kept_[i] = kept(settings_.torque_error_time_constant[i], rate);
    watched_[static_cast<std::size_t>(i)] = {
      watches_errors(settings_, i), std::isfinite(settings_.torque_threshold[i])};
  }
  find_supervised(settings_, supervised_);
  steady_kept_ = kept(settings_.boost_time, rate);
  debounce_ = std::max(1.0, std::ceil(settings_.debounce_time * rate - cycle_rounding));
}

void CollisionDetector::reset() noexcept
{
  level_ = CollisionLevel::none;
  collision_ = {};
  filtered_.setZero();
  moved_ = false;
  for (Eigen::Index i = 0; i < filtered_.size(); ++i) {
    auto & drive = drives_[static_cast<std::size_t>(i)];
    drive = Drive{};
    drive.settling = settling_time(i) * settings_.control_rate;
  }
}

double CollisionDetector::settling_time(Eigen::Index i) const noexcept
{
  return settled * settings_.torque_error_time_constant[i];
}

void CollisionDetector::raise() noexcept
{
  for (auto & drive : drives_) {
    raise(drive);
  }
}

void CollisionDetector::raise(Drive & drive) noexcept
{
  drive.boost_left = 1.0 + settings_.boost_time * settings_.control_rate;
}

void CollisionDetector::raise_where_abrupt(const VectorIn & acceleration) noexcept
{
  if (!moved_) {
    steady_acceleration_ = acceleration;
    moved_ = true;
  }
  bool abrupt = false;
  bool finite = true;
  for (Eigen::Index i = 0; i < steady_acceleration_.size(); ++i) {
    const double differs = acceleration[i] - steady_acceleration_[i];
    abrupt |= std::abs(differs) > settings_.acceleration_step[i];
    finite &= std::isfinite(acceleration[i]);
  }
  if (abrupt) {
    raise();
  }
  if (finite) {
    steady_acceleration_ += (1.0 - steady_kept_) * (acceleration - steady_acceleration_);
  }
}

/// The largest torque error that model errors can explain in this state.
inline double CollisionDetector::threshold_of(
  Eigen::Index i, Drive & drive, double velocity, double acceleration) noexcept
{
  const double speed = std::abs(velocity);
  const bool slow = !(speed > settings_.low_speed[i]);
  if (slow) {
    raise(drive);
  }
  double threshold = settings_.torque_error_max[i] + settings_.velocity_factor[i] * speed +
                     settings_.acceleration_factor[i] * std::abs(acceleration);
  if (drive.boost_left > 0.0) {
    threshold = std::max(threshold + settings_.reversal_boost[i], friction_[i]);
    drive.boost_left -= 1.0;
  }
  return threshold;
}

/// Counts cycles above a threshold less half of those below; warn_fraction is at most 1.
inline void CollisionDetector::watch(
  Eigen::Index i, CollisionCause cause, double value, double threshold, double & beyond) noexcept
{
  const double size = std::abs(value);
  beyond =
    size > threshold ? std::min(beyond + 1.0, debounce_) : std::max(0.0, beyond - taken_back);
  if (size > settings_.warn_fraction * threshold) {
    report(i, cause, value, threshold, beyond);
  }
}

/// Filters the torque error of a drive; returns why its torque is not evaluated.
inline BlindReason CollisionDetector::evaluate(
  Eigen::Index i, const Watched & watched, Drive & drive, double error, double torque,
  BlindReason unavailable, double cycles) noexcept
{
  if (unavailable != BlindReason::none) {
    filtered_[i] = 0.0;
    drive.settling = settling_time(i) * settings_.control_rate;
  } else if (std::isfinite(error) && std::isfinite(torque)) {
    const double f = std::abs(cycles - 1.0) <= uneven_cycle ? kept_[i] : std::pow(kept_[i], cycles);
    filtered_[i] = f * filtered_[i] + (1.0 - f) * error;
    drive.settling = std::max(0.0, drive.settling - cycles);
  }
  if (!(watched.error || watched.torque)) {
    return BlindReason::off;
  }
  if (!std::isfinite(torque)) {
    return BlindReason::bad_sample;
  }
  if (!watched.error) {
    return BlindReason::none;
  }
  if (unavailable == BlindReason::none && !std::isfinite(error)) {
    return BlindReason::bad_sample;
  }
  if (unavailable != BlindReason::none) {
    const bool other = watched.torque && unavailable == BlindReason::no_model;
    return other ? BlindReason::none : unavailable;
  }
  return drive.settling > 0.0 ? BlindReason::settling : BlindReason::none;
}

CollisionLevel CollisionDetector::update(
  const VectorIn & torque_error, const VectorIn & torque, const VectorIn & velocity,
  const VectorIn & acceleration, BlindReason unavailable, double cycles) noexcept
{
  level_ = collision_.cause == CollisionCause::none ? CollisionLevel::none : CollisionLevel::stop;
  warning_ = Collision();
  raise_where_abrupt(acceleration);
  for (Eigen::Index i = 0; i < filtered_.size(); ++i) {
    auto & drive = drives_[static_cast<std::size_t>(i)];
    const auto & watched = watched_[static_cast<std::size_t>(i)];
    threshold_[i] = threshold_of(i, drive, velocity[i], acceleration[i]);
    drive.blind = evaluate(i, watched, drive, torque_error[i], torque[i], unavailable, cycles);
    if (drive.blind == BlindReason::bad_sample) {
      continue;
    }
    if (watched.error) {
      watch(i, CollisionCause::torque_error, filtered_[i], threshold_[i], drive.error_beyond);
    }
    if (watched.torque) {
      watch(
        i, CollisionCause::torque_threshold, torque[i], settings_.torque_threshold[i],
        drive.torque_beyond);
    }
  }
  ++cycle_;
  return level_;
}

void CollisionDetector::stop(Collision found) noexcept
{
  if (collision_.cause == CollisionCause::none) {
    found.cycle = cycle_;
    collision_ = found;
  }
  level_ = CollisionLevel::stop;
}

/// Warns of a value near its threshold, and latches after debounce_time.
void CollisionDetector::report(
  Eigen::Index i, CollisionCause cause, double value, double threshold, double beyond) noexcept
{
  level_ = std::max(level_, CollisionLevel::warn);
  if (std::abs(value) * warning_.threshold >= std::abs(warning_.value) * threshold) {
    warning_ = {cause, static_cast<int>(i), value, threshold, cycle_};
  }
  if (beyond >= debounce_ && collision_.cause == CollisionCause::none) {
    collision_ = {cause, static_cast<int>(i), value, threshold, cycle_};
    level_ = CollisionLevel::stop;
  }
}

}  // namespace dynid
