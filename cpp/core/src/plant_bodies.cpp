#include "plant_bodies.hpp"

#include <Eigen/LU>
#include <cmath>
#include <stdexcept>
#include <string>

namespace dynid
{
namespace
{

constexpr int inertia_samples = 200;
// [rad or m] that a robot may be from 0, as a command may: the dynamics overflow much farther away
constexpr double farthest = 1e9;

/// Also false where a position is not a number.
bool within_reach(const Eigen::VectorXd & position) noexcept
{
  return (position.array().abs() <= farthest).all();
}

/// Steps (n,) whose multiples modulo 1 fill the unit cube evenly (M. Roberts' generalisation of the
/// golden ratio: powers of 1 / x with x^(n + 1) = x + 1).
Eigen::VectorXd even_steps(Eigen::Index n)
{
  double root = 1.5;
  for (int iteration = 0; iteration < 50; ++iteration) {
    root = std::pow(1.0 + root, 1.0 / static_cast<double>(n + 1));
  }
  return Eigen::pow(1.0 / root, Eigen::ArrayXd::LinSpaced(n, 1.0, static_cast<double>(n)));
}

/// The mechanism with true parameters, but without the terms of dry friction, which DryFriction
/// computes.
Mechanism without_dry_friction(
  const MechanismDescription & description, const VectorIn & parameters)
{
  auto simulated = description;
  simulated.terms.clear();
  for (const auto & term : description.terms) {
    if (term.kind == nullptr || !term.kind->dry()) {
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
    if (!term.kind->dry()) {
      smooth[kept++] = parameters[first + k];
    } else if (term.joint >= mechanism.joint_count() && parameters[first + k] != 0.0) {
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

}  // namespace

PlantBodies::PlantBodies(
  const MechanismDescription & description, const VectorIn & parameters,
  const DryFriction::Stribeck & stribeck)
: mechanism_(without_dry_friction(description, parameters)),
  workspace_(mechanism_.workspace()),
  friction_(
    description.terms, parameters.tail(static_cast<Eigen::Index>(description.terms.size())),
    mechanism_.coupling().inverse(), stribeck),
  links_(description)
{
  const auto n = mechanism_.joint_count();
  const auto k = friction_.count();
  for (auto * vector :
       {&truth_.position, &truth_.velocity, &truth_.acceleration, &truth_.torque,
        &truth_.external_torque, &zero_, &middle_, &now_, &bias_, &after_, &load_}) {
    vector->setZero(n);
  }
  const auto moving = static_cast<Eigen::Index>(mechanism_.moving_joints().size());
  all_.setZero(moving);
  external_.setZero(moving);
  mass_.setZero(n, n);
  cholesky_ = Eigen::LLT<Eigen::MatrixXd>(n);
  slowed_.setZero(n, k);
  mobility_.setZero(k, k);
  free_.setZero(k);
  friction_torque_.setZero(k);
}

Eigen::VectorXd PlantBodies::mean_motor_inertia(const VectorIn & lower, const VectorIn & upper)
{
  const auto & coupling = mechanism_.coupling();
  const Eigen::VectorXd steps = even_steps(lower.size());
  Eigen::VectorXd position(lower.size());
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(lower.size());
  for (int sample = 0; sample < inertia_samples; ++sample) {
    for (Eigen::Index j = 0; j < position.size(); ++j) {
      const double share = sample * steps[j];
      position[j] = lower[j] + (share - std::floor(share)) * (upper[j] - lower[j]);
    }
    mechanism_.mass_matrix(workspace_, position, mass_);
    cholesky_.compute(mass_);
    if (cholesky_.info() != Eigen::Success) {
      throw std::invalid_argument(
        "The mass matrix is not positive definite, so accelerations cannot be computed; give the "
        "bodies and rotors inertia, in the URDF or as true parameters.");
    }
    sum += (coupling.transpose() * mass_ * coupling).diagonal();
  }
  return sum / inertia_samples;
}

void PlantBodies::rest_at(const VectorIn & position) noexcept
{
  truth_.position = position;
  truth_.velocity.setZero();
  truth_.acceleration.setZero();
  truth_.external_torque.setZero();
  friction_.reset();
}

void PlantBodies::holding_torque(VectorOut torque) noexcept
{
  mechanism_.inverse_dynamics(workspace_, truth_.position, zero_, zero_, torque);
}

bool PlantBodies::advance(const VectorIn & torque, double step) noexcept
{
  auto & [position, velocity, acceleration, held, external] = truth_;
  held = torque;
  middle_ = position + step / 2.0 * velocity;
  now_ = velocity + step / 2.0 * acceleration;
  if (!within_reach(middle_)) {
    return give_up();
  }
  if (links_.acting()) {
    mechanism_.spread(workspace_, middle_, all_);
    links_.next(all_, step, external_);
    mechanism_.project(workspace_, middle_, external_, external);
  } else {
    external.setZero();
  }
  mechanism_.inverse_dynamics(workspace_, middle_, now_, zero_, bias_);
  mechanism_.mass_matrix(workspace_, middle_, mass_);
  cholesky_.compute(mass_);
  after_ = step * (torque + external - bias_);
  cholesky_.solveInPlace(after_);
  after_ += velocity;
  if (friction_.count() > 0) {
    apply_dry_friction(step);
  }
  middle_ += step / 2.0 * after_;
  if (cholesky_.info() != Eigen::Success || !after_.allFinite() || !within_reach(middle_)) {
    return give_up();
  }
  acceleration = (after_ - velocity) / step;
  velocity = after_;
  position = middle_;
  return true;
}

/// Rests at the last position, and returns false.
bool PlantBodies::give_up() noexcept
{
  truth_.torque.setZero();
  rest_at(truth_.position);
  return false;
}

/// Applies dry friction to the velocity after the step.
void PlantBodies::apply_dry_friction(double step) noexcept
{
  const auto & directions = friction_.directions();
  slowed_ = step * directions;
  cholesky_.solveInPlace(slowed_);
  free_.noalias() = directions.transpose() * after_;
  mobility_.noalias() = directions.transpose() * slowed_;
  if (friction_.loaded()) {
    mechanism_.gravity_torque(workspace_, middle_, load_);
  }
  friction_.solve(free_, mobility_, load_, step, friction_torque_);
  for (Eigen::Index j = 0; j < after_.size(); ++j) {
    const double free = after_[j];
    after_[j] -= slowed_.row(j).dot(friction_torque_);
    // a joint that sticks is at rest exactly, without rounding errors
    after_[j] = std::abs(after_[j]) < 1e-12 + 1e-9 * std::abs(free) ? 0.0 : after_[j];
  }
}

}  // namespace dynid
