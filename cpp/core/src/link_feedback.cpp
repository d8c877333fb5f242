#include "dynid/link_feedback.hpp"

#include <algorithm>
#include <cmath>

#include "cycle_time.hpp"
#include "gear_spring.hpp"
#include "setting_checks.hpp"

namespace dynid
{

LinkFeedback::LinkFeedback(
  Eigen::Index drives, const ElasticSettings & settings, double control_rate)
: settings_(settings.filled(drives)), rate_(control_rate), any_(settings.compares_gears())
{
  const double longest = drives > 0 ? settings_.link_delay.maxCoeff() * rate_ : 0.0;
  const auto columns = 2 + static_cast<Eigen::Index>(std::ceil(longest));
  motors_.setZero(drives, columns);
  ages_.setZero(columns);
  for (auto * vector :
       {&links_.last, &links_.passed, &bent_.last, &bent_.passed, &feedback_.position,
        &feedback_.velocity, &feedback_.torque}) {
    vector->setZero(drives);
  }
  restart();
}

void LinkFeedback::restart() noexcept
{
  begun_ = false;
  links_.last.setConstant(nan);
  bent_.last.setConstant(nan);
}

const Feedback & LinkFeedback::update(const Feedback & measured, double cycles) noexcept
{
  if (!any_) {
    return measured;
  }
  const double passed = believable(cycles);
  feedback_.position = measured.position;
  feedback_.velocity = measured.velocity;
  feedback_.torque = measured.torque;
  remember(measured.position, passed);
  for (Eigen::Index i = 0; i < feedback_.position.size(); ++i) {
    if (gears()[i] > 0.5 && measured.link_torque.size() > 0) {
      by_sensor(measured, i, passed);
    } else if (gears()[i] > 0.5) {
      by_encoder(measured, i, passed);
    }
  }
  return feedback_;
}

/// Keeps the motors' positions for as long as the links' are late.
void LinkFeedback::remember(const Eigen::VectorXd & motors, double cycles) noexcept
{
  ages_.array() += cycles;
  newest_ = newest_ + 1 < ages_.size() ? newest_ + 1 : 0;
  motors_.col(newest_) = motors;
  ages_[newest_] = 0.0;
  if (!begun_) {
    motors_.colwise() = motors;
    begun_ = true;
  }
}

/// The position of a motor when that of its link was measured, between two samples.
double LinkFeedback::delayed(const Eigen::VectorXd & motors, Eigen::Index i) const noexcept
{
  const double age = settings_.link_delay[i] * rate_;
  if (!(age > cycle_rounding)) {
    return motors[i];
  }
  auto later = newest_;
  auto earlier = newest_;
  for (Eigen::Index k = 1; k < ages_.size() && ages_[earlier] < age; ++k) {
    later = earlier;
    earlier = earlier > 0 ? earlier - 1 : ages_.size() - 1;
  }
  const double between = ages_[earlier] - ages_[later];
  const double share = between > 0.0 ? std::clamp((age - ages_[later]) / between, 0.0, 1.0) : 0.0;
  return motors_(i, later) + share * (motors_(i, earlier) - motors_(i, later));
}

/// The change per second [1/s] since the last finite value; `first` at the first.
double LinkFeedback::rate_of(
  Differences & differences, Eigen::Index i, double value, double cycles, double first) noexcept
{
  differences.passed[i] += cycles;
  if (!std::isfinite(value)) {
    return nan;
  }
  const double change = value - differences.last[i];
  const double rate = std::isfinite(change) ? change * rate_ / differences.passed[i] : first;
  differences.last[i] = value;
  differences.passed[i] = 0.0;
  return rate;
}

void LinkFeedback::by_encoder(const Feedback & measured, Eigen::Index i, double cycles) noexcept
{
  const double raw = measured.link_position.size() > 0 ? measured.link_position[i] : nan;
  const double link = settings_.link_factor[i] * raw + settings_.link_offset[i];
  const double deflection = delayed(measured.position, i) - link;
  const GearSpring gear{
    settings_.stiffness[i], settings_.hardening[i], 0.5 * settings_.backlash[i]};
  const double bent = gear.bent(deflection);
  const double rate = rate_of(bent_, i, deflection, cycles);
  const double damping = bent != 0.0 ? settings_.damping[i] * rate : 0.0;
  feedback_.position[i] = link;
  feedback_.velocity[i] = rate_of(links_, i, link, cycles, measured.velocity[i]);
  feedback_.torque[i] = gear.torque(bent) + damping;
}

void LinkFeedback::by_sensor(const Feedback & measured, Eigen::Index i, double cycles) noexcept
{
  const double torque = measured.link_torque[i];
  feedback_.torque[i] = torque;
  if (measured.link_position.size() > 0) {
    const double link = settings_.link_factor[i] * measured.link_position[i];
    feedback_.position[i] = link + settings_.link_offset[i];
    feedback_.velocity[i] = rate_of(links_, i, feedback_.position[i], cycles, measured.velocity[i]);
  } else {
    const GearSpring gear{settings_.stiffness[i], settings_.hardening[i]};
    const double bent = gear.bent_by(torque);
    feedback_.position[i] -= bent;
    feedback_.velocity[i] -= rate_of(bent_, i, bent, cycles);
  }
}

}  // namespace dynid
