#include "elastic_gears.hpp"

#include <algorithm>
#include <cmath>

#include "numbers.hpp"
#include "setting_checks.hpp"

namespace dynid
{
namespace
{

constexpr double negligible_torque = 1e-12;  // [N*m or N] teeth do not touch to hold less
constexpr double gear_tolerance = 1e-10;     // of a torque, for the solution in a step

}  // namespace

ElasticGears::ElasticGears(const DrivePlantSettings & settings, Eigen::Index joints)
: damping_(given_or(settings.joint_damping, joints, 0.0)),
  inertia_(given_or(settings.rotor_inertia, joints, 0.0))
{
  elastic_.setZero(joints);
  for (auto * vector : {&before_, &rate_, &after_, &dashpot_, &torque_, &gain_, &direct_}) {
    vector->setZero(joints);
  }
  carried_.setOnes(joints);
  const auto stiffness = given_or(settings.joint_stiffness, joints, infinity);
  const auto hardening = given_or(settings.joint_hardening, joints, 0.0);
  const auto backlash = given_or(settings.joint_backlash, joints, 0.0);
  for (Eigen::Index j = 0; j < joints; ++j) {
    springs_.push_back({stiffness[j], hardening[j], 0.5 * backlash[j]});
    elastic_[j] = std::isfinite(stiffness[j]) ? 1 : 0;
    any_ = any_ || elastic(j);
    linear_ = linear_ && !(elastic(j) && (backlash[j] > 0.0 || hardening[j] > 0.0));
    inertia_[j] = elastic(j) ? inertia_[j] : 0.0;
  }
}

double ElasticGears::deflection(Eigen::Index joint, double torque) const noexcept
{
  const auto & gear = spring(joint);
  const double play = std::abs(torque) > negligible_torque ? std::copysign(gear.half, torque) : 0.0;
  return gear.bent_by(torque) + play;
}

double ElasticGears::stiffness(Eigen::Index joint, double torque) const noexcept
{
  return spring(joint).tangent(spring(joint).bent_by(torque));
}

/// The discrete gradient between the deflections before and after the step.
ElasticGears::Torque ElasticGears::mean(Eigen::Index joint, double after) const noexcept
{
  const auto & gear = spring(joint);
  const double first = gear.bent(before_[joint]);
  const double last = gear.bent(after);
  const double squares = first * first + last * last;
  if (gear.half == 0.0 || first * last > 0.0) {
    const double value = (gear.stiffness / 2.0 + gear.hardening / 4.0 * squares) * (first + last);
    const double cubic = gear.hardening / 4.0 * (squares + 2.0 * last * (first + last));
    return {value, gear.stiffness / 2.0 + cubic};
  }
  const double change = after - before_[joint];
  if (change == 0.0 || (first == 0.0 && last == 0.0)) {
    return {0.0, 0.0};
  }
  const double value = (gear.stiffness / 2.0 + gear.hardening / 4.0 * squares) *
                       (last * last - first * first) / change;
  return {value, std::max((gear.torque(last) - value) / change, 0.0)};
}

void ElasticGears::begin(const PlantTruth & truth, double step) noexcept
{
  step_ = step;
  before_ = truth.motor_position - truth.position;
  rate_ = truth.motor_velocity - truth.velocity;
  after_ = before_ + step * rate_;
  for (Eigen::Index j = 0; j < before_.size(); ++j) {
    const double middle = before_[j] + 0.5 * step * rate_[j];
    const double half = spring(j).half;
    const bool touch = half == 0.0 || std::abs(before_[j]) > half || std::abs(middle) > half;
    dashpot_[j] = touch ? damping_[j] : 0.0;
  }
}

void ElasticGears::linearise() noexcept
{
  for (Eigen::Index j = 0; j < before_.size(); ++j) {
    if (!elastic(j)) {
      continue;
    }
    const auto [value, slope] = mean(j, after_[j]);
    const double unchanged = before_[j] + step_ * rate_[j];
    torque_[j] = value + slope * (unchanged - after_[j]) + dashpot_[j] * rate_[j];
    gain_[j] = 0.5 * (slope * step_ + dashpot_[j]);
    direct_[j] = 1.0 / (inertia_[j] + step_ * gain_[j]);
    carried_[j] = step_ * gain_[j] * direct_[j];
  }
}

void ElasticGears::transmit(const VectorIn & motors, Eigen::VectorXd & links) noexcept
{
  for (Eigen::Index j = 0; j < links.size(); ++j) {
    const double gear = elastic(j) ? step_ * torque_[j] : 0.0;
    links[j] += gear + carried_[j] * (motors[j] - gear);
  }
}

void ElasticGears::add_resistance(RowMajorMatrix & mass) const noexcept
{
  for (Eigen::Index j = 0; j < inertia_.size(); ++j) {
    mass(j, j) += step_ * gain_[j] * inertia_[j] * direct_[j];
  }
}

void ElasticGears::turn(
  const VectorIn & motors, const VectorIn & links, Eigen::VectorXd & change) const noexcept
{
  for (Eigen::Index j = 0; j < change.size(); ++j) {
    change[j] = carried_[j] * links[j];
    change[j] += elastic(j) ? direct_[j] * (motors[j] - step_ * torque_[j]) : 0.0;
  }
}

bool ElasticGears::settle(const VectorIn & motors, const VectorIn & links) noexcept
{
  bool settled = true;
  for (Eigen::Index j = 0; j < before_.size(); ++j) {
    if (!elastic(j)) {
      continue;
    }
    const double guess = after_[j];
    const auto [value, slope] = mean(j, guess);
    after_[j] = before_[j] + 0.5 * step_ * (rate_[j] + motors[j] - links[j]);
    const double exact = mean(j, after_[j]).value;
    const double linear = value + slope * (after_[j] - guess);
    // beside the spring's torque, that of the deflection's rounding
    const auto & gear = spring(j);
    const double rounding = 1e-15 * gear.tangent(after_[j]) * (std::abs(after_[j]) + gear.half);
    settled = settled && std::abs(exact - linear) <= gear_tolerance * std::abs(exact) + rounding;
  }
  return settled;
}

}  // namespace dynid
