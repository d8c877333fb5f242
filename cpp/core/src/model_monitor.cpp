#include "dynid/model_monitor.hpp"

#include <algorithm>
#include <cmath>

#include "setting_checks.hpp"

namespace dynid
{

void ModelMonitorSettings::check() const
{
  using S = Setting;
  check_range("model_monitor.time", time, S::least, S::most);
  check_range("model_monitor.share", share, S::least, S::most);
  check_range("model_monitor.times", times, 0.0, S::most);
}

ModelMonitor::ModelMonitor(Eigen::Index drives, const ModelMonitorSettings & settings)
: settings_(settings)
{
  for (auto * vector : {&least_, &moved_, &errors_, &torques_, &usual_}) {
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
  usual_.setZero();
}

void ModelMonitor::update(
  const Eigen::VectorXd & error, const Eigen::VectorXd & torque, const VectorIn & friction,
  const VectorIn & velocity, const Eigen::VectorXd & slowest, double time) noexcept
{
  for (Eigen::Index i = 0; i < least_.size() && settings_.model_check && drive_ < 0; ++i) {
    const double e = error[i] * error[i];
    const double t = torque[i] * torque[i];
    if (!std::isfinite(e + t) || !(std::abs(velocity[i]) > slowest[i])) {
      continue;
    }
    const bool enough = moved_[i] >= settings_.time;
    moved_[i] = enough ? moved_[i] : moved_[i] + time;
    const double weight = std::min(1.0, time / moved_[i]);
    errors_[i] += weight * (e - errors_[i]);
    torques_[i] += weight * (t - torques_[i]);
    if (!enough) {
      continue;
    }
    usual_[i] = std::max(usual_[i], torques_[i]);
    const double usual = std::max(usual_[i], friction[i] * friction[i]);
    const double share = settings_.share * settings_.share * usual;
    if (errors_[i] > std::max(least_[i] * least_[i], share)) {
      drive_ = static_cast<int>(i);
    }
  }
}

}  // namespace dynid
