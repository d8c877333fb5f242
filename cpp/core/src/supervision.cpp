#include "dynid/supervision.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "numbers.hpp"
#include "setting_checks.hpp"

namespace dynid
{

void SupervisionSettings::check() const { check_declared(*this, 0); }

Supervision::Supervision(const SupervisionSettings & settings, Eigen::VectorXd suspension)
: settings_(settings),
  suspension_(std::move(suspension)),
  blind_time_(Eigen::VectorXd::Zero(suspension_.size())),
  reasons_(static_cast<std::size_t>(suspension_.size()), BlindReason::none)
{
}

void Supervision::restart() noexcept
{
  blind_time_.setZero();
  std::fill(reasons_.begin(), reasons_.end(), BlindReason::none);
}

void Supervision::count(Eigen::Index i, BlindReason reason, double time) noexcept
{
  reasons_[static_cast<std::size_t>(i)] = reason;
  const bool never =
    reason == BlindReason::off || reason == BlindReason::guided || reason == BlindReason::no_model;
  if (never) {
    blind_time_[i] = infinity;
  } else if (reason == BlindReason::none) {
    blind_time_[i] = 0.0;
  } else {
    // after it was off, the time begins now; infinite is only that of what is off
    const double before = std::isfinite(blind_time_[i]) ? blind_time_[i] : 0.0;
    blind_time_[i] = std::min(before + time, Setting::most);
  }
}

Blindness Supervision::furthest(double longest) const noexcept
{
  Blindness found;
  for (Eigen::Index i = 0; i < blind_time_.size(); ++i) {
    const auto reason = reasons_[static_cast<std::size_t>(i)];
    const bool expected = reason == BlindReason::suspended || reason == BlindReason::settling;
    const double limit = longest + (expected ? suspension_[i] : 0.0);
    const double time = blind_time_[i];
    if (std::isfinite(time) && time > limit && time - limit > found.time - found.limit) {
      found = {static_cast<int>(i), time, limit, reason};
    }
  }
  return found;
}

}  // namespace dynid
