// The joint and motor terms of a mechanism.

#include <algorithm>
#include <array>

#include "mechanism_definition.hpp"

namespace dynid
{

void Mechanism::advance(
  Workspace & workspace, const VectorIn & q, const VectorIn & dq) const noexcept
{
  auto & memory = *workspace.memory_;
  const auto & definition = *definition_;
  if (definition.memory_count == 0) {
    return;
  }
  const auto state = tree_state(workspace, q, dq, memory.zero.head(joint_count()));
  if (definition.any_motor_term) {
    memory.motor_q.noalias() = definition.to_motor * q;
    memory.motor_dq.noalias() = definition.to_motor * dq;
  }
  std::size_t next = 0;
  for (const auto & term : definition.terms) {
    if (term.kind->has_memory()) {
      const bool at_joint = term.side == TermSide::joint;
      const double position = at_joint ? state.q[term.joint] : memory.motor_q[term.joint];
      const double velocity = at_joint ? state.dq[term.joint] : memory.motor_dq[term.joint];
      memory.presliding[next++].move(term, position, velocity);
    }
  }
}

void Mechanism::reset_memory(Workspace & workspace) const noexcept
{
  auto & all = workspace.memory_->presliding;
  std::fill(all.begin(), all.end(), Presliding{});
}

/// Calls use(step, k, value) for every term: its torque per unit of its parameter.
template <typename Use>
void Mechanism::for_each_term(
  Workspace & workspace, const TreeState & state, const Use & use) const noexcept
{
  auto & memory = *workspace.memory_;
  const auto & definition = *definition_;
  if (definition.any_motor_term) {
    using Actuated = Eigen::Map<const Eigen::VectorXd>;
    memory.motor_q.noalias() = definition.to_motor * Actuated(state.q, joint_count());
    memory.motor_dq.noalias() = definition.to_motor * Actuated(state.dq, joint_count());
    memory.motor_ddq.noalias() = definition.to_motor * Actuated(state.ddq, joint_count());
  }
  if (definition.any_load_term) {
    rigid_body_rows(
      definition.tree.kinematics, memory.motion, state.q, memory.zero.data(), memory.zero.data(),
      memory.gravity_rows.data(), memory.gravity_rows.outerStride(),
      placed_bodies(memory.chain.get()));
    memory.load.noalias() = memory.gravity_rows * definition.parameters.head(definition.first_term);
  }
  const double * const still = memory.zero.data();
  const bool moves = !definition.semi_static;
  const TreeState joints{state.q, state.dq, moves ? state.ddq : still};
  const TreeState motors{
    memory.motor_q.data(), memory.motor_dq.data(), moves ? memory.motor_ddq.data() : still};
  const double * const one = memory.one.data();
  // in the order of PlainColumn
  const std::array<const double *, 2 * TermStep::plain_columns> plain{
    {one, joints.q, joints.dq, joints.ddq, one, motors.q, motors.dq, motors.ddq}};
  std::size_t next = 0;
  const TermStep * const steps = definition.term_steps.data();
  const std::size_t count = definition.term_steps.size();
  for (std::size_t k = 0; k < count; ++k) {
    const TermStep & step = steps[k];
    const auto j = step.joint;
    if (step.plain >= 0) {
      use(step, k, plain[static_cast<std::size_t>(step.plain)][j]);
      continue;
    }
    const auto & term = definition.terms[k];
    const auto & moved = step.at_motor ? motors : joints;
    const double load = step.at_motor ? 0.0 : memory.load[j];
    TermInput at{moved.q[j], moved.dq[j], moved.ddq[j], load, 0.0};
    if (step.remembers) {
      at.deflection = memory.presliding[next++].move(term, at.q, at.dq);
    }
    use(step, k, term.kind->column(term, at));
  }
}

/// Fills the workspace's term_values: torque of each term per unit of its parameter.
void Mechanism::evaluate_terms(Workspace & workspace, const TreeState & state) const noexcept
{
  double * const values = workspace.memory_->term_values.data();
  for_each_term(workspace, state, [values](const TermStep &, std::size_t k, double value) {
    values[k] = value;
  });
}

void Mechanism::add_terms(
  Workspace & workspace, const TreeState & state, const VectorIn & parameters,
  VectorOut tau) const noexcept
{
  const auto & definition = *definition_;
  const double * const factors = parameters.data() + definition.first_term;
  double * const torques = tau.data();
  for_each_term(workspace, state, [&](const TermStep & step, std::size_t k, double value) {
    const double torque = factors[k] * value;
    if (step.at_motor) {
      tau += torque * definition.term_rows.col(static_cast<Eigen::Index>(k));
    } else {
      torques[step.joint] += torque;
    }
  });
}

void Mechanism::dry_friction(Workspace & workspace, VectorOut tau) const noexcept
{
  auto & memory = *workspace.memory_;
  const auto & definition = *definition_;
  if (definition.loaded_dry.empty()) {
    tau = definition.dry_either;
    return;
  }
  auto & backward = memory.bias;
  tau = definition.dry_forwards;
  backward = definition.dry_backwards;
  for (const auto column : definition.loaded_dry) {
    const auto & term = definition.terms[static_cast<std::size_t>(column)];
    const double size =
      std::abs(memory.load[term.joint] * definition.parameters[definition.first_term + column]);
    tau[term.joint] += size * definition.largest_dry(column, 0);
    backward[term.joint] += size * definition.largest_dry(column, 1);
  }
  tau = tau.cwiseMax(backward);
}

void Mechanism::term_torque(
  Workspace & workspace, const VectorIn & q, const VectorIn & dq, const VectorIn & ddq,
  VectorOut tau) const noexcept
{
  term_torque(workspace, q, dq, ddq, definition_->parameters, tau);
}

void Mechanism::term_torque(
  Workspace & workspace, const VectorIn & q, const VectorIn & dq, const VectorIn & ddq,
  const VectorIn & parameters, VectorOut tau) const noexcept
{
  auto & memory = *workspace.memory_;
  const auto & chain = definition_->chain;
  const auto state = tree_state(workspace, q, dq, ddq);
  VectorOut all = chain ? VectorOut(memory.tree_tau) : tau;
  all.setZero();
  add_terms(workspace, state, parameters, all);
  if (chain) {
    chain->project(*memory.chain, all, tau);
  }
}

}  // namespace dynid
