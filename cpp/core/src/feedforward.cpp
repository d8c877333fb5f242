#include "dynid/feedforward.hpp"

#include <algorithm>
#include <cmath>

#include "setting_checks.hpp"

namespace dynid
{
namespace
{

constexpr double longest_pause = 100.0;  // cycles, in which a motion may go on unseen

FeedforwardSettings checked(const FeedforwardSettings & settings, Eigen::Index drives)
{
  settings.check(drives);
  return settings;
}

}  // namespace

void FeedforwardSettings::check(Eigen::Index drives) const
{
  using S = DriveSetting;
  check_rate("control", control_rate);
  check_delay(additive_torque_delay);
  check_range("ramp_time", ramp_time, 0.0, S::most);
  check_settings(
    drives, {
              {"torque_max", torque_max, 0.0, S::most},
              {"position_jump", position_jump, S::least, S::infinity},
              {"acceleration_jump", acceleration_jump, S::least, S::infinity},
            });
}

Feedforward::Feedforward(Eigen::Index drives, const FeedforwardSettings & settings)
: settings_(checked(settings, drives)),
  step_(
    settings.ramp_time > 0.0 ? std::min(1.0, 1.0 / (settings.ramp_time * settings.control_rate))
                             : 1.0),
  delay_(settings.additive_torque_delay, drives)
{
  for (auto * vector :
       {&last_, &model_torque_, &mode_torque_, &smooth_torque_, &difference_, &due_, &offset_}) {
    vector->setZero(drives);
  }
}

void Feedforward::use(ControlModel * model) noexcept
{
  model_ = model;
  changed_ = true;
}

void Feedforward::model_changed() noexcept { changed_ = true; }

void Feedforward::set_gain(double gain) noexcept
{
  wanted_gain_ = gain >= 0.0 ? std::min(gain, 1.0) : 0.0;  // and so for what is no number
}

void Feedforward::set_mode(FeedforwardMode mode) noexcept
{
  changed_ = changed_ || mode != mode_;
  mode_ = mode;
}

void Feedforward::restart() noexcept
{
  moved_ = false;
  if (model_ != nullptr) {
    model_->forget();
  }
  stay_silent(model_ == nullptr ? Silence::no_model : Silence::none);
}

const Eigen::VectorXd & Feedforward::stay_silent(Silence why) noexcept
{
  silence_ = why;
  gain_ = 0.0;
  fading_ = 0.0;
  offset_.setZero();
  delay_.fill(offset_);
  return offset_;
}

Silence Feedforward::look_at(
  const VectorIn & q, const VectorIn & dq, const VectorIn & ddq, double cycles) noexcept
{
  if (!q.allFinite()) {
    return Silence::not_finite;
  }
  const double time = std::min(std::max(1.0, cycles), longest_pause);
  bool jumped = false;
  bool believable = true;
  for (Eigen::Index i = 0; i < q.size(); ++i) {
    jumped = jumped || (moved_ && std::abs(q[i] - last_[i]) > time * settings_.position_jump[i]);
    believable = believable && std::abs(ddq[i]) <= settings_.acceleration_jump[i];
    last_[i] = q[i];
  }
  moved_ = true;
  if (jumped) {
    return Silence::command_jump;
  }
  if (!(dq.allFinite() && ddq.allFinite())) {
    return Silence::not_finite;
  }
  if (!believable) {
    return Silence::acceleration;
  }
  return model_ == nullptr ? Silence::no_model : Silence::none;
}

const Eigen::VectorXd & Feedforward::update(
  const VectorIn & q, const VectorIn & dq, const VectorIn & ddq, double cycles) noexcept
{
  silence_ = look_at(q, dq, ddq, cycles);
  if (silence_ == Silence::none) {
    model_->torque(FeedforwardMode::full, q, dq, ddq, model_torque_);
    mode_torque_ = model_torque_;
    if (mode_ != FeedforwardMode::full) {
      model_->torque(mode_, q, dq, ddq, mode_torque_);
    }
    const bool finite = model_torque_.allFinite() && mode_torque_.allFinite();
    silence_ = finite              ? Silence::none
               : model_->reached() ? Silence::not_finite
                                   : Silence::unreachable;
  }
  if (silence_ != Silence::none) {
    return stay_silent(silence_);
  }
  blend();
  for (Eigen::Index i = 0; i < due_.size(); ++i) {
    const double most = settings_.torque_max[i];
    due_[i] = std::clamp(gain_ * smooth_torque_[i], -most, most);
  }
  offset_ = delay_.pass(due_);
  return offset_;
}

/// Moves along the ramps: of the gain, and from the model before to this one.
void Feedforward::blend() noexcept
{
  if (changed_) {
    changed_ = false;
    difference_ = smooth_torque_ - mode_torque_;
    fading_ = gain_ > 0.0 ? 1.0 : 0.0;
  }
  fading_ = std::max(0.0, fading_ - step_);
  smooth_torque_ = mode_torque_;
  if (fading_ > 0.0) {
    smooth_torque_ += fading_ * difference_;
  }
  gain_ = std::clamp(wanted_gain_, gain_ - step_, gain_ + step_);
}

}  // namespace dynid
