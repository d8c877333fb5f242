#include "mechanism_definition.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

namespace dynid
{
namespace
{

using pinocchio::Inertia;
using DynamicParameters = Eigen::Matrix<double, 10, 1>;

struct StandardParameter
{
  const char * prefix;
  const char * unit;
};

// pinocchio's order, SYMORO's names
constexpr std::array<StandardParameter, 10> standard_parameters{
  {{"M", "kg"},
   {"MX", "kg*m"},
   {"MY", "kg*m"},
   {"MZ", "kg*m"},
   {"XX", "kg*m^2"},
   {"XY", "kg*m^2"},
   {"YY", "kg*m^2"},
   {"XZ", "kg*m^2"},
   {"YZ", "kg*m^2"},
   {"ZZ", "kg*m^2"}}};

Eigen::MatrixXd checked_coupling(const Eigen::MatrixXd & coupling, Eigen::Index joints)
{
  if (coupling.size() == 0) {
    return Eigen::MatrixXd::Identity(joints, joints);
  }
  const auto size = std::to_string(joints);
  if (coupling.rows() != joints || coupling.cols() != joints) {
    throw std::invalid_argument(
      "The coupling matrix is " + std::to_string(coupling.rows()) + " x " +
      std::to_string(coupling.cols()) + ", but must be " + size + " x " + size +
      ", one row for each joint and one column for each motor.");
  }
  if (!coupling.allFinite()) {
    throw std::invalid_argument("The coupling matrix has an entry that is not a finite number.");
  }
  if (!Eigen::FullPivLU<Eigen::MatrixXd>(coupling).isInvertible()) {
    throw std::invalid_argument(
      "The coupling matrix is singular, so motor positions cannot be computed from joint "
      "positions.");
  }
  return coupling;
}

/// The body's inertia; its first moments must vanish with its mass, which may be negative: torque
/// is linear in the parameters, and those of an estimate need not be physically consistent.
Inertia body_inertia(const DynamicParameters & values)
{
  if (values[0] != 0.0) {
    return Inertia::FromDynamicParameters(values);
  }
  Eigen::Matrix3d moments;
  moments << values[4], values[5], values[7], values[5], values[6], values[8], values[7], values[8],
    values[9];
  return {0.0, Eigen::Vector3d::Zero(), pinocchio::Symmetric3(moments)};
}

std::string body_problem(const DynamicParameters & values, int number)
{
  if (values[0] == 0.0 && !values.segment<3>(1).isZero(0.0)) {
    return "Body " + std::to_string(number + 1) +
           " has first moments but no mass, which recursive Newton-Euler dynamics cannot "
           "use; use standard parameters, or the regressor.";
  }
  return {};
}

PlainColumn plain_column(const TermKind & kind)
{
  const auto & formula = kind.formula;
  return formula == "1"   ? PlainColumn::one
         : formula == "q" ? PlainColumn::position
         : formula == "v" ? PlainColumn::velocity
         : formula == "a" ? PlainColumn::acceleration
                          : PlainColumn::none;
}

}  // namespace

TermStep::TermStep(const JointTerm & term)
: plain(-1),
  at_motor(term.side == TermSide::motor),
  remembers(term.kind->has_memory()),
  joint(term.joint)
{
  const auto column = plain_column(*term.kind);
  if (column != PlainColumn::none) {
    plain = static_cast<int>(column) + (at_motor ? plain_columns : 0);
  }
}

Mechanism::Definition::Definition(const MechanismDescription & description)
: tree(read_urdf_tree(description)),
  joints(dynid::moving_joints(description)),
  semi_static(description.semi_static),
  terms(description.terms),
  coupling(
    checked_coupling(description.coupling, static_cast<Eigen::Index>(description.joints.size()))),
  to_motor(coupling.inverse()),
  prismatic(description.joints.size())
{
  if (!description.gravity.allFinite()) {
    throw std::invalid_argument("Gravity has a component that is not a finite number.");
  }
  check_terms(terms, static_cast<int>(joints.size()), static_cast<int>(description.joints.size()));
  name_bodies(description);
  name_terms();
  if (!description.chain.passive.empty()) {
    chain =
      std::make_shared<const ClosedChain>(tree.kinematics, tree.links, description.chain, joints);
  }
  find_dependence();
  set_parameters(urdf_parameters);
}

/// Bodies that have parameters, their names, axes and the URDF's values.
void Mechanism::Definition::name_bodies(const MechanismDescription & description)
{
  const auto & bodies = tree.kinematics.bodies;
  for (const auto & body : bodies) {
    first_term += body.block >= 0 ? 10 : 0;
  }
  const auto count = first_term / 10;
  body_joints.resize(static_cast<std::size_t>(count));
  axes.setZero(count, 3);
  urdf_parameters.setZero(first_term + static_cast<Eigen::Index>(terms.size()));
  names.resize(static_cast<std::size_t>(first_term));
  units.resize(names.size());
  const auto & payload_joint = description.payload_joint;
  payload_body =
    payload_joint.empty() ? static_cast<Eigen::Index>(description.joints.size()) - 1 : -1;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const auto number = static_cast<std::size_t>(bodies[b].number);
    if (number < prismatic.size()) {
      prismatic[number] = bodies[b].prismatic;
    }
    if (bodies[b].block < 0) {
      continue;
    }
    const auto block = static_cast<std::size_t>(bodies[b].block);
    const auto row = static_cast<Eigen::Index>(block);
    body_joints[block] = joints[number];
    payload_body = joints[number] == payload_joint ? row : payload_body;
    axes.row(row) = bodies[b].axis.transpose();
    urdf_parameters.segment<10>(10 * row) = tree.model.inertias[b + 1].toDynamicParameters();
    for (std::size_t i = 0; i < 10; ++i) {
      names[10 * block + i] = standard_parameters.at(i).prefix + std::to_string(number + 1);
      units[10 * block + i] = standard_parameters.at(i).unit;
    }
  }
  if (payload_body < 0) {
    throw std::invalid_argument(
      "The payload would be at joint '" + payload_joint +
      "', which does not move a body with mass; name the joint of the body that carries it.");
  }
}

