#include "plant_bodies.hpp"

#include <Eigen/LU>
#include <cmath>
#include <stdexcept>

#include "numbers.hpp"
#include "plant_mechanisms.hpp"

namespace dynid
{
namespace
{

constexpr int inertia_samples = 200;
constexpr int most_bends = 50;     // a few suffice
constexpr int most_contacts = 20;  // of Newton's method in backlash; 1 without, a few with it

/// The velocity after the step; a joint that sticks is at rest exactly, without rounding errors.
double without_rounding(double velocity, double free) noexcept
{
  return std::abs(velocity) < 1e-12 + 1e-9 * std::abs(free) ? 0.0 : velocity;
}

/// Also false where a position is not a number. The dynamics overflow much farther away.
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

}  // namespace

PlantBodies::PlantBodies(
  const MechanismDescription & description, const VectorIn & parameters,
  const DrivePlantSettings & settings)
: gears_(settings, static_cast<Eigen::Index>(description.joints.size())),
  mechanism_(link_mechanism(description, parameters, gears_)),
  workspace_(mechanism_.workspace()),
  motors_(motor_mechanism(description, parameters)),
  motors_workspace_(motors_.workspace()),
  friction_(
    description.terms, parameters.tail(static_cast<Eigen::Index>(description.terms.size())),
    mechanism_.coupling().inverse(), {settings.stribeck_torque, settings.stribeck_velocity}),
  links_(description)
{
  check_coupling(description, gears_);
  const auto n = mechanism_.joint_count();
  const auto k = friction_.count();
  for (auto * vector :
       {&truth_.position, &truth_.velocity, &truth_.acceleration, &truth_.torque,
        &truth_.external_torque, &truth_.motor_position, &truth_.motor_velocity}) {
    vector->setZero(n);
  }
  for (auto * vector :
       {&zero_, &middle_, &now_, &bias_, &after_, &load_, &motor_acceleration_, &motor_middle_,
        &motor_now_, &motor_after_, &motor_impulse_, &link_impulse_, &impulse_, &change_}) {
    vector->setZero(n);
  }
  const auto moving = static_cast<Eigen::Index>(mechanism_.moving_joints().size());
  all_.setZero(moving);
  external_.setZero(moving);
  mass_.setZero(n, n);
  cholesky_ = Eigen::LLT<Eigen::MatrixXd>(n);
  slowed_.setZero(n, k);
  system_.setZero(n, n);
  turned_.setZero(n, k);
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
    mass_.diagonal() += gears_.inertia();
    sum += (coupling.transpose() * mass_ * coupling).diagonal();
  }
  return sum / inertia_samples;
}

Eigen::VectorXd PlantBodies::own_motor_inertia() const
{
  Eigen::VectorXd inertia = Eigen::VectorXd::Constant(zero_.size(), infinity);
  for (Eigen::Index j = 0; j < inertia.size(); ++j) {
    if (gears_.elastic(j)) {
      inertia[j] = std::pow(mechanism_.coupling()(j, j), 2) * gears_.inertia()[j];
    }
  }
  return inertia;
}

void PlantBodies::rest_at(const VectorIn & position) noexcept
{
  truth_.position = position;
  truth_.motor_position = position;
  rest();
  if (gears_.any()) {
    bend();
  }
}

void PlantBodies::rest() noexcept
{
  truth_.velocity.setZero();
  truth_.acceleration.setZero();
  truth_.external_torque.setZero();
  truth_.motor_velocity.setZero();
  motor_acceleration_.setZero();
  friction_.reset();
}

/// Moves the links of elastic joints to where these hold them, with the motors where they are.
void PlantBodies::bend() noexcept
{
  bool stiff = true;  // enough for one equilibrium
  for (int iteration = 0; iteration < most_bends; ++iteration) {
    bend_once(stiff);
    if (!within_reach(truth_.position)) {
      truth_.position = truth_.motor_position;
      return;
    }
    if ((change_.array().abs() <= 1e-15 * (1.0 + truth_.position.array().abs())).all()) {
      return;
    }
  }
}

