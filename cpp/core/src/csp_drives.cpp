#include "csp_drives.hpp"

#include <algorithm>
#include <cmath>

namespace dynid
{
namespace
{
constexpr double pi = 3.14159265358979323846;
}

CspDrives::CspDrives(const DrivePlantSettings & settings, const Eigen::VectorXd & inertia)
: integral_rate_(settings.integral_time.cwiseInverse()),
  full_torque_max_(settings.torque_max),
  torque_max_(settings.torque_max),
  stop_deceleration_(settings.stop_deceleration),
  following_error_(settings.following_error)
{
  const Eigen::ArrayXd rate = 2.0 * pi * settings.bandwidth_hz.array();
  position_gain_ = rate / (2.0 * settings.damping_ratio.array());
  velocity_gain_ = inertia.array() * 2.0 * settings.damping_ratio.array() * rate;
  for (auto * vector : {&reference_, &reference_velocity_, &integral_, &torque_}) {
    vector->setZero(inertia.size());
  }
}

void CspDrives::hold(const VectorIn & position, const VectorIn & torque) noexcept
{
  reference_ = position;
  reference_velocity_.setZero();
  for (Eigen::Index i = 0; i < integral_.size(); ++i) {
    const double most = torque_max_[i];
    integral_[i] = integral_rate_[i] > 0.0 ? std::clamp(torque[i], -most, most) : 0.0;
  }
  torque_ = integral_;
}

void CspDrives::follow(
  const VectorIn & reference, const VectorIn & velocity, const Eigen::VectorXi & failed) noexcept
{
  for (Eigen::Index i = 0; i < reference_.size(); ++i) {
    if (failed[i] == 0) {
      follow(i, reference[i], velocity[i]);
    }
  }
}

void CspDrives::follow(Eigen::Index drive, double reference, double velocity) noexcept
{
  reference_[drive] = reference;
  reference_velocity_[drive] = velocity;
}

void CspDrives::ramp_down(double step, const Eigen::VectorXi & failed) noexcept
{
  for (Eigen::Index i = 0; i < reference_.size(); ++i) {
    if (failed[i] == 0) {
      continue;
    }
    const double speed =
      std::max(std::abs(reference_velocity_[i]) - step * stop_deceleration_[i], 0.0);
    reference_velocity_[i] = std::copysign(speed, reference_velocity_[i]);
    reference_[i] += step * reference_velocity_[i];
  }
}

void CspDrives::saturate(Eigen::Index drive, double factor) noexcept
{
  torque_max_[drive] = factor * full_torque_max_[drive];
}

int CspDrives::lost(const VectorIn & position) const noexcept
{
  for (Eigen::Index i = 0; i < reference_.size(); ++i) {
    if (!(std::abs(reference_[i] - position[i]) <= following_error_[i])) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

const Eigen::VectorXd & CspDrives::torque(
  const VectorIn & position, const VectorIn & velocity, const VectorIn & offset,
  double step) noexcept
{
  for (Eigen::Index i = 0; i < torque_.size(); ++i) {
    const double most = torque_max_[i];
    const double error =
      reference_velocity_[i] + position_gain_[i] * (reference_[i] - position[i]) - velocity[i];
    const double demand = velocity_gain_[i] * error + integral_[i] + offset[i];
    torque_[i] = std::clamp(demand, -most, most);
    const bool saturated = demand != torque_[i];
    if (!saturated || (demand > 0.0) != (error > 0.0)) {
      integral_[i] = std::clamp(
        integral_[i] + velocity_gain_[i] * integral_rate_[i] * error * step, -most, most);
    }
  }
  return torque_;
}

const Eigen::VectorXd & CspDrives::exert(
  const VectorIn & torque, const Eigen::VectorXi & failed) noexcept
{
  for (Eigen::Index i = 0; i < torque_.size(); ++i) {
    if (failed[i] == 0) {
      torque_[i] = std::clamp(torque[i], -torque_max_[i], torque_max_[i]);
      integral_[i] = integral_rate_[i] > 0.0 ? torque_[i] : 0.0;
    }
  }
  return torque_;
}

}  // namespace dynid
