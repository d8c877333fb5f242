#include "hand_guiding.hpp"

#include <algorithm>
#include <cmath>

namespace dynid
{
namespace
{

/// How near a position is to a limit: 1 within it by the distance of the wall, 0 at it.
double room(double left, double distance) { return std::clamp(left / distance, 0.0, 1.0); }

}  // namespace

HandGuiding::HandGuiding(const TorqueLawSettings & settings)
: whole_share_(settings.guiding_friction),
  step_(settings.guiding_friction * settings.law.feedforward.ramp_step()),
  speed_(settings.guiding_speed),
  torque_max_(settings.guiding_torque),
  wall_distance_(settings.wall_distance),
  damping_(settings.stop_damping),
  lower_(settings.law.limits.position_min),
  upper_(settings.law.limits.position_max)
{
  for (auto * vector : {&friction_, &still_, &zero_, &torque_}) {
    vector->setZero(speed_.size());
  }
}

void HandGuiding::update(
  ControlModel * model, const VectorIn & position, const VectorIn & velocity) noexcept
{
  share_ = std::min(whole_share_, share_ + step_);
  find_friction(model, position, velocity);
  for (Eigen::Index i = 0; i < torque_.size(); ++i) {
    const double wanted =
      share_ * friction_[i] + wall(i, position[i]) - damping(i, position[i], velocity[i]);
    torque_[i] = std::clamp(wanted, -torque_max_[i], torque_max_[i]);
  }
}

/// The model's friction in the measured motion; 0 where it is not finite.
void HandGuiding::find_friction(
  ControlModel * model, const VectorIn & q, const VectorIn & dq) noexcept
{
  if (model != nullptr) {
    model->frictionless_torque(q, zero_, zero_, still_);
    model->torque(FeedforwardMode::semi_static, q, dq, zero_, friction_);
    friction_ -= still_;
  }
  if (model == nullptr || !friction_.allFinite()) {
    friction_.setZero();
  }
}

/// Springs that reach torque_max at the limits.
double HandGuiding::wall(Eigen::Index i, double q) const noexcept
{
  const double distance = wall_distance_[i];
  const double push = room(upper_[i] - q, distance) - room(q - lower_[i], distance);
  return push == 0.0 ? 0.0 : push * torque_max_[i];  // which may be infinite
}

/// Against speed beyond what is permitted there, less in a wall, so that it does not throw back.
double HandGuiding::damping(Eigen::Index i, double q, double dq) const noexcept
{
  const double left = std::min(upper_[i] - q, q - lower_[i]);
  const double excess = std::abs(dq) - speed_[i] * room(left, wall_distance_[i]);
  return std::copysign(damping_[i] * std::max(0.0, excess), dq);
}

int HandGuiding::beyond(const VectorIn & position) const noexcept
{
  for (Eigen::Index i = 0; i < position.size(); ++i) {
    if (position[i] < lower_[i] || position[i] > upper_[i]) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

double HandGuiding::limit(Eigen::Index drive, double position) const noexcept
{
  return position < lower_[drive] ? lower_[drive] : upper_[drive];
}

}  // namespace dynid
