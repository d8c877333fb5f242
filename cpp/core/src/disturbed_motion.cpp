#include "disturbed_motion.hpp"

#include <algorithm>
#include <cmath>

#include "numbers.hpp"

namespace dynid
{
namespace
{

// [s] of each low-pass. An encoder step s then is an acceleration of at most s / time_constant^2.
constexpr double time_constant = 0.01;
constexpr double disturbed_time = 0.2;  // [s] after a late cycle
constexpr double late = 1.5;            // cycles
// [s] without a measurement, for which torque is interpolated: loops of drives change it faster
constexpr double longest_between = 0.003;

}  // namespace

DisturbedMotion::DisturbedMotion(Eigen::Index drives, double control_rate)
: rate_(1.0 / (time_constant * control_rate)),
  share_(1.0 - std::exp(-rate_)),
  disturbed_(disturbed_time * control_rate),
  longest_(std::max(late, longest_between * control_rate))
{
  for (auto * values : {&error_, &deviation_, &unknown_}) {
    for (auto * vector : {&values->last, &values->once, &values->twice}) {
      vector->setZero(drives);
    }
  }
  for (auto * vector : {&deviates_, &acceleration_, &torque_}) {
    vector->setZero(drives);
  }
}

void DisturbedMotion::restart() noexcept
{
  known_ = false;
  left_ = 0.0;
}

void DisturbedMotion::correct(
  ControlModel & model, const Feedback & feedback, const VectorIn & commanded, double cycles,
  Eigen::VectorXd & error) noexcept
{
  deviates_ = feedback.velocity - commanded;
  const bool disturbed = left_ > 0.0;
  left_ = cycles > late ? disturbed_ : std::max(0.0, left_ - cycles);
  if (!disturbed && (!known_ || left_ == 0.0)) {
    error_.last = error;
    deviation_.last = deviates_;
    known_ = true;
  }
  if (left_ == 0.0) {
    return;
  }
  if (!disturbed) {
    begin();
  }
  if (cycles > longest_) {
    skip(error);
    error.setConstant(nan);
    return;
  }
  pass(error, cycles);
  if (!feedback.position.allFinite()) {
    return;
  }
  acceleration_ = (deviation_.once - deviation_.twice) / time_constant;
  model.inertia_torque(feedback.position, acceleration_, torque_);
  for (Eigen::Index i = 0; i < error.size(); ++i) {
    const double corrected = error_.twice[i] + torque_[i];
    const double size = std::max(0.0, std::abs(corrected) - unknown_.twice[i]);
    const bool finite = std::isfinite(error[i]) && std::isfinite(corrected);
    error[i] = finite ? std::copysign(size, corrected) : error[i];
  }
}

/// Begins with the motion of the last cycle.
void DisturbedMotion::begin() noexcept
{
  for (auto * values : {&error_, &deviation_}) {
    values->last = values->last.array().isFinite().select(values->last, 0.0);
    values->begin();
  }
  unknown_.last.setZero();
  unknown_.begin();
}

/// What changed the velocity in a long time without a sample is left out.
void DisturbedMotion::skip(const Eigen::VectorXd & error) noexcept
{
  for (Eigen::Index i = 0; i < error.size(); ++i) {
    if (std::isfinite(error[i] + deviates_[i])) {
      error_.last[i] = error[i];
      deviation_.shift(i, deviates_[i]);
    }
  }
}

void DisturbedMotion::pass(const Eigen::VectorXd & error, double cycles) noexcept
{
  // in a long cycle both change evenly
  const int steps = std::max(1, static_cast<int>(std::lround(cycles)));
  const double each = cycles / steps;
  const double share = each == 1.0 ? share_ : 1.0 - std::exp(-rate_ * each);
  for (Eigen::Index i = 0; i < error.size(); ++i) {
    if (!std::isfinite(error[i] + deviates_[i])) {
      continue;
    }
    // half the change between two samples is what the mean error between them may differ by
    unknown_.last[i] = steps > 1 ? 0.5 * std::abs(error[i] - error_.last[i]) : 0.0;
    unknown_.pass(i, unknown_.last[i], steps, share);
    error_.pass(i, error[i], steps, share);
    deviation_.pass(i, deviates_[i], steps, share);
  }
}

inline void DisturbedMotion::LowPass::shift(Eigen::Index i, double value) noexcept
{
  const double change = value - last[i];
  last[i] = value;
  once[i] += change;
  twice[i] += change;
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

}  // namespace dynid
