#include "closed_chain.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "numbers.hpp"

namespace dynid
{
namespace
{

constexpr double closing_tolerance = 1e-13;  // [m] gap at which the iteration ends
constexpr double closed_gap = 1e-11;         // [m] gap that counts as closed, because of rounding
constexpr double longest_step = 0.1;         // [rad or m] of the actuated joints towards a position
constexpr double largest_correction = 0.5;   // [rad or m]; larger ones may change the assembly mode
constexpr int most_steps = 500;
constexpr int most_corrections = 12;
constexpr double longest_curved = 0.03;  // [rad or m] step of which those before show the curve
constexpr double parallel = 0.9;         // least cosine between these steps
constexpr double small_gap = 1e-3;       // [m] that the derivatives at the last position can close
constexpr double fast = 0.1;             // of a gap, that a correction with these may leave
constexpr double small_correction = 1e-3;  // [rad or m] after which the derivatives serve again
constexpr double weakest_pivot = 1e-4;     // of the largest: constraint forces grow as its inverse

}  // namespace

void ClosedChain::close(Memory & memory, const VectorIn & q) const noexcept
{
  if (memory.closed && (memory.q.head(actuated_).array() == q.array()).all()) {
    return;
  }
  if (memory.closed && walk(memory, q)) {
    return;
  }
  // the line could not be followed, or there was no previous position
  memory.q = start_;
  memory.step_before.setZero();
  if (!(correct(memory, most_corrections, false) && walk(memory, q))) {
    memory.q.setConstant(nan);
    memory.closed = false;
  }
}

/// Moves from a closed position to another one, with the actuated joints along a line.
bool ClosedChain::walk(Memory & memory, const VectorIn & q) const noexcept
{
  memory.step = q - memory.q.head(actuated_);
  const double wanted = memory.step.cwiseAbs().maxCoeff() / longest_step;
  if (!(wanted <= most_steps)) {
    memory.failure = {ClosureFailure::Kind::unreachable, 0, nan};
    return false;
  }
  const int steps = std::max(1, static_cast<int>(std::ceil(wanted)));
  memory.step /= steps;
  for (int i = 1; i <= steps; ++i) {
    predict(memory);
    if (i < steps) {
      memory.q.head(actuated_) += memory.step;
    } else {
      memory.q.head(actuated_) = q;
    }
    if (!correct(memory, most_corrections, true)) {
      return false;
    }
    keep_curve(memory);
  }
  return true;
}

/// Moves the passive joints along their tangent, and from it as the last steps did.
void ClosedChain::predict(Memory & memory) const noexcept
{
  const auto & step = memory.step;
  const auto & before = memory.step_before;
  memory.conditions.noalias() = memory.jacobian.leftCols(actuated_).lazyProduct(step);
  to_passive(memory);
  auto passive = memory.q.tail(memory.solved.size());
  passive -= memory.solved;
  memory.tangent = passive;
  const double square = step.squaredNorm();
  const double square_before = before.squaredNorm();
  const double along = step.dot(before);
  const bool goes_on =
    along > 0.0 && along * along >= parallel * parallel * square * square_before &&
    square <= 4.0 * square_before && step.cwiseAbs().maxCoeff() <= longest_curved;
  memory.curves = goes_on ? memory.curves : 0;
  if (memory.curves == 1) {
    passive += square * memory.curve;
  } else if (memory.curves == 2) {
    passive += square * (2.0 * memory.curve - memory.curve_before);
  }
}

/// Keeps what the last step needed besides the tangent.
void ClosedChain::keep_curve(Memory & memory) const noexcept
{
  const double square = memory.step.squaredNorm();
  memory.step_before = memory.step;
  memory.curve_before.swap(memory.curve);
  memory.curve = (memory.q.tail(memory.curve.size()) - memory.tangent) / square;
  memory.curves = square > 0.0 ? std::min(2, memory.curves + 1) : 0;
}

/// Newton's method on the passive joints; where a position `nearby` was closed before, first with
/// the derivatives there, as long as these serve.
bool ClosedChain::correct(Memory & memory, int iterations, bool nearby) const noexcept
{
  memory.closed = false;
  place(memory, true);
  measure_gap(memory);
  double gap = memory.gap.cwiseAbs().maxCoeff();
  double gap_before = nearby ? small_gap : 0.0;
  while (gap >= closing_tolerance && gap <= fast * gap_before) {
    gap_before = gap;
    improve(memory);
    gap = memory.gap.cwiseAbs().maxCoeff();
  }
  for (int i = 0; i < iterations; ++i) {
    linearize(memory);
    if (!factorize(memory)) {
      return false;
    }
    if (memory.gap.cwiseAbs().maxCoeff() < (i + 1 < iterations ? closing_tolerance : closed_gap)) {
      memory.closed = true;
      memory.failure = {};
      return true;
    }
    const double largest = improve(memory);
    if (largest <= small_correction && memory.gap.cwiseAbs().maxCoeff() >= closing_tolerance) {
      improve(memory);
    }
  }
  const int index = most_open(memory);
  const auto & open = closures_[static_cast<std::size_t>(index)];
  memory.failure = {
    ClosureFailure::Kind::unreachable, index,
    memory.gap.segment(open.row, condition_count(open.kind)).norm()};
  return false;
}

/// One correction by the last derivatives; returns its largest component [rad or m].
double ClosedChain::improve(Memory & memory) const noexcept
{
  memory.conditions = memory.gap;
  to_passive(memory);
  const double largest = memory.solved.cwiseAbs().maxCoeff();
  const double share = largest > largest_correction ? largest_correction / largest : 1.0;
  memory.q.tail(memory.solved.size()) -= share * memory.solved;
  place(memory, false);
  measure_gap(memory);
  return largest;
}

/// False where a passive joint is free to move; memory.failure then names it.
bool ClosedChain::factorize(Memory & memory) const noexcept
{
  auto & passive = memory.passive;
  passive.compute(memory.jacobian.rightCols(memory.solved.size()).data());
  if (passive.weakest() >= weakest_pivot * passive.strongest() && passive.strongest() > 0.0) {
    return true;
  }
  const auto joint = actuated_ + passive.last();
  memory.failure = {ClosureFailure::Kind::singular, static_cast<int>(joint), 0.0};
  return false;
}

/// Computes P^+ times memory.conditions in memory.solved; overwrites memory.conditions.
void ClosedChain::to_passive(Memory & memory) const noexcept
{
  memory.passive.solve(memory.conditions.data(), memory.solved.data());
}

/// Computes P^+T times the passive joints' part of the torques in memory.conditions.
void ClosedChain::to_conditions(Memory & memory, const VectorIn & tau) const noexcept
{
  memory.passive.solve_transposed(tau.data() + actuated_, memory.conditions.data());
}

void ClosedChain::move(Memory & memory, const VectorIn & dq, const VectorIn & ddq) const noexcept
{
  const auto count = memory.solved.size();
  const auto actuated = memory.jacobian.leftCols(actuated_);
  memory.dq.head(actuated_) = dq;
  memory.conditions.noalias() = actuated.lazyProduct(dq);
  to_passive(memory);
  memory.dq.tail(count) = -memory.solved;
  turn(memory);
  differentiate(memory);
  memory.ddq.head(actuated_) = ddq;
  memory.conditions.noalias() = actuated.lazyProduct(ddq);
  memory.conditions.noalias() += memory.jacobian_rate.lazyProduct(memory.dq);
  to_passive(memory);
  memory.ddq.tail(count) = -memory.solved;
}

void ClosedChain::project(Memory & memory, const VectorIn & tau, VectorOut projected) const noexcept
{
  const auto actuated = memory.jacobian.leftCols(actuated_);
  to_conditions(memory, tau);
  projected = tau.head(actuated_);
  projected.noalias() -= actuated.transpose().lazyProduct(memory.conditions);
}

void ClosedChain::project_rate(
  Memory & memory, const VectorIn & tau, VectorOut projected) const noexcept
{
  // J G = 0, hence P dG_p/dt = -dJ/dt G
  to_conditions(memory, tau);
  memory.joints.noalias() = -memory.jacobian_rate.transpose() * memory.conditions;
  project(memory, memory.joints, projected);
}

void ClosedChain::spread(Memory & memory) const noexcept
{
  for (Eigen::Index i = 0; i < actuated_; ++i) {
    memory.conditions = memory.jacobian.col(i);
    to_passive(memory);
    memory.transfer.col(i).tail(memory.solved.size()) = -memory.solved;
  }
}

void ClosedChain::spread_rate(Memory & memory) const noexcept
{
  for (Eigen::Index i = 0; i < actuated_; ++i) {
    memory.conditions.noalias() = memory.jacobian_rate.lazyProduct(memory.transfer.col(i));
    to_passive(memory);
    memory.transfer_rate.col(i).tail(memory.solved.size()) = -memory.solved;
  }
}

int ClosedChain::most_open(const Memory & memory) const noexcept
{
  Eigen::Index row = 0;
  memory.gap.cwiseAbs().maxCoeff(&row);
  int index = 0;
  for (std::size_t i = 0; i < closures_.size(); ++i) {
    index = row >= closures_[i].row ? static_cast<int>(i) : index;
  }
  return index;
}

std::string ClosedChain::describe(const ClosureFailure & failure, const VectorIn & q) const
{
  std::ostringstream text;
  text << "at";
  for (Eigen::Index i = 0; i < actuated_; ++i) {
    text << (i > 0 ? ", " : " ") << joints_[static_cast<std::size_t>(i)] << " = " << q[i];
  }
  if (failure.kind == ClosureFailure::Kind::singular) {
    text << " the mechanism is singular: passive joint '"
         << joints_[static_cast<std::size_t>(failure.index)]
         << "' can move while the actuated joints are at rest.";
  } else {
    text << " the loop of " << closures_[static_cast<std::size_t>(failure.index)].name
         << " cannot be closed";
    if (std::isfinite(failure.gap)) {
      text << ", a gap of " << failure.gap << " m remains";
    }
    text << "; the position is out of reach.";
  }
  return text.str();
}

}  // namespace dynid
