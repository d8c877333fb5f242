#include "disturbed_motion.hpp"

#include <algorithm>
#include <cmath>

namespace dynid
{
namespace
{

// [s] of each low-pass. An encoder step s then is an acceleration of at most s / time_constant^2.
constexpr double time_constant = 0.01;
constexpr double most_steps = 100.0;
constexpr double negligible = 1e-12;  // [N*m or N]

}  // namespace

DisturbedMotion::DisturbedMotion(Eigen::Index drives, double control_rate)
: rate_(1.0 / (time_constant * control_rate)), share_(1.0 - std::exp(-rate_))
{
  for (auto * values : {&error_, &deviation_, &unknown_}) {
    values->last.setZero(drives);
    values->once.setZero(drives);
    values->twice.setZero(drives);
  }
  for (auto * vector : {&acceleration_, &torque_}) {
    vector->setZero(drives);
  }
}

void DisturbedMotion::restart() noexcept { begun_ = false; }

void DisturbedMotion::update(
  const Eigen::VectorXd & error, const Eigen::VectorXd & measured, const VectorIn & commanded,
  double cycles) noexcept
{
  // in a long cycle both change evenly
  const int steps = static_cast<int>(std::clamp(std::round(cycles), 1.0, most_steps));
  const double each = cycles / steps;
  const double share = each == 1.0 ? share_ : 1.0 - std::exp(-rate_ * each);
  for (Eigen::Index i = 0; i < torque_.size(); ++i) {
    const double deviates = measured[i] - commanded[i];
    if (!std::isfinite(error[i] + deviates)) {
      continue;
    }
    if (!begun_) {
      error_.begin(i, error[i]);
      deviation_.begin(i, deviates);
      unknown_.begin(i, 0.0);
    }
    // half the change between two samples is what the mean error between them may differ by
    const double unknown = steps > 1 ? 0.5 * std::abs(error[i] - error_.last[i]) : 0.0;
    if (unknown > 0.0 || unknown_.twice[i] > negligible) {
      unknown_.last[i] = unknown;
      unknown_.pass(i, unknown, steps, share);
    } else {
      unknown_.begin(i, 0.0);  // otherwise it would fade through slow, subnormal numbers
    }
    error_.pass(i, error[i], steps, share);
    deviation_.pass(i, deviates, steps, share);
  }
  begun_ = true;
}

void DisturbedMotion::LowPass::begin(Eigen::Index i, double value) noexcept
{
  last[i] = once[i] = twice[i] = value;
}

inline void DisturbedMotion::LowPass::pass(
  Eigen::Index i, double value, int steps, double share) noexcept
{
  const double before = last[i];
  last[i] = value;
  for (int k = 1; k <= steps; ++k) {
    const double now = k == steps ? value : before + (value - before) * k / steps;
    once[i] += share * (now - once[i]);
    twice[i] += share * (once[i] - twice[i]);
  }
}

void DisturbedMotion::correct(
  ControlModel & model, const VectorIn & position, Eigen::VectorXd & error) noexcept
{
  acceleration_ = (deviation_.once - deviation_.twice) / time_constant;
  model.inertia_torque(position, acceleration_, torque_);
  for (Eigen::Index i = 0; i < error.size(); ++i) {
    const double corrected = error_.twice[i] + torque_[i];
    const double size = std::max(0.0, std::abs(corrected) - unknown_.twice[i]);
    const bool finite = std::isfinite(error[i]) && std::isfinite(corrected);
    error[i] = finite ? std::copysign(size, corrected) : error[i];
  }
}

}  // namespace dynid
