#include "elastic_reference.hpp"

#include <algorithm>
#include <cmath>
#include <unsupported/Eigen/MatrixFunctions>

#include "cycle_time.hpp"
#include "gear_spring.hpp"
#include "numbers.hpp"
#include "setting_checks.hpp"
#include "smooth_step.hpp"

namespace dynid
{
namespace
{

constexpr double most_lag_steps = 100.0;  // nominal cycles in one that came late

/// How far a gear turns under a torque: where that is small, the backlash adds a compliance of the
/// gear's own size, so that the lead neither jumps nor turns abruptly where the torque reverses.
double deflection(double torque, const GearSpring & gear) noexcept
{
  if (!std::isfinite(gear.stiffness)) {
    return 0.0;
  }
  const double small = gear.stiffness * gear.half;
  const double side = small > 0.0 ? torque / std::sqrt(torque * torque + small * small) : 0.0;
  return gear.bent_by(torque) + gear.half * side;
}

}  // namespace

ElasticSettings ElasticSettings::filled(Eigen::Index drives) const
{
  auto settings = *this;
  settings.stiffness = given_or(stiffness, drives, infinity);
  settings.hardening = given_or(hardening, drives, 0.0);
  settings.rotor_inertia = given_or(rotor_inertia, drives, 0.0);
  settings.damping = given_or(damping, drives, 0.0);
  settings.backlash = given_or(backlash, drives, 0.0);
  settings.link_torque = given_or(link_torque, drives, 0.0);
  settings.link_factor = given_or(link_factor, drives, 1.0);
  settings.link_offset = given_or(link_offset, drives, 0.0);
  settings.link_delay = given_or(link_delay, drives, 0.0);
  return settings;
}

void ElasticSettings::check(Eigen::Index drives) const { check_declared(filled(drives), drives); }

bool ElasticSettings::enabled() const noexcept { return elastic_cutoff > 0.0; }

double ElasticSettings::delay() const noexcept
{
  return enabled() ? ElasticReference::order / (two_pi * elastic_cutoff) : 0.0;
}

ElasticReference::ElasticReference(Eigen::Index drives, const ControlLawSettings & checked)
: settings_(checked.elastic.filled(drives)),
  enabled_(settings_.enabled()),
  rate_(checked.feedforward.control_rate),
  fade_step_(checked.feedforward.ramp_step()),
  farthest_(checked.reference_tolerance)
{
  // d^5q/dt^5 = w^5 (reference - q) - 5 w^4 dq/dt - ... of (s + w)^5, over a cycle of constant
  // reference; with time in 1 / w, so that the exponential is well scaled
  const double cycle = enabled_ ? two_pi * settings_.elastic_cutoff / rate_ : 0.0;
  Eigen::Matrix<double, order + 1, order + 1> matrix;
  matrix.setZero();
  matrix.diagonal(1).setOnes();
  matrix.row(order - 1) << -1.0, -5.0, -10.0, -10.0, -5.0, 1.0;
  const Eigen::Matrix<double, order + 1, order + 1> passed = (cycle * matrix).exp();
  Eigen::Matrix<double, order, 1> scale;  // of the derivatives
  for (int derivative = 0; derivative < order; ++derivative) {
    scale[derivative] = std::pow(cycle * rate_, derivative);
  }
  transition_ = passed.topLeftCorner<order, order>();
  if (enabled_) {
    transition_ = scale.asDiagonal() * transition_ * scale.cwiseInverse().asDiagonal();
  }
  gain_ = scale.cwiseProduct(passed.topRightCorner<order, 1>());
  states_.setZero(order, drives);
  next_.setZero(order, drives);
  for (auto * vector :
       {&difference_, &torque_difference_, &last_, &due_, &rate_of_lead_, &bend_of_lead_, &lead_,
        &torque_, &needed_, &links_.position, &links_.velocity, &links_.acceleration,
        &motors_.position, &motors_.velocity, &motors_.acceleration}) {
    vector->setZero(drives);
  }
  for (auto & lead : leads_) {
    lead.setZero(drives);
  }
}

void ElasticReference::restart() noexcept
{
  started_ = false;
  lead_.setZero();
  torque_.setZero();
}

double ElasticReference::update(
  ControlModel * model, const Reference & given, bool jumped, double cycles) noexcept
{
  if (!enabled_) {
    links_ = motors_ = given;
    return cycles;
  }
  const auto & reference = given.position;
  const bool began = !started_ || jumped;
  const double steps = std::clamp(std::round(believable(cycles)), 1.0, most_lag_steps);
  if (began) {
    states_.setZero();
    states_.row(0) = reference.transpose();
  } else {
    for (double step = 1.0; step <= steps; ++step) {
      due_ = last_ + step / steps * (reference - last_);
      advance(due_);
    }
  }
  last_ = reference;
  const bool other = !started_ || changed_ || model != model_;
  if (began || other || steps > 1.0) {
    remember(model);
  } else {
    std::rotate(leads_.begin(), leads_.end() - 1, leads_.end());
    bend(model, 0.0, leads_[0]);
  }
  compose(other);
  model_ = model;
  changed_ = false;
  started_ = true;
  return steps;
}

/// One nominal cycle with a reference.
void ElasticReference::advance(const VectorIn & reference) noexcept
{
  next_.noalias() = transition_.lazyProduct(states_);
  next_.noalias() += gain_.lazyProduct(reference.transpose());
  states_.swap(next_);
}

/// The leads of the last cycles from the derivatives of the motion.
void ElasticReference::remember(ControlModel * model) noexcept
{
  for (std::size_t past = leads_.size(); past-- > 0;) {
    bend(model, -static_cast<double>(past) / rate_, leads_[past]);
  }
}

/// The lead some time [s] after this instant, or before; the links' motion is read there.
void ElasticReference::bend(ControlModel * model, double time, Eigen::VectorXd & lead) noexcept
{
  const auto q = [this](int derivative) { return states_.row(derivative).transpose(); };
  auto & [position, velocity, acceleration] = links_;
  position = q(0) + time * (q(1) + time / 2.0 * (q(2) + time / 3.0 * (q(3) + time / 4.0 * q(4))));
  velocity = q(1) + time * (q(2) + time / 2.0 * (q(3) + time / 3.0 * q(4)));
  acceleration = q(2) + time * (q(3) + time / 2.0 * q(4));
  if (model == nullptr) {
    lead.setZero();
    return;
  }
  model->frictionless_torque(position, velocity, acceleration, needed_);
  for (Eigen::Index i = 0; i < lead.size(); ++i) {
    const double torque = needed_[i] - settings_.rotor_inertia[i] * acceleration[i];
    const GearSpring gear{
      settings_.stiffness[i], settings_.hardening[i], 0.5 * settings_.backlash[i]};
    const double bent = deflection(torque, gear);
    const double most = farthest_[i];
    lead[i] = std::isfinite(bent) ? std::clamp(bent, -most, most) : 0.0;
  }
}

/// The motors' motion and the torque for it; `other`: than those of the cycle before.
void ElasticReference::compose(bool other) noexcept
{
  const auto & [now, last, second, third] = leads_;
  rate_of_lead_ = rate_ / 2.0 * (3.0 * now - 4.0 * last + second);
  bend_of_lead_ = rate_ * rate_ * (2.0 * now - 5.0 * last + 4.0 * second - third);
  needed_ = settings_.rotor_inertia.cwiseProduct(bend_of_lead_);
  if (other) {
    difference_ = lead_ - now;
    torque_difference_ = torque_ - needed_;
    faded_ = 0.0;
  }
  lead_ = now;
  torque_ = needed_;
  if (faded_ < 1.0) {
    const double before = smooth_step(1.0 - faded_);
    faded_ = std::min(1.0, faded_ + fade_step_);
    const double remaining = smooth_step(1.0 - faded_);
    lead_ += remaining * difference_;
    torque_ += remaining * torque_difference_;
    rate_of_lead_ += rate_ * (remaining - before) * difference_;
  }
  motors_.position = links_.position + lead_;
  motors_.velocity = links_.velocity + rate_of_lead_;
  motors_.acceleration = links_.acceleration + bend_of_lead_;
}

}  // namespace dynid
