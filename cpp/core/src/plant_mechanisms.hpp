#pragma once

#include "dynid/mechanism.hpp"
#include "elastic_gears.hpp"

namespace dynid
{

// The mechanisms that a DrivePlant simulates with true parameters. Dry friction is in neither: it
// is for DryFriction to compute. They throw std::invalid_argument where a term cannot be simulated
// or the bodies are not rigid bodies.

/// What moves with the links: all but dry friction and, if any joint is elastic, all friction of
/// motors and the rotors of elastic joints.
[[nodiscard]] Mechanism link_mechanism(
  const MechanismDescription & description, const VectorIn & parameters,
  const ElasticGears & gears);

/// The smooth friction of the motors alone, for elastic joints.
[[nodiscard]] Mechanism motor_mechanism(
  const MechanismDescription & description, const VectorIn & parameters);

/// Throws where the motor of an elastic joint moves another joint too, or another motor it.
void check_coupling(const MechanismDescription & description, const ElasticGears & gears);

}  // namespace dynid
