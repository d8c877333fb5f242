#include "closed_chain.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace dynid
{
namespace
{

constexpr double tolerance = 1e-13;         // [m] gap at which the iteration ends
constexpr double closed_gap = 1e-11;        // [m] gap that counts as closed, because of rounding
constexpr double longest_step = 0.1;        // [rad or m] of the actuated joints towards a position
constexpr double largest_correction = 0.5;  // [rad or m]; larger ones may change the assembly mode
constexpr int most_steps = 500;
constexpr int most_corrections = 12;
constexpr double weakest_pivot = 1e-4;  // of the largest: constraint forces grow as its inverse
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Applies the i-th Householder reflection; all in order are Q^T (Eigen's own product allocates).
void reflect(
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> & qr, Eigen::Index i,
  Eigen::VectorXd & vector) noexcept
{
  const auto rest = vector.size() - i - 1;
  const auto essential = qr.matrixQR().col(i).tail(rest);
  const double size = qr.hCoeffs()[i] * (vector[i] + essential.dot(vector.tail(rest)));
  vector[i] -= size;
  vector.tail(rest) -= size * essential;
}

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
  if (!(correct(memory, most_corrections) && walk(memory, q))) {
    memory.q.setConstant(nan);
    memory.closed = false;
  }
}

/// Moves from a closed position to another one, with the actuated joints along a line.
bool ClosedChain::walk(Memory & memory, const VectorIn & q) const noexcept
{
  memory.step = q - memory.q.head(actuated_);
  const double farthest = memory.step.cwiseAbs().maxCoeff() / longest_step;
  if (!(farthest <= most_steps)) {
    memory.failure = {ClosureFailure::Kind::unreachable, 0, nan};
    return false;
  }
  const int steps = std::max(1, static_cast<int>(std::ceil(farthest)));
  memory.step /= steps;
  for (int i = 1; i <= steps; ++i) {
    memory.conditions.noalias() = memory.jacobian.leftCols(actuated_) * memory.step;
    to_passive(memory);
    memory.q.tail(memory.solved.size()) -= memory.solved;
    if (i < steps) {
      memory.q.head(actuated_) += memory.step;
    } else {
      memory.q.head(actuated_) = q;
    }
    if (!correct(memory, most_corrections)) {
      return false;
    }
  }
  return true;
}

/// Newton's method on the passive joints.
bool ClosedChain::correct(Memory & memory, int iterations) const noexcept
{
  memory.closed = false;
  for (int i = 0; i < iterations; ++i) {
    place(memory);
    linearize(memory);
    if (!factorize(memory)) {
      return false;
    }
    const double gap = memory.gap.cwiseAbs().maxCoeff();
    if (gap < (i + 1 < iterations ? tolerance : closed_gap)) {
      memory.closed = true;
      memory.failure = {};
      return true;
    }
    memory.conditions = memory.gap;
    to_passive(memory);
    const double largest = memory.solved.cwiseAbs().maxCoeff();
    const double share = largest > largest_correction ? largest_correction / largest : 1.0;
    memory.q.tail(memory.solved.size()) -= share * memory.solved;
  }
  const int index = most_open(memory);
  const auto & open = closures_[static_cast<std::size_t>(index)];
  memory.failure = {
    ClosureFailure::Kind::unreachable, index,
    memory.gap.segment(open.row, condition_count(open.kind)).norm()};
  return false;
}

/// False where a passive joint is free to move; memory.failure then names it.
bool ClosedChain::factorize(Memory & memory) const noexcept
{
  const auto count = memory.solved.size();
  memory.passive.compute(memory.jacobian.rightCols(count));
  const auto & triangle = memory.passive.matrixQR();
  const double strongest = std::abs(triangle(0, 0));
  if (std::abs(triangle(count - 1, count - 1)) >= weakest_pivot * strongest && strongest > 0.0) {
    return true;
  }
  const auto joint = actuated_ + memory.passive.colsPermutation().indices()[count - 1];
  memory.failure = {ClosureFailure::Kind::singular, static_cast<int>(joint), 0.0};
  return false;
}

/// Computes P^+ times memory.conditions in memory.solved; overwrites memory.conditions.
void ClosedChain::to_passive(Memory & memory) const noexcept
{
  const auto count = memory.solved.size();
  for (Eigen::Index i = 0; i < count; ++i) {
    reflect(memory.passive, i, memory.conditions);
  }
  memory.ordered = memory.conditions.head(count);
  memory.passive.matrixQR().topRows(count).triangularView<Eigen::Upper>().solveInPlace(
    memory.ordered);
  const auto & order = memory.passive.colsPermutation().indices();
  for (Eigen::Index i = 0; i < count; ++i) {
    memory.solved[order[i]] = memory.ordered[i];
  }
}

/// Computes P^+T times the passive joints' part of the torques in memory.conditions.
void ClosedChain::to_conditions(Memory & memory, const VectorIn & tau) const noexcept
{
  const auto count = memory.solved.size();
  const auto & order = memory.passive.colsPermutation().indices();
  memory.conditions.setZero();
  for (Eigen::Index i = 0; i < count; ++i) {
    memory.conditions[i] = tau[actuated_ + order[i]];
  }
  auto ordered = memory.conditions.head(count);
  memory.passive.matrixQR().topRows(count).triangularView<Eigen::Upper>().transpose().solveInPlace(
    ordered);
  for (Eigen::Index i = count; i-- > 0;) {
    reflect(memory.passive, i, memory.conditions);
  }
}

void ClosedChain::move(Memory & memory, const VectorIn & dq, const VectorIn & ddq) const noexcept
{
  const auto count = memory.solved.size();
  const auto actuated = memory.jacobian.leftCols(actuated_);
  memory.dq.head(actuated_) = dq;
  memory.conditions.noalias() = actuated * dq;
  to_passive(memory);
  memory.dq.tail(count) = -memory.solved;
  turn(memory);
  differentiate(memory);
  memory.ddq.head(actuated_) = ddq;
  memory.conditions.noalias() = actuated * ddq;
  memory.conditions.noalias() += memory.jacobian_rate * memory.dq;
  to_passive(memory);
  memory.ddq.tail(count) = -memory.solved;
}

void ClosedChain::project(Memory & memory, const VectorIn & tau, VectorOut projected) const noexcept
{
  to_conditions(memory, tau);
  projected = tau.head(actuated_);
  projected.noalias() -= memory.jacobian.leftCols(actuated_).transpose() * memory.conditions;
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
    memory.conditions.noalias() = memory.jacobian_rate * memory.transfer.col(i);
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