void Mechanism::Definition::name_terms()
{
  const auto term_names = dynid::parameter_names(terms);
  names.insert(names.end(), term_names.begin(), term_names.end());
  const auto term_count = static_cast<Eigen::Index>(terms.size());
  term_rows.setZero(static_cast<Eigen::Index>(joints.size()), term_count);
  largest_dry.setZero(term_count, 2);
  std::vector<bool> slides(joints.size());
  for (const auto & body : tree.kinematics.bodies) {
    slides[static_cast<std::size_t>(body.number)] = body.prismatic;
  }
  for (Eigen::Index k = 0; k < term_count; ++k) {
    const auto & term = terms[static_cast<std::size_t>(k)];
    term_steps.emplace_back(term);
    const bool linear = slides[static_cast<std::size_t>(term.joint)];
    units.emplace_back(linear ? term.kind->linear_unit : term.kind->rotary_unit);
    if (term.side == TermSide::motor) {
      any_motor_term = true;
      term_rows.col(k).head(to_motor.cols()) = to_motor.row(term.joint).transpose();
    } else {
      term_rows(term.joint, k) = 1.0;
    }
    largest_dry.row(k) << term.largest_dry_friction(1.0), term.largest_dry_friction(-1.0);
    any_load_term = any_load_term || term.kind->loaded;
    memory_count += term.kind->has_memory() ? 1 : 0;
  }
}

/// In a closed chain, a body behind a passive joint may load every actuated one.
void Mechanism::Definition::find_dependence()
{
  const auto moving = static_cast<Eigen::Index>(joints.size());
  Eigen::Matrix<bool, Eigen::Dynamic, Eigen::Dynamic> all;
  all.setZero(moving, urdf_parameters.size());
  const auto & bodies = tree.kinematics.bodies;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    for (int j = static_cast<int>(b); bodies[b].block >= 0 && j >= 0;
         j = bodies[static_cast<std::size_t>(j)].parent) {
      const int row = bodies[static_cast<std::size_t>(j)].number;
      all.row(row).segment(10 * bodies[b].block, 10).setConstant(true);
    }
  }
  all.rightCols(term_rows.cols()) = (term_rows.array() != 0.0).matrix();
  const auto actuated = coupling.rows();
  may_depend = all.topRows(actuated);
  for (Eigen::Index passive = actuated; passive < moving; ++passive) {
    may_depend = may_depend || all.row(passive).replicate(actuated, 1);
  }
}

