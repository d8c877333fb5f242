#include "dynid/mechanism.hpp"

#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <stdexcept>
#include <utility>

#include "mechanism_definition.hpp"

namespace dynid
{
namespace
{

/// Drive order to pinocchio's.
void reorder(const std::vector<int> & order, const VectorIn & from, Eigen::VectorXd & to) noexcept
{
  for (std::size_t i = 0; i < order.size(); ++i) {
    to[static_cast<Eigen::Index>(i)] = from[order[i]];
  }
}

/// Pinocchio's order to drive order.
void restore(const std::vector<int> & order, const Eigen::VectorXd & from, VectorOut to) noexcept
{
  for (std::size_t i = 0; i < order.size(); ++i) {
    to[order[i]] = from[static_cast<Eigen::Index>(i)];
  }
}

}  // namespace

Workspace::Workspace(std::unique_ptr<Memory> memory) noexcept : memory_(std::move(memory)) {}
Workspace::Workspace(Workspace && other) noexcept = default;
Workspace & Workspace::operator=(Workspace && other) noexcept = default;
Workspace::~Workspace() = default;

std::vector<Presliding> & Workspace::presliding() noexcept { return memory_->presliding; }

Mechanism::Mechanism(const MechanismDescription & description)
: definition_(std::make_shared<const Definition>(description))
{
}

Mechanism::Mechanism(std::shared_ptr<const Definition> definition) noexcept
: definition_(std::move(definition))
{
}

Mechanism Mechanism::with_parameters(const VectorIn & parameters) const
{
  auto changed = std::make_shared<Definition>(*definition_);
  changed->set_parameters(parameters);
  return Mechanism(std::move(changed));
}

Eigen::Index Mechanism::joint_count() const noexcept { return definition_->coupling.rows(); }

Eigen::Index Mechanism::parameter_count() const noexcept { return definition_->parameters.size(); }

const std::vector<std::string> & Mechanism::parameter_names() const noexcept
{
  return definition_->names;
}

const std::vector<std::string> & Mechanism::parameter_units() const noexcept
{
  return definition_->units;
}

const Eigen::VectorXd & Mechanism::parameters() const noexcept { return definition_->parameters; }

const Eigen::VectorXd & Mechanism::urdf_parameters() const noexcept
{
  return definition_->urdf_parameters;
}

const Eigen::MatrixXd & Mechanism::coupling() const noexcept { return definition_->coupling; }

const std::vector<bool> & Mechanism::prismatic() const noexcept { return definition_->prismatic; }

const Eigen::MatrixXd & Mechanism::axes() const noexcept { return definition_->axes; }

Eigen::Index Mechanism::memory_count() const noexcept { return definition_->memory_count; }

bool Mechanism::may_depend(Eigen::Index row, Eigen::Index column) const noexcept
{
  return definition_->may_depend(row, column);
}

void Mechanism::require_rigid_bodies() const
{
  if (!definition_->problem.empty()) {
    throw std::invalid_argument(definition_->problem);
  }
}

Workspace Mechanism::workspace() const
{
  return Workspace(std::make_unique<Workspace::Memory>(*definition_));
}

void Mechanism::regressor(
  Workspace & workspace, const VectorIn & q, const VectorIn & dq, const VectorIn & ddq,
  MatrixOut out) const noexcept
{
  auto & memory = *workspace.memory_;
  const auto & definition = *definition_;
  out.setZero();
  rigid_body_rows(
    definition.tree.kinematics, memory.motion, q.data(), dq.data(), ddq.data(), out.data(),
    out.outerStride());
  evaluate_terms(workspace, q, dq, ddq);
  const auto first = 10 * joint_count();
  for (std::size_t k = 0; k < definition.terms.size(); ++k) {
    const auto & term = definition.terms[k];
    const auto column = static_cast<Eigen::Index>(k);
    if (term.side == TermSide::joint) {
      out(term.joint, first + column) = memory.term_values[column];
    } else {
      out.col(first + column) = memory.term_values[column] * definition.term_rows.col(column);
    }
  }
}

void Mechanism::torque(
  Workspace & workspace, const VectorIn & q, const VectorIn & dq, const VectorIn & ddq,
  const VectorIn & parameters, VectorOut tau) const noexcept
{
  const auto & tree = definition_->tree.kinematics;
  rigid_body_torque(
    tree, workspace.memory_->motion, q.data(), dq.data(), ddq.data(), parameters.data(),
    tau.data());
  add_terms(workspace, q, dq, ddq, parameters, tau);
}

void Mechanism::momentum(
  Workspace & workspace, const VectorIn & q, const VectorIn & dq, const VectorIn & parameters,
  VectorOut momentum, VectorOut gradient) const noexcept
{
  auto & memory = *workspace.memory_;
  const auto & definition = *definition_;
  rigid_body_momentum(
    definition.tree.kinematics, memory.motion, q.data(), dq.data(), parameters.data(),
    momentum.data(), gradient.data());
  momentum.noalias() += definition.term_inertia * dq;
}

void Mechanism::advance(Workspace & workspace, const VectorIn & q) const noexcept
{
  auto & memory = *workspace.memory_;
  const auto & definition = *definition_;
  if (definition.memory_count == 0) {
    return;
  }
  if (definition.any_motor_term) {
    memory.motor_q.noalias() = definition.to_motor * q;
  }
  std::size_t next = 0;
  for (const auto & term : definition.terms) {
    if (term.kind->remembers) {
      const bool at_joint = term.side == TermSide::joint;
      const double position = at_joint ? q[term.joint] : memory.motor_q[term.joint];
      memory.presliding[next++].move(term, position);
    }
  }
}

void Mechanism::evaluate_terms(
  Workspace & workspace, const VectorIn & q, const VectorIn & dq,
  const VectorIn & ddq) const noexcept
{
  auto & memory = *workspace.memory_;
  const auto & definition = *definition_;
  if (definition.any_motor_term) {
    memory.motor_q.noalias() = definition.to_motor * q;
    memory.motor_dq.noalias() = definition.to_motor * dq;
    memory.motor_ddq.noalias() = definition.to_motor * ddq;
  }
  if (definition.any_load_term) {
    rigid_body_rows(
      definition.tree.kinematics, memory.motion, q.data(), memory.zero.data(), memory.zero.data(),
      memory.gravity_rows.data(), memory.gravity_rows.outerStride());
    memory.load.noalias() = memory.gravity_rows * definition.parameters.head(10 * joint_count());
  }
  std::size_t next = 0;
  for (std::size_t k = 0; k < definition.terms.size(); ++k) {
    const auto & term = definition.terms[k];
    const auto j = term.joint;
    TermInput at{q[j], dq[j], ddq[j], memory.load[j], 0.0};
    if (term.side == TermSide::motor) {
      at = {memory.motor_q[j], memory.motor_dq[j], memory.motor_ddq[j], 0.0, 0.0};
    }
    if (term.kind->remembers) {
      at.deflection = memory.presliding[next++].move(term, at.q);
    }
    memory.term_values[static_cast<Eigen::Index>(k)] = term.kind->column(term, at);
  }
}

void Mechanism::add_terms(
  Workspace & workspace, const VectorIn & q, const VectorIn & dq, const VectorIn & ddq,
  const VectorIn & parameters, VectorOut tau) const noexcept
{
  auto & memory = *workspace.memory_;
  const auto & definition = *definition_;
  evaluate_terms(workspace, q, dq, ddq);
  const auto first = 10 * joint_count();
  for (std::size_t k = 0; k < definition.terms.size(); ++k) {
    const auto & term = definition.terms[k];
    const auto column = static_cast<Eigen::Index>(k);
    const double torque = parameters[first + column] * memory.term_values[column];
    if (term.side == TermSide::joint) {
      tau[term.joint] += torque;
    } else {
      tau += torque * definition.term_rows.col(column);
    }
  }
}

void Mechanism::inverse_dynamics(
  Workspace & workspace, const VectorIn & q, const VectorIn & dq, const VectorIn & ddq,
  VectorOut tau) const noexcept
{
  torque(workspace, q, dq, ddq, definition_->parameters, tau);
}

void Mechanism::term_torque(
  Workspace & workspace, const VectorIn & q, const VectorIn & dq, const VectorIn & ddq,
  VectorOut tau) const noexcept
{
  tau.setZero();
  add_terms(workspace, q, dq, ddq, definition_->parameters, tau);
}

void Mechanism::gravity_torque(
  Workspace & workspace, const VectorIn & q, VectorOut tau) const noexcept
{
  auto & memory = *workspace.memory_;
  const auto & tree = definition_->tree;
  reorder(tree.order, q, memory.q);
  pinocchio::computeGeneralizedGravity(tree.model, memory.data, memory.q);
  restore(tree.order, memory.data.g, tau);
}

void Mechanism::mass_matrix(Workspace & workspace, const VectorIn & q, MatrixOut out) const noexcept
{
  auto & memory = *workspace.memory_;
  const auto & tree = definition_->tree;
  reorder(tree.order, q, memory.q);
  pinocchio::crba(tree.model, memory.data, memory.q, pinocchio::Convention::LOCAL);
  for (std::size_t i = 0; i < tree.order.size(); ++i) {
    for (std::size_t j = i; j < tree.order.size(); ++j) {
      // crba fills the upper triangle only
      const double entry =
        memory.data.M(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
      out(tree.order[i], tree.order[j]) = entry;
      out(tree.order[j], tree.order[i]) = entry;
    }
  }
  out += definition_->term_inertia;
}

void Mechanism::coriolis_matrix(
  Workspace & workspace, const VectorIn & q, const VectorIn & dq, MatrixOut out) const noexcept
{
  auto & memory = *workspace.memory_;
  const auto & tree = definition_->tree;
  reorder(tree.order, q, memory.q);
  reorder(tree.order, dq, memory.dq);
  pinocchio::computeCoriolisMatrix(tree.model, memory.data, memory.q, memory.dq);
  for (std::size_t i = 0; i < tree.order.size(); ++i) {
    for (std::size_t j = 0; j < tree.order.size(); ++j) {
      out(tree.order[i], tree.order[j]) =
        memory.data.C(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
    }
  }
}

bool Mechanism::forward_dynamics(
  Workspace & workspace, const VectorIn & q, const VectorIn & dq, const VectorIn & tau,
  VectorOut ddq) const noexcept
{
  auto & memory = *workspace.memory_;
  // every term is a function of q and dq, or proportional to ddq and then in the mass matrix
  inverse_dynamics(workspace, q, dq, memory.zero, memory.bias);
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
