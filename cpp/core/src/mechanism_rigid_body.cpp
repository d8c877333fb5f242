// The functions of a mechanism that use pinocchio. Its libraries have these algorithms compiled for
// vectors of the type PinocchioVector alone: others would be compiled here, in a minute.

#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include "mechanism_definition.hpp"
#include "numbers.hpp"

namespace dynid
{
namespace
{

using PinocchioVector = Eigen::Ref<const Eigen::VectorXd>;

/// By number, to pinocchio's order.
void reorder(const std::vector<int> & order, const VectorIn & from, Eigen::VectorXd & to) noexcept
{
  for (std::size_t i = 0; i < order.size(); ++i) {
    to[static_cast<Eigen::Index>(i)] = from[order[i]];
  }
}

}  // namespace

/// Positions of all moving joints; NaN where loops cannot be closed.
const Eigen::VectorXd & Mechanism::tree_position(
  Workspace & workspace, const VectorIn & q) const noexcept
{
  auto & memory = *workspace.memory_;
  if (!definition_->chain) {
    memory.tree_q = q;
    return memory.tree_q;
  }
  definition_->chain->close(*memory.chain, q);
  return memory.chain->q;
}

void Mechanism::spread(Workspace & workspace, const VectorIn & q, VectorOut all) const noexcept
{
  all = tree_position(workspace, q);
}

void Mechanism::project(
  Workspace & workspace, const VectorIn & q, const VectorIn & all, VectorOut tau) const noexcept
{
  if (!definition_->chain) {
    tau = all;
    return;
  }
  auto & memory = *workspace.memory_;
  definition_->chain->close(*memory.chain, q);
  definition_->chain->project(*memory.chain, all, tau);
}

/// M of all moving joints in the workspace's tree_mass; NaN where loops cannot be closed, which
/// pinocchio's own checks in debug builds do not accept.
void Mechanism::tree_mass(Workspace & workspace, const Eigen::VectorXd & q) const noexcept
{
  auto & memory = *workspace.memory_;
  const auto & tree = definition_->tree;
  if (!q.allFinite()) {
    memory.tree_mass.setConstant(nan);
    return;
  }
  reorder(tree.order, q, memory.q);
  pinocchio::crba(tree.model, memory.data, PinocchioVector(memory.q), pinocchio::Convention::LOCAL);
  for (std::size_t i = 0; i < tree.order.size(); ++i) {
    for (std::size_t j = i; j < tree.order.size(); ++j) {
      // crba fills the upper triangle only
      const double entry =
        memory.data.M(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
      memory.tree_mass(tree.order[i], tree.order[j]) = entry;
      memory.tree_mass(tree.order[j], tree.order[i]) = entry;
    }
  }
  memory.tree_mass += definition_->term_inertia;
}

void Mechanism::mass_matrix(Workspace & workspace, const VectorIn & q, MatrixOut out) const noexcept
{
  auto & memory = *workspace.memory_;
  tree_mass(workspace, tree_position(workspace, q));
  if (!definition_->chain) {
    out = memory.tree_mass;
    return;
  }
  definition_->chain->spread(*memory.chain);
  const auto & transfer = memory.chain->transfer;
  memory.tree_product.noalias() = memory.tree_mass * transfer;
  memory.mass.noalias() = transfer.transpose() * memory.tree_product;
  out = (memory.mass + memory.mass.transpose()) / 2.0;  // rounding must not make it unsymmetric
}

void Mechanism::coriolis_matrix(
  Workspace & workspace, const VectorIn & q, const VectorIn & dq, MatrixOut out) const noexcept
{
  auto & memory = *workspace.memory_;
  const auto & definition = *definition_;
  const auto & tree = definition.tree;
  const auto state = tree_state(workspace, q, dq, memory.zero.head(joint_count()));
  using All = Eigen::Map<const Eigen::VectorXd>;
  reorder(tree.order, All(state.q, memory.zero.size()), memory.q);
  reorder(tree.order, All(state.dq, memory.zero.size()), memory.dq);
  pinocchio::computeCoriolisMatrix(
    tree.model, memory.data, PinocchioVector(memory.q), PinocchioVector(memory.dq));
  for (std::size_t i = 0; i < tree.order.size(); ++i) {
    for (std::size_t j = 0; j < tree.order.size(); ++j) {
      memory.tree_coriolis(tree.order[i], tree.order[j]) =
        memory.data.C(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
    }
  }
  if (!definition.chain) {
    out = memory.tree_coriolis;
    return;
  }
  tree_mass(workspace, memory.chain->q);
  definition.chain->spread(*memory.chain);
  definition.chain->spread_rate(*memory.chain);
  const auto & transfer = memory.chain->transfer;
  // G^T (C G + M dG/dt)
  memory.tree_product.noalias() = memory.tree_coriolis * transfer;
  memory.tree_product.noalias() += memory.tree_mass * memory.chain->transfer_rate;
  out.noalias() = transfer.transpose() * memory.tree_product;
}

bool Mechanism::forward_dynamics(
  Workspace & workspace, const VectorIn & q, const VectorIn & dq, const VectorIn & tau,
  VectorOut ddq) const noexcept
{
  auto & memory = *workspace.memory_;
  // every term is a function of q and dq, or proportional to ddq and part of the mass matrix
  inverse_dynamics(workspace, q, dq, memory.zero.head(joint_count()), memory.bias);
  mass_matrix(workspace, q, memory.mass);
  memory.cholesky.compute(memory.mass);
  if (memory.cholesky.info() != Eigen::Success) {
    return false;
  }
  memory.bias = tau - memory.bias;
  memory.cholesky.solveInPlace(memory.bias);
  ddq = memory.bias;
  return true;
}

}  // namespace dynid
