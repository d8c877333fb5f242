#include "dynid/mechanism.hpp"

#include <stdexcept>
#include <utility>

#include "mechanism_definition.hpp"
#include "numbers.hpp"

namespace dynid
{

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

const std::vector<JointTerm> & Mechanism::terms() const noexcept { return definition_->terms; }

const std::vector<std::string> & Mechanism::body_joints() const noexcept
{
  return definition_->body_joints;
}

Eigen::Index Mechanism::payload_body() const noexcept { return definition_->payload_body; }

const std::vector<std::string> & Mechanism::moving_joints() const noexcept
{
  return definition_->joints;
}

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

void Mechanism::require_inertia() const
{
  if (definition_->semi_static) {
    throw std::invalid_argument(
      "The mechanism is semi-static: it has gravity and friction, but no mass matrix.");
  }
  require_rigid_bodies();
}

bool Mechanism::closed(const Workspace & workspace) const noexcept
{
  const auto & chain = workspace.memory_->chain;
  return !chain || chain->failure.kind == ClosureFailure::Kind::none;
}

std::string Mechanism::closure_problem(const Workspace & workspace, const VectorIn & q) const
{
  return closed(workspace) ? std::string{}
                           : definition_->chain->describe(workspace.memory_->chain->failure, q);
}

Workspace Mechanism::workspace() const
{
  return Workspace(std::make_unique<Workspace::Memory>(*definition_));
}

/// Positions, velocities and accelerations of all moving joints; NaN where loops cannot be closed.
Mechanism::TreeState Mechanism::tree_state(
  Workspace & workspace, const VectorIn & q, const VectorIn & dq,
  const VectorIn & ddq) const noexcept
{
  const auto & chain = definition_->chain;
  if (!chain) {
    return {q.data(), dq.data(), ddq.data()};
  }
  auto & all = *workspace.memory_->chain;
  chain->close(all, q);
  if (all.closed) {
    chain->move(all, dq, ddq);
  } else {
    all.dq.setConstant(nan);
    all.ddq = all.dq;
  }
  return {all.q.data(), all.dq.data(), all.ddq.data()};
}

void Mechanism::regressor(
  Workspace & workspace, const VectorIn & q, const VectorIn & dq, const VectorIn & ddq,
  MatrixOut out) const noexcept
{
  const auto & definition = *definition_;
  const auto state = tree_state(workspace, q, dq, ddq);
  if (!definition.chain) {
    write_rows(workspace, state, out);
    return;
  }
  auto & memory = *workspace.memory_;
  write_rows(workspace, state, memory.tree_rows);
  definition.chain->spread(*memory.chain);
  out.noalias() = memory.chain->transfer.transpose() * memory.tree_rows;
}

/// W of the moving joints, as if all of them were actuated.
void Mechanism::write_rows(
  Workspace & workspace, const TreeState & state, MatrixOut out) const noexcept
{
  auto & memory = *workspace.memory_;
  const auto & definition = *definition_;
  const double * const still = memory.zero.data();
  const bool moves = !definition.semi_static;
  out.setZero();
  rigid_body_rows(
    definition.tree.kinematics, memory.motion, state.q, moves ? state.dq : still,
    moves ? state.ddq : still, out.data(), out.outerStride(), placed_bodies(memory.chain.get()));
  evaluate_terms(workspace, state);
  const auto first = definition.first_term;
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

void Mechanism::add_products(
  Workspace & workspace, const VectorIn & q, const VectorIn & dq, const VectorIn & ddq,
  const RowMajorMatrix & vectors, MatrixOut products) const
{
  auto & memory = *workspace.memory_;
  const auto & definition = *definition_;
  const auto state = tree_state(workspace, q, dq, ddq);
  const double * const still = memory.zero.data();
  const bool moves = !definition.semi_static;
  memory.vectors = vectors;
  if (definition.chain) {
    definition.chain->spread(*memory.chain);
    memory.vectors = vectors * memory.chain->transfer.transpose();
  }
  memory.combined.resize(
    definition.tree.kinematics.bodies.size() * static_cast<std::size_t>(vectors.rows()));
  rigid_body_products(
    definition.tree.kinematics, memory.motion, state.q, moves ? state.dq : still,
    moves ? state.ddq : still, memory.vectors.data(), memory.vectors.cols(), memory.combined,
    products.data(), products.outerStride(), placed_bodies(memory.chain.get()));
  evaluate_terms(workspace, state);
  for (std::size_t k = 0; k < definition.terms.size(); ++k) {
    const auto & term = definition.terms[k];
    const auto column = static_cast<Eigen::Index>(k);
    const double value = memory.term_values[column];
    for (Eigen::Index c = 0; c < memory.vectors.rows(); ++c) {
      const double rate = term.side == TermSide::joint
                            ? memory.vectors(c, term.joint)
                            : memory.vectors.row(c).dot(definition.term_rows.col(column));
      products(c, definition.first_term + column) += rate * value;
    }
  }
}

/// Torque of the moving joints' bodies, as if all of these joints were actuated.
void Mechanism::tree_torque(
  Workspace & workspace, const TreeState & state, const VectorIn & parameters,
  VectorOut all) const noexcept
{
  auto & memory = *workspace.memory_;
  const double * const still = memory.zero.data();
  const bool moves = !definition_->semi_static;
  rigid_body_torque(
    definition_->tree.kinematics, memory.motion, state.q, moves ? state.dq : still,
    moves ? state.ddq : still, parameters.data(), all.data(), placed_bodies(memory.chain.get()));
}

void Mechanism::torque(
  Workspace & workspace, const VectorIn & q, const VectorIn & dq, const VectorIn & ddq,
  const VectorIn & parameters, VectorOut tau) const noexcept
{
  auto & memory = *workspace.memory_;
  const auto & chain = definition_->chain;
  const auto state = tree_state(workspace, q, dq, ddq);
  VectorOut all = chain ? VectorOut(memory.tree_tau) : tau;
  tree_torque(workspace, state, parameters, all);
  add_terms(workspace, state, parameters, all);
  if (chain) {
    chain->project(*memory.chain, all, tau);
  }
}

void Mechanism::gravity_torque(
  Workspace & workspace, const VectorIn & q, VectorOut tau) const noexcept
{
  gravity_torque(workspace, q, definition_->parameters, tau);
}

void Mechanism::gravity_torque(
  Workspace & workspace, const VectorIn & q, const VectorIn & parameters,
  VectorOut tau) const noexcept
{
  auto & memory = *workspace.memory_;
  const auto & chain = definition_->chain;
  const auto rest = memory.zero.head(joint_count());
  const auto state = tree_state(workspace, q, rest, rest);
  VectorOut all = chain ? VectorOut(memory.tree_tau) : tau;
  tree_torque(workspace, state, parameters, all);
  if (chain) {
    chain->project(*memory.chain, all, tau);
  }
}

void Mechanism::momentum(
  Workspace & workspace, const VectorIn & q, const VectorIn & dq, const VectorIn & parameters,
  VectorOut momentum, VectorOut gradient) const noexcept
{
  auto & memory = *workspace.memory_;
  const auto & definition = *definition_;
  if (definition.semi_static) {
    momentum.setZero();
    gravity_torque(workspace, q, parameters, gradient);
    gradient = -gradient;
    return;
  }
  const auto joints = memory.zero.size();
  const auto state = tree_state(workspace, q, dq, memory.zero.head(joint_count()));
  const Eigen::Map<const Eigen::VectorXd> velocity(state.dq, joints);
  VectorOut all = definition.chain ? VectorOut(memory.tree_tau) : momentum;
  VectorOut change = definition.chain ? VectorOut(memory.tree_gradient) : gradient;
  rigid_body_momentum(
    definition.tree.kinematics, memory.motion, state.q, state.dq, parameters.data(), all.data(),
    change.data(), placed_bodies(memory.chain.get()));
  if (definition.any_motor_term) {
    all.noalias() += definition.term_inertia * velocity;
  } else {
    all += definition.term_inertia.diagonal().cwiseProduct(velocity);  // nothing else is not 0
  }
  if (definition.chain) {
    // T(q_a, dq_a) also depends on G: d(T - U)/dq_a = G^T d(T - U)/dq + dG/dt^T p
    definition.chain->project_rate(*memory.chain, all, memory.bias);
    definition.chain->project(*memory.chain, change, gradient);
    gradient += memory.bias;
    definition.chain->project(*memory.chain, all, momentum);
  }
}

void Mechanism::inverse_dynamics(
  Workspace & workspace, const VectorIn & q, const VectorIn & dq, const VectorIn & ddq,
  VectorOut tau) const noexcept
{
  torque(workspace, q, dq, ddq, definition_->parameters, tau);
}

}  // namespace dynid
