#include "dynid/model_updates.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "setting_checks.hpp"

namespace dynid
{
namespace
{

// residual over the bound of the torque difference, below which residuals are not compared
constexpr double negligible = 0.01;
constexpr double longest = 1e12;  // cycles counted

}  // namespace

void ModelUpdatesSettings::check(Eigen::Index drives) const
{
  using S = Setting;
  check_rate("control", control_rate);
  check_delay("torque_error_delay", torque_error_delay, control_rate);
  check_range("ramp_time", ramp_time, 1.0 / control_rate, S::most);
  check_range("timeout", timeout, S::least, infinity);
  check_range("hold_time", hold_time, 0.0, infinity);
  check_range("residual_time", residual_time, 1.0 / control_rate, S::most);
  check_range("residual_ratio", residual_ratio, 1.0, S::most);
  check_settings(
    drives, {
              {"torque_difference", torque_difference, S::least, S::most},
              {"low_speed", low_speed, 0.0, S::most},
            });
}

bool has_alarm(const ControlLaw & law) noexcept
{
  return law.latched() || law.detector().level() != CollisionLevel::none;
}

ModelUpdates::ModelUpdates(Eigen::Index drives, const ModelUpdatesSettings & settings)
: settings_(checked(settings, drives)),
  delay_(delay_cycles(settings.torque_error_delay, settings.control_rate)),
  line_(delay_, 3 * drives)
{
  for (auto * vector :
       {&motion_.position, &motion_.velocity, &motion_.acceleration, &torque_, &other_, &squares_,
        &updated_squares_, &counted_}) {
    vector->setZero(drives);
  }
  expected_.setZero(3 * drives);
}

void ModelUpdates::accept(ControlModel * model) noexcept
{
  accepted_ = model;
  update_ = nullptr;
  report_.updated = false;
  settled_ = 0.0;
}

bool ModelUpdates::ready() const noexcept
{
  return accepted_ != nullptr && held_ <= 0.0 &&
         settled_ >= settings_.ramp_time * settings_.control_rate;
}

void ModelUpdates::take(ControlModel * update) noexcept
{
  if (update == nullptr || !ready()) {
    return;
  }
  update_ = update;  // the one before may be freed from now on
  settled_ = 0.0;
  report_.updated = true;
  ++report_.taken;
  restart_residuals();
  std::ignore = within_bound();
}

void ModelUpdates::fall_back(FallbackCause cause, int drive, double value, double limit) noexcept
{
  const bool holds = cause == FallbackCause::alarm || cause == FallbackCause::residual ||
                     cause == FallbackCause::torque_difference;
  if (holds) {
    held_ = settings_.hold_time * settings_.control_rate;
  }
  if (update_ == nullptr) {
    return;
  }
  update_ = nullptr;
  settled_ = 0.0;
  report_.updated = false;
  report_.cause = cause;
  report_.drive = drive;
  report_.value = value;
  report_.limit = limit;
  ++report_.fallbacks;
}

void ModelUpdates::update(
  const Reference & motion, const VectorIn & torque, bool alarm, double cycles) noexcept
{
  const double passed = cycles >= 1.0 ? std::min(cycles, longest) : 1.0;  // also for NaN
  silence_ = std::min(silence_ + passed, longest);
  settled_ = std::min(settled_ + 1.0, longest);  // fades are in cycles of the law
  held_ = std::max(0.0, held_ - passed);
  motion_ = motion;
  if (alarm) {
    fall_back(FallbackCause::alarm);
  }
  if (update_ == nullptr) {
    return;
  }
  if (silence_ > settings_.timeout * settings_.control_rate) {
    fall_back(FallbackCause::lost_input, -1, silence_ / settings_.control_rate, settings_.timeout);
    return;
  }
  if (within_bound()) {
    compare_residuals(torque);
  }
}

/// Computes the torques of both models; falls back, and is false, where they differ by more than
/// the bound, also for NaN.
bool ModelUpdates::within_bound() noexcept
{
  const auto & [q, dq, ddq] = motion_;
  accepted_->torque(FeedforwardMode::full, q, dq, ddq, torque_);
  update_->torque(FeedforwardMode::full, q, dq, ddq, other_);
  for (Eigen::Index i = 0; i < other_.size(); ++i) {
    const double difference = std::abs(other_[i] - torque_[i]);
    if (!(difference <= settings_.torque_difference[i])) {
      fall_back(
        FallbackCause::torque_difference, static_cast<int>(i), difference,
        settings_.torque_difference[i]);
      return false;
    }
  }
  return true;
}

void ModelUpdates::compare_residuals(const VectorIn & torque) noexcept
{
  const auto n = torque_.size();
  expected_ << torque_, other_, motion_.velocity;
  const auto due = line_.pass(expected_);
  known_ = std::min(known_ + 1, delay_ + 1);
  if (known_ <= delay_ || !torque.allFinite()) {
    return;
  }
  const double window = settings_.residual_time * settings_.control_rate;
  for (Eigen::Index i = 0; i < n; ++i) {
    if (!(std::abs(due[2 * n + i]) > settings_.low_speed[i])) {
      continue;
    }
    counted_[i] = std::min(counted_[i] + 1.0, window);
    const double accepted = due[i] - torque[i];
    const double updated = due[n + i] - torque[i];
    squares_[i] += (accepted * accepted - squares_[i]) / counted_[i];
    updated_squares_[i] += (updated * updated - updated_squares_[i]) / counted_[i];
    const double least = negligible * settings_.torque_difference[i];
    const double limit = settings_.residual_ratio * std::sqrt(squares_[i]) + least;
    const double found = std::sqrt(updated_squares_[i]);
    if (counted_[i] >= window && !(found <= limit)) {
      fall_back(FallbackCause::residual, static_cast<int>(i), found, limit);
      return;
    }
  }
}

void ModelUpdates::restart_residuals() noexcept
{
  known_ = 0;
  squares_.setZero();
  updated_squares_.setZero();
  counted_.setZero();
}

}  // namespace dynid