/// One step of Newton's method for position + deflection(torque) = motor position, or of a fixed
/// point's iteration where gravity bends the joints more than they resist.
void PlantBodies::bend_once(bool & stiff) noexcept
{
  constexpr double small = 1e-6;  // [rad or m]
  auto & position = truth_.position;
  holding_torque(bias_);
  system_.setIdentity();
  for (Eigen::Index j = 0; j < zero_.size(); ++j) {
    change_[j] = 0.0;
    if (!gears_.elastic(j)) {
      continue;
    }
    change_[j] = truth_.motor_position[j] - gears_.deflection(j, bias_[j]) - position[j];
    const double there = position[j];
    position[j] = there + small;
    holding_torque(load_);
    position[j] = there;
    for (Eigen::Index i = 0; i < zero_.size(); ++i) {
      system_(i, j) = gears_.elastic(i) ? (load_[i] - bias_[i]) / small : 0.0;
    }
    system_(j, j) += gears_.stiffness(j, bias_[j]);
  }
  cholesky_.compute(system_);
  stiff = stiff && cholesky_.info() == Eigen::Success;
  if (stiff) {
    for (Eigen::Index j = 0; j < zero_.size(); ++j) {
      change_[j] *= gears_.elastic(j) ? gears_.stiffness(j, bias_[j]) : 0.0;
    }
    cholesky_.solveInPlace(change_);
  }
  position += change_;
}

void PlantBodies::holding_torque(VectorOut torque) noexcept
{
  mechanism_.inverse_dynamics(workspace_, truth_.position, zero_, zero_, torque);
}

bool PlantBodies::advance(const VectorIn & torque, double step) noexcept
{
  auto & position = truth_.position;
  auto & velocity = truth_.velocity;
  auto & acceleration = truth_.acceleration;
  const auto & external = truth_.external_torque;
  truth_.torque = torque;
  middle_ = position + step / 2.0 * velocity;
  now_ = velocity + step / 2.0 * acceleration;
  if (!within_reach(middle_)) {
    return give_up();
  }
  find_external_torque(step);
  if (gears_.any()) {
    return advance_elastic(torque, step);
  }
  mechanism_.inverse_dynamics(workspace_, middle_, now_, zero_, bias_);
  mechanism_.mass_matrix(workspace_, middle_, mass_);
  cholesky_.compute(mass_);
  after_ = step * (torque + external - bias_);
  cholesky_.solveInPlace(after_);
  after_ += velocity;
  if (friction_.count() > 0) {
    slowed_ = step * friction_.directions();
    cholesky_.solveInPlace(slowed_);
    brake(after_, slowed_, step, true);
  }
  middle_ += step / 2.0 * after_;
  if (cholesky_.info() != Eigen::Success || !after_.allFinite() || !within_reach(middle_)) {
    return give_up();
  }
  acceleration = (after_ - velocity) / step;
  velocity = after_;
  position = middle_;
  truth_.motor_position = position;
  truth_.motor_velocity = velocity;
  return true;
}

/// The torque of the external force, half-way.
void PlantBodies::find_external_torque(double step) noexcept
{
  if (links_.acting()) {
    mechanism_.spread(workspace_, middle_, all_);
    links_.next(all_, step, external_);
    mechanism_.project(workspace_, middle_, external_, truth_.external_torque);
  } else {
    truth_.external_torque.setZero();
  }
}

/// The rest of advance() with elastic joints: the gears' torques are solved for together with the
/// velocities after the step, and those of dry friction at the motors.
bool PlantBodies::advance_elastic(const VectorIn & torque, double step) noexcept
{
  auto & truth = truth_;
  find_impulses(torque, step);
  gears_.begin(truth, step);
  gears_.linearise();
  for (int iteration = 1; !gears_.linear() && iteration <= most_contacts; ++iteration) {
    change_velocities(step, false);
    if (gears_.settle(motor_after_, after_)) {
      break;
    }
    gears_.linearise();
  }
  change_velocities(step, true);
  middle_ += step / 2.0 * after_;
  motor_middle_ += step / 2.0 * motor_after_;
  if (
    cholesky_.info() != Eigen::Success || !after_.allFinite() || !motor_after_.allFinite() ||
    !within_reach(middle_) || !within_reach(motor_middle_)) {
    return give_up();
  }
  truth.acceleration = (after_ - truth.velocity) / step;
  motor_acceleration_ = (motor_after_ - truth.motor_velocity) / step;
  truth.velocity = after_;
  truth.position = middle_;
  truth.motor_velocity = motor_after_;
  truth.motor_position = motor_middle_;
  return true;
}

