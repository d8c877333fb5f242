#include "dynid/dynamics_parts.hpp"

#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

namespace dynid
{
namespace
{

/// The mechanism, if its torque has these parts.
Mechanism divisible(Mechanism mechanism)
{
  if (static_cast<Eigen::Index>(mechanism.moving_joints().size()) != mechanism.joint_count()) {
    throw std::invalid_argument(
      "The robot is a closed chain, whose torque is not divided into parts; use an open chain.");
  }
  for (const auto & term : mechanism.terms()) {
    if (term.kind->dissipative() && (term.kind->loaded || term.kind->has_memory())) {
      throw std::invalid_argument(
        "The model has '" + std::string(term.kind->name) +
        "' friction, which depends on more than the velocity; identify it with other terms.");
    }
  }
  mechanism.require_inertia();
  return mechanism;
}

}  // namespace

Eigen::VectorXd frictionless_parameters(const Mechanism & mechanism)
{
  Eigen::VectorXd parameters = mechanism.parameters();
  auto parameter = parameters.size() - static_cast<Eigen::Index>(mechanism.terms().size());
  for (const auto & term : mechanism.terms()) {
    if (term.kind->dissipative()) {
      parameters[parameter] = 0.0;
    }
    ++parameter;
  }
  return parameters;
}

DynamicsParts::DynamicsParts(Mechanism mechanism)
: mechanism_(divisible(std::move(mechanism))),
  workspace_(mechanism_.workspace()),
  frictionless_(frictionless_parameters(mechanism_)),
  friction_(mechanism_.parameters() - frictionless_)
{
  zero_.setZero(mechanism_.joint_count());
}

Eigen::VectorXd DynamicsParts::evaluate(
  const VectorIn & q, const VectorIn & dq, const VectorIn & ddq,
  const Eigen::VectorXd & parameters) const
{
  for (const auto * vector : {&q, &dq, &ddq}) {
    if (vector->size() != joint_count()) {
      throw std::invalid_argument(
        "A vector has " + std::to_string(vector->size()) + " values, but must have " +
        std::to_string(joint_count()) + ", one for each joint.");
    }
  }
  Eigen::VectorXd tau(joint_count());
  mechanism_.torque(workspace_, q, dq, ddq, parameters, tau);
  return tau;
}

Eigen::MatrixXd DynamicsParts::inertia(const VectorIn & q) const
{
  std::ignore = evaluate(q, zero_, zero_, frictionless_);  // checks the size
  RowMajorMatrix mass(joint_count(), joint_count());
  mechanism_.mass_matrix(workspace_, q, mass);
  return mass;
}

Eigen::VectorXd DynamicsParts::coriolis(const VectorIn & q, const VectorIn & dq) const
{
  return evaluate(q, dq, zero_, frictionless_) - gravity(q);
}

Eigen::VectorXd DynamicsParts::gravity(const VectorIn & q) const
{
  return evaluate(q, zero_, zero_, frictionless_);
}

Eigen::VectorXd DynamicsParts::friction(const VectorIn & dq) const
{
  return evaluate(zero_, dq, zero_, friction_);
}

Eigen::VectorXd DynamicsParts::torque(
  const VectorIn & q, const VectorIn & dq, const VectorIn & ddq) const
{
  return evaluate(q, dq, ddq, frictionless_);
}

}  // namespace dynid
