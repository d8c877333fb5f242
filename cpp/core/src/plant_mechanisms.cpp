#include "plant_mechanisms.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace dynid
{
namespace
{

/// The mechanism with true parameters and those of its terms that `keep` selects. Terms of dry
/// friction are for DryFriction to compute, and never kept.
template <typename Keep>
Mechanism with_terms(
  const MechanismDescription & description, const VectorIn & parameters, const Keep & keep)
{
  auto simulated = description;
  simulated.terms.clear();
  for (const auto & term : description.terms) {
    if (term.kind == nullptr || keep(term)) {
      simulated.terms.push_back(term);
    }
  }
  const Mechanism mechanism(simulated);
  check_terms(
    description.terms, static_cast<int>(mechanism.moving_joints().size()),
    static_cast<int>(mechanism.joint_count()));
  const auto first =
    mechanism.parameter_count() - static_cast<Eigen::Index>(simulated.terms.size());
  const auto count = static_cast<Eigen::Index>(description.terms.size());
  if (parameters.size() != first + count || !parameters.allFinite()) {
    return Mechanism(description).with_parameters(parameters);  // throws with a sentence
  }
  Eigen::VectorXd smooth = parameters.head(mechanism.parameter_count());
  Eigen::Index kept = first;
  for (Eigen::Index k = 0; k < count; ++k) {
    const auto & term = description.terms[static_cast<std::size_t>(k)];
    if (keep(term)) {
      smooth[kept++] = parameters[first + k];
    } else if (
      term.kind->dry() && term.joint >= mechanism.joint_count() && parameters[first + k] != 0.0) {
      throw std::invalid_argument(
        Mechanism(description).parameter_names()[static_cast<std::size_t>(first + k)] +
        " is dry friction of a passive joint, which cannot be simulated; set it to 0.");
    }
  }
  for (Eigen::Index body = 0; body < first / 10; ++body) {
    if (parameters[10 * body] < 0.0) {
      throw std::invalid_argument(
        "Body " + std::to_string(body + 1) + " has a negative mass, which cannot be simulated.");
    }
  }
  auto bodies = mechanism.with_parameters(smooth);
  bodies.require_rigid_bodies();
  return bodies;
}

/// Whether a term is friction of a motor, not of a passive joint.
bool of_motor(const MechanismDescription & description, const JointTerm & term)
{
  return term.kind->dissipative() && term.joint < static_cast<int>(description.joints.size());
}

}  // namespace

Mechanism link_mechanism(
  const MechanismDescription & description, const VectorIn & parameters, const ElasticGears & gears)
{
  const auto n = static_cast<int>(description.joints.size());
  return with_terms(description, parameters, [&](const JointTerm & term) {
    if (!gears.any()) {
      return !term.kind->dry();
    }
    const bool moved = term.kind->inertial() && term.joint < n && gears.elastic(term.joint);
    return !term.kind->dry() && !of_motor(description, term) && !moved;
  });
}

Mechanism motor_mechanism(const MechanismDescription & description, const VectorIn & parameters)
{
  return with_terms(description, parameters, [&](const JointTerm & term) {
    return of_motor(description, term) && !term.kind->dry();
  });
}

void check_coupling(const MechanismDescription & description, const ElasticGears & gears)
{
  const auto & coupling = description.coupling;
  for (Eigen::Index j = 0; gears.any() && j < coupling.rows(); ++j) {
    const auto others = coupling.row(j).cwiseAbs().sum() + coupling.col(j).cwiseAbs().sum();
    if (gears.elastic(j) && others != 2.0 * std::abs(coupling(j, j))) {
      throw std::invalid_argument(
        "Joint '" + description.joints[static_cast<std::size_t>(j)] +
        "' is elastic and coupled to other joints, which cannot be simulated; only a joint with a "
        "motor of its own can be elastic.");
    }
  }
}

}  // namespace dynid
