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
: stiffness_(given_or(settings.joint_stiffness, joints, infinity)),
  damping_(given_or(settings.joint_damping, joints, 0.0)),
  half_(0.5 * given_or(settings.joint_backlash, joints, 0.0)),
  inertia_(given_or(settings.rotor_inertia, joints, 0.0))
{
  elastic_.setZero(joints);
  for (auto * vector : {&before_, &rate_, &after_, &dashpot_, &torque_, &gain_, &direct_}) {
    vector->setZero(joints);
  }
  carried_.setOnes(joints);
  for (Eigen::Index j = 0; j < joints; ++j) {
    elastic_[j] = std::isfinite(stiffness_[j]) ? 1 : 0;
    any_ = any_ || elastic(j);
    backlash_ = backlash_ || (elastic(j) && half_[j] > 0.0);
    inertia_[j] = elastic(j) ? inertia_[j] : 0.0;
  }
}

double ElasticGears::deflection(Eigen::Index joint, double torque) const noexcept
{
  const double play =
    std::abs(torque) > negligible_torque ? std::copysign(half_[joint], torque) : 0.0;
  return torque / stiffness_[joint] + play;
}

double ElasticGears::bent(Eigen::Index joint, double deflection) const noexcept
{
  return deflection - std::clamp(deflection, -half_[joint], half_[joint]);
}

/// The discrete gradient between the deflections before and after the step.
ElasticGears::Torque ElasticGears::mean(Eigen::Index joint, double after) const noexcept
{
  const double stiffness = stiffness_[joint];
  const double first = bent(joint, before_[joint]);
  const double last = bent(joint, after);
  if (half_[joint] == 0.0 || first * last > 0.0) {
    return {stiffness * (first + last) / 2.0, stiffness / 2.0};
  }
  const double change = after - before_[joint];
  if (change == 0.0 || (first == 0.0 && last == 0.0)) {
    return {0.0, 0.0};
  }
  const double value = stiffness * (last * last - first * first) / (2.0 * change);
  return {value, std::max((stiffness * last - value) / change, 0.0)};
}

void ElasticGears::begin(const PlantTruth & truth, double step) noexcept
{
  step_ = step;
  before_ = truth.motor_position - truth.position;
  rate_ = truth.motor_velocity - truth.velocity;
  after_ = before_ + step * rate_;
  for (Eigen::Index j = 0; j < before_.size(); ++j) {
    const double middle = before_[j] + 0.5 * step * rate_[j];
    const bool touch =
      half_[j] == 0.0 || std::abs(before_[j]) > half_[j] || std::abs(middle) > half_[j];
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
    const double rounding = 1e-15 * stiffness_[j] * (std::abs(after_[j]) + half_[j]);
    settled = settled && std::abs(exact - linear) <= gear_tolerance * std::abs(exact) + rounding;
  }
  return settled;
}

}  // namespace dynid
