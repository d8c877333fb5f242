#include "dynid/model_monitor.hpp"

#include <algorithm>
#include <cmath>

#include "setting_checks.hpp"

namespace dynid
{

void ModelMonitorSettings::check() const
{
  using S = DriveSetting;
  check_range("model_check.time", time, S::least, S::most);
  check_range("model_check.share", share, S::least, S::most);
  check_range("model_check.times", times, 0.0, S::most);
}

ModelMonitor::ModelMonitor(Eigen::Index drives, const ModelMonitorSettings & settings)
: settings_(settings)
{
  for (auto * vector : {&least_, &moved_, &errors_, &torques_}) {
    vector->setZero(drives);
  }
}

void ModelMonitor::restart(const Eigen::VectorXd & rmse) noexcept
{
  drive_ = -1;
  least_.setZero();
  if (rmse.size() == least_.size()) {
    least_ = settings_.times * rmse.array().isFinite().select(rmse, 0.0);
  }
  moved_.setZero();
}

void ModelMonitor::update(
  const Eigen::VectorXd & error, const Eigen::VectorXd & torque, const VectorIn & velocity,
  const Eigen::VectorXd & low_speed, double time) noexcept
{
  for (Eigen::Index i = 0; i < least_.size() && settings_.enabled && drive_ < 0; ++i) {
    const bool finite = std::isfinite(error[i]) && std::isfinite(torque[i]);
    if (!finite || !(std::abs(velocity[i]) > low_speed[i])) {
      continue;
    }
    moved_[i] = std::min(moved_[i] + time, settings_.time);
    const double weight = std::min(1.0, time / moved_[i]);
    errors_[i] += weight * (error[i] * error[i] - errors_[i]);
    torques_[i] += weight * (torque[i] * torque[i] - torques_[i]);
    const double limit = std::max(least_[i], settings_.share * std::sqrt(torques_[i]));
    if (moved_[i] >= settings_.time && std::sqrt(errors_[i]) > limit) {
      drive_ = static_cast<int>(i);
      error_ = std::sqrt(errors_[i]);
      limit_ = limit;
    }
  }
}

}  // namespace dynid
