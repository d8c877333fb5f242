#include "dynid/target_line.hpp"

#include <algorithm>

namespace dynid
{
namespace
{

constexpr double usual_lag = 0.5;  // tolerates a jitter of half a cycle in both directions
constexpr double shortest_period = 1e-3;
constexpr double fading = 0.95;  // of the correction in a cycle

}  // namespace

TargetLine::TargetLine(Eigen::Index joints) { rest_at(Eigen::VectorXd::Zero(joints)); }

void TargetLine::rest_at(const Eigen::VectorXd & position) noexcept
{
  lag_ = usual_lag;
  clock_.restart();
  last_ = position;
  next_ = position;
  slope_.setZero(position.size());
  correction_.setZero(position.size());
}

int TargetLine::pass(double cycles, bool even) noexcept
{
  const int counted = clock_.pass(cycles);
  replaces_ = even && counted == 0;
  cycles = even ? counted : cycles;
  period_ = std::clamp(cycles, shortest_period, longest_period);
  return counted;
}

void TargetLine::give(const Eigen::VectorXd & target) noexcept
{
  if (replaces_) {
    return;  // within the same cycle of the drives a ControlLaw gives the same targets again
  }
  // the plant has followed the old line since the last targets; a new line starts there
  const double ahead = std::max(-lag_, 0.0);
  correction_ += ahead * slope_;
  slope_ = (target - last_) / period_;
  correction_ -= ahead * slope_;
  if (!correction_.allFinite()) {
    correction_.setZero();
  }
  last_ = target;
  lag_ += period_;
}

const Eigen::VectorXd & TargetLine::next() noexcept
{
  lag_ -= 1.0;
  correction_ *= fading;
  next_ = last_ - lag_ * slope_ + correction_;
  return next_;
}

}  // namespace dynid
