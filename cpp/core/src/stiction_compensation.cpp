#include "stiction_compensation.hpp"

#include <algorithm>
#include <cmath>

#include "numbers.hpp"
#include "setting_checks.hpp"

namespace dynid
{
namespace
{

constexpr double golden_angle = 2.399963229728653;  // between the dithers of neighbouring drives
constexpr double margin = 3.0;                      // of the damping against the delay of the loop
constexpr double fastest_dither = 0.25;             // of the control rate

StictionSettings filled(StictionSettings settings, Eigen::Index drives)
{
  settings.stiction_gain = given_or(settings.stiction_gain, drives, 0.0);
  settings.stiction_band = given_or(settings.stiction_band, drives, 1.0);
  settings.dither = given_or(settings.dither, drives, 0.0);
  return settings;
}

}  // namespace

void StictionSettings::check(Eigen::Index drives) const
{
  check_declared(filled(*this, drives), drives);
}

StictionCompensation::StictionCompensation(
  Eigen::Index drives, const ControlLawSettings & checked, double delay,
  const DriveInertia * inertia)
: settings_(filled(checked.stiction, drives)),
  enabled_(!settings_.stiction_gain.isZero(0.0) || !settings_.dither.isZero(0.0)),
  rate_(checked.feedforward.control_rate),
  decay_(checked.feedforward.ramp_step()),
  delay_(delay + 1.0 / rate_),
  lag_(1.0 / std::max(1.0, delay_ * rate_)),
  dither_rate_(
    two_pi *
    std::min(settings_.dither_frequency, fastest_dither * checked.feedforward.control_rate)),
  given_inertia_(inertia)
{
  if (inertia == nullptr) {
    own_inertia_.emplace(Eigen::VectorXd::Ones(drives), checked.feedforward.torque_max);
  }
  for (auto * vector :
       {&last_, &direction_, &expected_, &friction_, &present_, &unsmoothed_, &torque_}) {
    vector->setZero(drives);
  }
}

void StictionCompensation::restart() noexcept
{
  moved_ = false;
  direction_.setZero();
  expected_.setZero();
  torque_.setZero();
}

void StictionCompensation::update(
  ControlModel * model, const Reference & commanded, const VectorIn & torque,
  const VectorIn & velocity) noexcept
{
  if (!enabled_) {
    return;
  }
  torque_.setZero();
  if (model == nullptr || !commanded.position.allFinite()) {
    restart();
    return;
  }
  model->dry_friction(friction_);
  unsmoothed_ = model->unsmoothed();
  model->frictionless_torque(
    commanded.position, commanded.velocity, commanded.acceleration, present_);
  present_ = torque - present_;
  if (own_inertia_) {
    own_inertia_->update(model, commanded.position);
  }
  phase_ = std::fmod(phase_ + dither_rate_ / rate_, two_pi);
  for (Eigen::Index i = 0; i < torque_.size(); ++i) {
    const double moved = moved_ ? commanded.position[i] - last_[i] : 0.0;
    const double z = std::clamp(direction_[i] + moved / settings_.stiction_band[i], -1.0, 1.0);
    direction_[i] = std::copysign(std::max(0.0, std::abs(z) - decay_), z);
    const double intended = moved * rate_;
    const double speed = std::abs(intended);
    expected_[i] = std::max(speed, expected_[i] + lag_ * (speed - expected_[i]));
    const double wanted = push(i, velocity[i]) + dither(i, intended);
    torque_[i] = std::isfinite(wanted) ? wanted : 0.0;
  }
  last_ = commanded.position;
  moved_ = true;
}

double StictionCompensation::push(Eigen::Index i, double measured) const noexcept
{
  const double z = direction_[i];
  const double level = settings_.stiction_gain[i] * friction_[i] * std::abs(z);
  if (
    !(level > 0.0) || !std::isfinite(measured) || !inertia().known() || !(inertia().of(i) > 0.0)) {
    return 0.0;
  }
  const double present = std::clamp(z > 0.0 ? present_[i] : -present_[i], 0.0, friction_[i]);
  const double fading = std::max(unsmoothed_[i], margin * delay_ * level / inertia().of(i));
  const double slip = std::max(0.0, (z > 0.0 ? measured : -measured) - expected_[i]);
  const double whole = std::max(level, present) * std::max(0.0, 1.0 - slip / fading);
  return z > 0.0 ? whole - present : present - whole;
}

double StictionCompensation::dither(Eigen::Index i, double intended) const noexcept
{
  const double amplitude = settings_.dither[i];
  if (!(amplitude > 0.0) || !inertia().known()) {
    return 0.0;
  }
  const double free = inertia().of(i) * dither_rate_ * dither_rate_ * amplitude;
  const double torque = std::min(free, friction_[i]);
  const double slow = std::max(0.0, 1.0 - std::abs(intended) / unsmoothed_[i]);
  return std::abs(direction_[i]) * slow * torque *
         std::sin(phase_ + golden_angle * static_cast<double>(i));
}

}  // namespace dynid
