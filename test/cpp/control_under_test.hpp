#pragma once

// A pendulum under the control law, for its tests.

#include <cmath>
#include <memory>

#include "dynid/control_law.hpp"
#include "simulated_robots.hpp"

namespace
{

using dynid::CollisionCause;
using dynid::CollisionLevel;
using dynid::ControlLaw;
using dynid::ControlLawSettings;
using dynid::ControlModel;
using dynid::Feedback;
using dynid::InactiveReason;
using dynid::Reference;
using dynid::ResetAnswer;

/// A pendulum with Coulomb friction of 1 N m that hangs at position pi / 2.
inline ControlModel pendulum_model(double smoothing = 0.01)
{
  dynid::MechanismDescription description;
  description.urdf_xml = pendulum_urdf;
  description.joints = {"axis"};
  description.terms = {{&dynid::term_kind("coulomb"), 0, dynid::TermSide::joint}};
  VectorXd parameters = dynid::Mechanism(description).urdf_parameters();
  parameters[10] = 1.0;
  return {description, parameters, one(smoothing), false};
}

inline ControlLawSettings law_settings(int delay = 0)
{
  ControlLawSettings settings;
  settings.feedforward.additive_torque_delay = 1e-3 * delay;
  settings.feedforward.ramp_time = 0.0;
  settings.feedforward.torque_max = one(50.0);
  settings.feedforward.position_jump = one(0.01);
  settings.feedforward.acceleration_jump = one(1000.0);
  settings.collision.torque_error_enable = one(1.0);
  settings.collision.torque_error_time_constant = one(0.0);
  settings.collision.torque_error_max = one(5.0);
  settings.collision.velocity_factor = zero;
  settings.collision.acceleration_factor = zero;
  settings.collision.reversal_boost = zero;
  settings.collision.low_speed = one(0.1);
  settings.collision.acceleration_step = one(infinity);
  settings.collision.torque_threshold = one(infinity);
  settings.deceleration = one(10.0);
  settings.reference_tolerance = one(0.1);
  settings.max_age = 10.0;                             // most tests give feedback of torque only
  settings.supervision.longest_blind_stop = infinity;  // and a constant one
  settings.model_monitor.model_check = false;          // of another motion
  return settings;
}

/// Torque of the pendulum's motion; the pendulum is horizontal at 0.
inline double torque_of(double q, double dq, double ddq, double smoothing = 0.01)
{
  return inertia * ddq - weight * std::cos(q) + std::tanh(dq / smoothing);
}

inline Reference reference(double q, double dq = 0.0, double ddq = 0.0)
{
  return {one(q), one(dq), one(ddq)};
}

inline Feedback feedback(double tau, double q = 0.0, double dq = 0.0)
{
  return {one(q), one(dq), one(tau)};
}

}  // namespace
