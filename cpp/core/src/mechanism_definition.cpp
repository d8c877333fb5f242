#include "mechanism_definition.hpp"

#include <Eigen/LU>
#include <array>
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
      "The coupling matrix is singular, so that the motors' positions do not follow from the "
      "joints'.");
  }
  return coupling;
}

/// The body's inertia; its first moments must vanish with its mass.
Inertia body_inertia(const DynamicParameters & values)
{
  if (values[0] > 0.0) {
    return Inertia::FromDynamicParameters(values);
  }
  Eigen::Matrix3d moments;
  moments << values[4], values[5], values[7], values[5], values[6], values[8], values[7], values[8],
    values[9];
  return {0.0, Eigen::Vector3d::Zero(), pinocchio::Symmetric3(moments)};
}

std::string body_problem(const DynamicParameters & values, int number)
{
  const auto body = "Body " + std::to_string(number + 1);
  if (values[0] < 0.0) {
    return body + " has a negative mass, which recursive Newton-Euler dynamics cannot use.";
  }
  if (values[0] == 0.0 && !values.segment<3>(1).isZero(0.0)) {
    return body +
           " has first moments but no mass, which recursive Newton-Euler dynamics cannot "
           "use; use standard parameters, or the regressor.";
  }
  return {};
}

}  // namespace

Mechanism::Definition::Definition(const MechanismDescription & description)
: tree(read_urdf_tree(
    description.urdf_xml, description.joints, description.locked, description.gravity)),
  terms(description.terms),
  coupling(
    checked_coupling(description.coupling, static_cast<Eigen::Index>(description.joints.size()))),
  to_motor(coupling.inverse()),
  prismatic(description.joints.size())
{
  if (!description.gravity.allFinite()) {
    throw std::invalid_argument("Gravity has a component that is not a finite number.");
  }
  const auto joints = static_cast<Eigen::Index>(description.joints.size());
  const auto term_count = static_cast<Eigen::Index>(terms.size());
  check_terms(terms, static_cast<int>(joints));

  axes.setZero(joints, 3);
  may_depend.setZero(joints, 10 * joints + term_count);
  urdf_parameters.setZero(10 * joints + term_count);
  names.resize(description.joints.size() * 10);
  const auto & bodies = tree.kinematics.bodies;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const int number = bodies[b].number;
    prismatic[static_cast<std::size_t>(number)] = bodies[b].prismatic;
    axes.row(number) = bodies[b].axis.transpose();
    urdf_parameters.segment<10>(10 * number) = tree.model.inertias[b + 1].toDynamicParameters();
    for (int j = static_cast<int>(b); j >= 0; j = bodies[static_cast<std::size_t>(j)].parent) {
      const int row = bodies[static_cast<std::size_t>(j)].number;
      may_depend.row(row).segment(10 * number, 10).setConstant(true);
    }
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    names[i] = standard_parameters.at(i % 10).prefix + std::to_string(i / 10 + 1);
    units.emplace_back(standard_parameters.at(i % 10).unit);
  }
  const auto term_names = dynid::parameter_names(terms);
  names.insert(names.end(), term_names.begin(), term_names.end());
  term_rows.setZero(joints, term_count);
  for (Eigen::Index k = 0; k < term_count; ++k) {
    const auto & term = terms[static_cast<std::size_t>(k)];
    const bool linear = prismatic[static_cast<std::size_t>(term.joint)];
    units.emplace_back(linear ? term.kind->linear_unit : term.kind->rotary_unit);
    if (term.side == TermSide::motor) {
      any_motor_term = true;
      term_rows.col(k) = to_motor.row(term.joint).transpose();
    } else {
      term_rows(term.joint, k) = 1.0;
    }
    any_load_term = any_load_term || term.kind->loaded;
    memory_count += term.kind->remembers ? 1 : 0;
    may_depend.col(10 * joints + k) = (term_rows.col(k).array() != 0.0).matrix();
  }
  set_parameters(urdf_parameters);
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
    const DynamicParameters body = parameters.segment<10>(10 * bodies[b].number);
    tree.model.inertias[b + 1] = body_inertia(body);
    if (problem.empty()) {
      problem = body_problem(body, bodies[b].number);
    }
  }
  const auto joints = coupling.rows();
  term_inertia.setZero(joints, joints);
  for (std::size_t k = 0; k < terms.size(); ++k) {
    if (!terms[k].kind->inertial) {
      continue;
    }
    const auto column = static_cast<Eigen::Index>(k);
    // the product of the rows first, so that rounding keeps the sum exactly symmetric
    const Eigen::MatrixXd unit = term_rows.col(column) * term_rows.col(column).transpose();
    term_inertia += parameters[10 * joints + column] * unit;
  }
}

Workspace::Memory::Memory(const Mechanism::Definition & definition)
: data(definition.tree.model), motion(definition.tree.kinematics)
{
  const auto joints = definition.coupling.rows();
  for (auto * vector : {&q, &dq, &ddq, &zero, &motor_q, &motor_dq, &motor_ddq, &bias, &load}) {
    vector->setZero(joints);
  }
  term_values.setZero(static_cast<Eigen::Index>(definition.terms.size()));
  presliding.assign(static_cast<std::size_t>(definition.memory_count), Presliding{});
  gravity_rows.setZero(joints, 10 * joints);
  mass.setZero(joints, joints);
  cholesky = Eigen::LLT<Eigen::MatrixXd>(joints);
}

}  // namespace dynid