/// The step's impulses on motors and links, without gears and dry friction.
void PlantBodies::find_impulses(const VectorIn & torque, double step) noexcept
{
  motor_middle_ = truth_.motor_position + step / 2.0 * truth_.motor_velocity;
  motor_now_ = truth_.motor_velocity + step / 2.0 * motor_acceleration_;
  motors_.term_torque(motors_workspace_, motor_middle_, motor_now_, zero_, motor_impulse_);
  motor_impulse_ = step * (torque - motor_impulse_);
  mechanism_.inverse_dynamics(workspace_, middle_, now_, zero_, bias_);
  mechanism_.mass_matrix(workspace_, middle_, mass_);
  link_impulse_ = step * (truth_.external_torque - bias_);
}

/// The velocities after the step, for the gears' linear torques.
void PlantBodies::change_velocities(double step, bool last) noexcept
{
  system_ = mass_;
  gears_.add_resistance(system_);
  cholesky_.compute(system_);
  impulse_ = link_impulse_;
  gears_.transmit(motor_impulse_, impulse_);
  cholesky_.solveInPlace(impulse_);
  gears_.turn(motor_impulse_, impulse_, change_);
  after_ = truth_.velocity + impulse_;
  motor_after_ = truth_.motor_velocity + change_;
  if (friction_.count() > 0) {
    brake_motors(step, last);
  }
  for (Eigen::Index j = 0; j < after_.size(); ++j) {
    after_[j] = gears_.elastic(j) ? after_[j] : motor_after_[j];
  }
}

/// Applies dry friction of the motors to the velocities after the step.
void PlantBodies::brake_motors(double step, bool last) noexcept
{
  turned_ = step * friction_.directions();
  slowed_ = gears_.carried().asDiagonal() * turned_;
  cholesky_.solveInPlace(slowed_);
  for (Eigen::Index j = 0; j < after_.size(); ++j) {
    turned_.row(j) = gears_.direct()[j] * turned_.row(j) + gears_.carried()[j] * slowed_.row(j);
  }
  brake(motor_after_, turned_, step, last);
  for (Eigen::Index j = 0; j < after_.size(); ++j) {
    after_[j] -= slowed_.row(j).dot(friction_torque_);
  }
}

/// Applies dry friction to the velocities (n,) that it acts on, after the step; a surface's
/// friction torque slows them by its column of `slowed` (n, k) per unit.
void PlantBodies::brake(
  Eigen::VectorXd & velocity, const Eigen::MatrixXd & slowed, double step, bool last) noexcept
{
  const auto & directions = friction_.directions();
  free_.noalias() = directions.transpose() * velocity;
  mobility_.noalias() = directions.transpose() * slowed;
  if (friction_.loaded()) {
    mechanism_.gravity_torque(workspace_, middle_, load_);
  }
  if (last) {
    friction_.solve(free_, mobility_, load_, step, friction_torque_);
  } else {
    friction_.find(free_, mobility_, load_, step, friction_torque_);
  }
  for (Eigen::Index j = 0; j < velocity.size(); ++j) {
    const double free = velocity[j];
    velocity[j] = without_rounding(free - slowed.row(j).dot(friction_torque_), free);
  }
}

/// Rests with the motors at their last position, and returns false.
bool PlantBodies::give_up() noexcept
{
  truth_.torque.setZero();
  if (gears_.any()) {
    bend();
  }
  rest();
  return false;
}

}  // namespace dynid
