#include "torque_loop.hpp"

#include <algorithm>
#include <cmath>

namespace dynid
{

TorqueLoop::TorqueLoop(const TorqueLawSettings & settings)
: period_(1.0 / settings.law.feedforward.control_rate),
  stiffness_(settings.stiffness),
  damping_(settings.damping),
  integral_gain_(settings.integral_gain),
  integral_max_(settings.integral_max),
  stop_damping_(settings.stop_damping),
  torque_max_(settings.law.feedforward.torque_max),
  largest_step_(period_ * settings.torque_rate_max)
{
  integral_.setZero(stiffness_.size());
  command_.setZero(stiffness_.size());
}

void TorqueLoop::start(const VectorIn & torque) noexcept
{
  integral_.setZero();
  command_ = torque.cwiseMin(torque_max_).cwiseMax(-torque_max_);
}

/// Commands a torque within the limits. Returns what they took away.
double TorqueLoop::send(Eigen::Index i, double demand) noexcept
{
  const double step = largest_step_[i];
  const double most = torque_max_[i];
  // a sum of control errors may have overflowed to infinity, or to NaN
  const double wanted = std::isnan(demand) ? command_[i] : demand;
  const double near = std::clamp(wanted, command_[i] - step, command_[i] + step);
  command_[i] = std::clamp(near, -most, most);
  return wanted - command_[i];
}

void TorqueLoop::follow(
  const VectorIn & model, const VectorIn & target, const Feedback & feedback) noexcept
{
  for (Eigen::Index i = 0; i < command_.size(); ++i) {
    const double error = target[i] - feedback.position[i];
    const double rate = target[command_.size() + i] - feedback.velocity[i];
    if (!std::isfinite(error) || !std::isfinite(rate)) {
      send(i, model[i]);
      continue;
    }
    const double cut =
      send(i, model[i] + stiffness_[i] * error + damping_[i] * rate + integral_[i]);
    if (cut == 0.0 || (cut > 0.0) != (error > 0.0)) {
      const double grown = integral_[i] + period_ * integral_gain_[i] * error;
      integral_[i] = std::clamp(grown, -integral_max_[i], integral_max_[i]);
    }
  }
}

void TorqueLoop::exert(const VectorIn & torque) noexcept
{
  for (Eigen::Index i = 0; i < command_.size(); ++i) {
    send(i, torque[i]);
  }
}

void TorqueLoop::damp(const VectorIn & holding, const VectorIn & velocity) noexcept
{
  for (Eigen::Index i = 0; i < command_.size(); ++i) {
    const double torque = stop_damping_[i] * velocity[i];
    send(i, std::isfinite(torque) ? holding[i] - torque : holding[i]);
  }
}

}  // namespace dynid