void Mechanism::Definition::set_parameters(const VectorIn & values)
{
  if (values.size() != urdf_parameters.size()) {
    throw std::invalid_argument(
      "The mechanism has " + std::to_string(urdf_parameters.size()) + " parameters, but got " +
      std::to_string(values.size()) + ".");
  }
  if (!values.allFinite()) {
    throw std::invalid_argument("A parameter is not a finite number.");
  }
  parameters = values;
  problem.clear();
  const auto & bodies = tree.kinematics.bodies;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    if (bodies[b].block < 0) {
      continue;
    }
    const DynamicParameters body = parameters.segment<10>(10 * bodies[b].block);
    tree.model.inertias[b + 1] = body_inertia(body);
    if (problem.empty()) {
      problem = body_problem(body, bodies[b].number);
    }
  }
  term_inertia.setZero(term_rows.rows(), term_rows.rows());
  for (std::size_t k = 0; k < terms.size(); ++k) {
    if (!terms[k].kind->inertial()) {
      continue;
    }
    const auto column = static_cast<Eigen::Index>(k);
    // the product of the rows first, so that rounding keeps the sum exactly symmetric
    const Eigen::MatrixXd unit = term_rows.col(column) * term_rows.col(column).transpose();
    term_inertia += parameters[first_term + column] * unit;
  }
  sum_dry_friction();
}

/// What of the largest dry friction of the actuated joints does not depend on the motion.
void Mechanism::Definition::sum_dry_friction()
{
  const auto n = coupling.rows();
  dry_forwards.setZero(n);
  dry_backwards.setZero(n);
  loaded_dry.clear();
  for (std::size_t k = 0; k < terms.size(); ++k) {
    const auto & term = terms[k];
    const auto column = static_cast<Eigen::Index>(k);
    const double size = std::abs(parameters[first_term + column]);
    const double forwards = size * largest_dry(column, 0);
    const double backwards = size * largest_dry(column, 1);
    if (term.side == TermSide::motor) {
      // a motor's direction is not that of each joint it acts on
      const auto rows = term_rows.col(column).head(n).cwiseAbs();
      dry_forwards += std::max(forwards, backwards) * rows;
      dry_backwards += std::max(forwards, backwards) * rows;
    } else if (term.joint < n && term.kind->loaded) {
      loaded_dry.push_back(column);
    } else if (term.joint < n) {
      dry_forwards[term.joint] += forwards;
      dry_backwards[term.joint] += backwards;
    }
  }
  dry_either = dry_forwards.cwiseMax(dry_backwards);
}

Workspace::Memory::Memory(const Mechanism::Definition & definition)
: data(definition.tree.model), motion(definition.tree.kinematics)
{
  const auto moving = static_cast<Eigen::Index>(definition.joints.size());
  const auto actuated = definition.coupling.rows();
  for (auto * vector : {&q, &dq, &zero, &tree_q, &tree_tau, &tree_gradient, &load}) {
    vector->setZero(moving);
  }
  one.setOnes(moving);
  for (auto * vector : {&motor_q, &motor_dq, &motor_ddq, &bias}) {
    vector->setZero(actuated);
  }
  for (auto * matrix : {&tree_mass, &tree_coriolis}) {
    matrix->setZero(moving, moving);
  }
  term_values.setZero(static_cast<Eigen::Index>(definition.terms.size()));
  presliding.assign(static_cast<std::size_t>(definition.memory_count), Presliding{});
  gravity_rows.setZero(moving, definition.first_term);
  mass.setZero(actuated, actuated);
  cholesky = Eigen::LLT<Eigen::MatrixXd>(actuated);
  if (definition.chain) {
    chain = std::make_unique<ClosedChain::Memory>(*definition.chain);
    tree_rows.setZero(moving, definition.parameters.size());
    tree_product.setZero(moving, actuated);
  }
}

}  // namespace dynid
