#include "dynid/feedforward.hpp"

#include <algorithm>
#include <cmath>

#include "setting_checks.hpp"

namespace dynid
{
namespace
{

constexpr double longest_continued = 100.0;  // cycles for which a motion may have continued

}  // namespace

void FeedforwardSettings::check(Eigen::Index drives) const
{
  check_rate("control", control_rate);
  check_declared(*this, drives);
  check_delay("additive_torque_delay", additive_torque_delay, control_rate);
}

Feedforward::Feedforward(Eigen::Index drives, const FeedforwardSettings & settings)
: settings_(checked(settings, drives)),
  step_(settings.ramp_step()),
  smooth_(drives, step_),
  delay_(delay_cycles(settings.additive_torque_delay, settings.control_rate), drives)
{
  for (auto * vector : {&last_, &model_torque_, &mode_torque_, &push_, &due_, &offset_}) {
    vector->setZero(drives);
  }
}

void Feedforward::use(ControlModel * model) noexcept
{
  model_ = model;
  smooth_.model_changed();
}

void Feedforward::set_gain(double gain) noexcept
{
  wanted_gain_ = gain >= 0.0 ? std::min(gain, 1.0) : 0.0;  // 0 also for NaN
}

void Feedforward::set_mode(FeedforwardMode mode) noexcept
{
  if (mode != mode_) {
    smooth_.model_changed();
  }
  mode_ = mode;
}

void Feedforward::restart() noexcept
{
  moved_ = false;
  if (model_ != nullptr) {
    model_->reset_memory();
  }
  suspend(model_ == nullptr ? InactiveReason::no_model : InactiveReason::none);
}

const Eigen::VectorXd & Feedforward::suspend(InactiveReason why) noexcept
{
  inactive_reason_ = why;
  known_ = false;
  gain_ = 0.0;
  smooth_.drop();
  offset_.setZero();
  delay_.fill(offset_);
  return offset_;
}

InactiveReason Feedforward::check(
  const VectorIn & q, const VectorIn & dq, const VectorIn & ddq, double cycles) noexcept
{
  if (!q.allFinite()) {
    return InactiveReason::not_finite;
  }
  const double time = std::min(std::max(1.0, cycles), longest_continued);
  bool jumped = false;
  bool finite = true;
  bool plausible = true;
  for (Eigen::Index i = 0; i < q.size(); ++i) {
    jumped |= std::abs(q[i] - last_[i]) > time * settings_.position_jump[i];
    finite &= std::isfinite(dq[i]);
    finite &= std::isfinite(ddq[i]);
    plausible &= std::abs(ddq[i]) <= settings_.acceleration_jump[i];
    last_[i] = q[i];
  }
  jumped &= moved_;
  moved_ = true;
  if (jumped) {
    return InactiveReason::command_jump;
  }
  if (!finite) {
    return InactiveReason::not_finite;
  }
  if (!plausible) {
    return InactiveReason::acceleration;
  }
  return model_ == nullptr ? InactiveReason::no_model : InactiveReason::none;
}

const Eigen::VectorXd & Feedforward::update(
  const VectorIn & q, const VectorIn & dq, const VectorIn & ddq, double cycles) noexcept
{
  return send(check(q, dq, ddq, cycles), q, dq, ddq);
}

const Eigen::VectorXd & Feedforward::send(
  InactiveReason found, const VectorIn & q, const VectorIn & dq, const VectorIn & ddq) noexcept
{
  known_ = false;
  inactive_reason_ = found == InactiveReason::none ? evaluate(q, dq, ddq) : found;
  if (inactive_reason_ == InactiveReason::none) {
    blend(trusted_ ? wanted_gain_ : 0.0);
    inactive_reason_ = trusted_ ? InactiveReason::none : InactiveReason::model_wrong;
    return delayed_offset();
  }
  if (inactive_reason_ == InactiveReason::no_model) {
    gain_ = std::max(0.0, gain_ - step_);  // of the last torque of the model
    return delayed_offset();
  }
  return suspend(inactive_reason_);
}

const Eigen::VectorXd & Feedforward::fade(
  InactiveReason why, const VectorIn & q, const VectorIn & dq, const VectorIn & ddq) noexcept
{
  known_ = false;
  inactive_reason_ = why;
  if (model_ != nullptr && evaluate(q, dq, ddq) == InactiveReason::none) {
    blend(0.0);
  } else {
    gain_ = std::max(0.0, gain_ - step_);
  }
  return delayed_offset();
}

/// Computes the torque of a motion, if it is finite.
InactiveReason Feedforward::evaluate(
  const VectorIn & q, const VectorIn & dq, const VectorIn & ddq) noexcept
{
  model_->torque(FeedforwardMode::full, q, dq, ddq, model_torque_);
  if (lead_ != nullptr) {
    model_torque_ += *lead_;
  }
  bool finite = model_torque_.allFinite();
  const bool whole = mode_ == FeedforwardMode::full;
  if (!whole) {
    model_->torque(mode_, q, dq, ddq, due_);
    finite = finite && due_.allFinite();
  }
  if (!finite) {
    return model_->reached() ? InactiveReason::not_finite : InactiveReason::unreachable;
  }
  mode_torque_ = whole ? model_torque_ : due_;
  known_ = true;
  return InactiveReason::none;
}

/// Advances the ramps: of the gain, and from the previous model to this one.
void Feedforward::blend(double wanted_gain) noexcept
{
  smooth_.update(mode_torque_, gain_ > 0.0);
  gain_ = std::clamp(wanted_gain, gain_ - step_, gain_ + step_);
}

const Eigen::VectorXd & Feedforward::delayed_offset() noexcept
{
  for (Eigen::Index i = 0; i < due_.size(); ++i) {
    const double most = settings_.torque_max[i];
    const double torque = gain_ * (smooth_.torque()[i] + push_[i]);
    due_[i] = std::isnan(torque) ? 0.0 : std::clamp(torque, -most, most);
  }
  offset_ = delay_.pass(due_);
  return offset_;
}

}  // namespace dynid
