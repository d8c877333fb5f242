#include "dynid/drive_plant.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>

#include "command_frames.hpp"
#include "csp_drives.hpp"
#include "dynid/delay_line.hpp"
#include "injection_checks.hpp"
#include "plant_bodies.hpp"
#include "setting_checks.hpp"

namespace dynid
{
namespace
{

double quantised(double value, double step) noexcept
{
  return step > 0.0 ? std::round(value / step) * step : value;
}

/// Integration steps in a cycle in which every velocity loop is stable: at an elastic joint it
/// moves the motor's `inertia` alone, with a gain for that of the link as well.
int enough_steps(
  const DrivePlantSettings & settings, const Eigen::VectorXd & gain,
  const Eigen::VectorXd & inertia)
{
  constexpr double largest_change = 0.5;  // of the velocity error in a step
  constexpr double most = 1000.0;
  int steps = settings.steps_per_cycle();
  for (Eigen::Index i = 0; i < gain.size(); ++i) {
    const double rate = gain[i] / inertia[i];
    const double needed = std::ceil(rate / (largest_change * settings.control_rate));
    if (!(needed <= most)) {
      throw std::invalid_argument(
        "The rotor of drive " + std::to_string(i + 1) +
        " has too little inertia for its velocity loop, which is tuned for motor and link; give "
        "rotor_inertia behind the gear, or lower bandwidth_hz.");
    }
    steps = std::max(steps, static_cast<int>(needed));
  }
  return steps;
}

}  // namespace

struct DrivePlant::Parts
{
  Parts(
    const MechanismDescription & description, const VectorIn & parameters,
    const DrivePlantSettings & given);

  void rest_at(const VectorIn & side_position) noexcept;
  void move(const VectorIn & goal, const VectorIn & offset) noexcept;
  void advance(const VectorIn & offset) noexcept;
  void inject(const DriveFault & injected) noexcept;
  void inject(const FaultCleared & cleared) noexcept;
  void inject(const LostFrames & lost) noexcept { commands.lose(lost.cycles); }
  void inject(const FrameLoss & loss) noexcept { commands.lose_randomly(loss.probability); }
  void inject(const Saturation & left) noexcept { drives.saturate(left.drive, left.factor); }
  void inject(const ExternalForce & force) noexcept { bodies.apply(force); }
  void fail(FaultReason reason, int drive) noexcept;
  void follow_motion() noexcept;
  void stop_control() noexcept;
  void start_control() noexcept;
  void hold() noexcept;
  void exert_at_rest() noexcept;
  void add_gravity(Eigen::VectorXd & motor) noexcept;
  void read_motors() noexcept;
  void measure() noexcept;
  void set_feedback(const VectorIn & due) noexcept;

  DrivePlantSettings settings;
  PlantBodies bodies;
  Eigen::MatrixXd coupling;       // T in q_joint = T q_motor
  Eigen::MatrixXd to_motor;       // its inverse
  Eigen::MatrixXd side_to_motor;  // the same for the commanded side: identity where that is motors
  Eigen::MatrixXd motor_to_side;
  CspDrives drives;
  int steps;    // of integration in a cycle
  double step;  // of integration [s]
  std::mt19937_64 random;
  std::normal_distribution<double> normal;

  // at the commanded side
  Eigen::VectorXd position;
  Eigen::VectorXd velocity;
  Eigen::VectorXd torque;
  // at the joints
  Eigen::VectorXd link_position;
  // at the motors
  Eigen::VectorXd measured;  // position, velocity, torque, and position of the links (4 n)
  Eigen::VectorXd no_offset;
  Eigen::VectorXd offset;  // of the drives without a fault
  Eigen::VectorXd from;    // reference at the cycle's begin
  Eigen::VectorXd reference;
  Eigen::VectorXd reference_velocity;
  Eigen::VectorXd begin;  // position at the cycle's begin
  Eigen::VectorXd motor_position;
  Eigen::VectorXd motor_velocity;
  Eigen::VectorXd motor_torque;
  Eigen::VectorXd mean_torque;  // of the motors, over the cycle
  Eigen::VectorXd joint_torque;
  Eigen::VectorXd demand;  // of torque, in torque mode

  CommandFrames commands;
  DelayLine measurements;
  Fault fault;
  Eigen::VectorXi failed;  // drives in fault, or all in the robot's own stop
  bool stopped = false;    // that it is the robot's own stop
  std::uint64_t cycles = 0;
};

DrivePlant::Parts::Parts(
  const MechanismDescription & description, const VectorIn & parameters,
  const DrivePlantSettings & given)
: settings(checked(given, static_cast<Eigen::Index>(description.joints.size()))),
  bodies(description, parameters, given),
  coupling(bodies.mechanism().coupling()),
  to_motor(coupling.inverse()),
  side_to_motor(given.motor_side ? coupling.Identity(coupling.rows(), coupling.cols()) : to_motor),
  motor_to_side(given.motor_side ? coupling.Identity(coupling.rows(), coupling.cols()) : coupling),
  drives(given, bodies.mean_motor_inertia(given.lower, given.upper)),
  steps(enough_steps(given, drives.velocity_gain(), bodies.own_motor_inertia())),
  step(1.0 / (given.control_rate * steps)),
  random(given.seed),
  commands(given, side_to_motor),
  measurements(delay_cycles(given.feedback_delay, given.control_rate), 4 * coupling.rows())
{
  const auto n = coupling.rows();
  for (auto * vector :
       {&position, &velocity, &torque, &link_position, &no_offset, &offset, &from, &reference,
        &reference_velocity, &begin, &motor_position, &motor_velocity, &motor_torque, &mean_torque,
        &joint_torque, &demand}) {
    vector->setZero(n);
  }
  measured.setZero(4 * n);
  failed.setZero(n);
  rest_at(no_offset);
}

void DrivePlant::Parts::rest_at(const VectorIn & side_position) noexcept
{
  commands.rest_at(side_position);
  bodies.apply({});
  drives.unsaturate();
  joint_torque.noalias() = coupling * commands.due().head(position.size());  // here positions
  bodies.rest_at(joint_torque);
  hold();
  exert_at_rest();
  fault = {};
  failed.setZero();
  stopped = false;
  begin = motor_position;
  measure();
  measurements.fill(measured);
  set_feedback(measured);
}

/// Lets the drives hold the bodies where they rest.
void DrivePlant::Parts::hold() noexcept
{
  read_motors();
  bodies.holding_torque(joint_torque);
  motor_torque.noalias() = coupling.transpose() * joint_torque;
  drives.hold(motor_position, motor_torque);
  motor_torque = drives.torque();
  mean_torque = motor_torque;
}

/// In torque mode: the command in use becomes the torque that holds the bodies now.
void DrivePlant::Parts::exert_at_rest() noexcept
{
  if (settings.mode == DriveMode::position) {
    return;
  }
  demand.setZero();
  if (settings.mode == DriveMode::torque) {
    add_gravity(demand);
  }
  commands.exert(demand);
}

/// Adds the torque that holds the bodies where they are.
void DrivePlant::Parts::add_gravity(Eigen::VectorXd & motor) noexcept
{
  bodies.holding_torque(joint_torque);
  motor.noalias() += coupling.transpose() * joint_torque;
}

/// The bodies' and loops' part of a cycle.
void DrivePlant::Parts::move(const VectorIn & goal, const VectorIn & active_offset) noexcept
{
  begin = motor_position;
  from = drives.reference();
  reference_velocity = settings.control_rate * (goal - from);
  drives.follow(goal, reference_velocity, failed);
  if (settings.mode == DriveMode::position) {
    const int lost = drives.lost(motor_position);
    if (lost >= 0) {
      fail(FaultReason::following_error, lost);
    }
  } else if (commands.missing() && failed.isZero()) {
    fail(FaultReason::no_command, -1);
  }
  mean_torque.setZero();
  for (int i = 0; i < steps; ++i) {
    reference = from + (static_cast<double>(i) / steps) * (goal - from);
    drives.follow(reference, reference_velocity, failed);
    offset = (failed.array() == 0).select(active_offset, no_offset);
    advance(offset);
    drives.ramp_down(step, failed);
    mean_torque += motor_torque / steps;
  }
  drives.follow(goal, reference_velocity, failed);
}

void DrivePlant::Parts::advance(const VectorIn & active_offset) noexcept
{
  motor_torque = drives.torque(motor_position, motor_velocity, active_offset, step);
  if (settings.mode != DriveMode::position) {
    demand = active_offset;
    if (settings.mode == DriveMode::torque_and_gravity) {
      add_gravity(demand);
    }
    motor_torque = drives.exert(demand, failed);
  }
  joint_torque.noalias() = to_motor.transpose() * motor_torque;
  const bool finite = bodies.advance(joint_torque, step);
  read_motors();
  if (!finite) {
    fail(FaultReason::not_finite, -1);
    hold();
  }
}

/// All drives stop following; their ramp starts at the present reference and velocity.
void DrivePlant::Parts::fail(FaultReason reason, int drive) noexcept
{
  if (fault.reason == FaultReason::none) {
    fault = {reason, drive, static_cast<double>(cycles) / settings.control_rate};
  }
  stopped = false;
  follow_motion();
  failed.setOnes();
}

/// The loops of drives that have not failed begin with the present motion.
void DrivePlant::Parts::follow_motion() noexcept
{
  for (Eigen::Index i = 0; i < failed.size(); ++i) {
    if (failed[i] == 0) {
      drives.follow(i, motor_position[i], motor_velocity[i]);
    }
  }
}

void DrivePlant::Parts::stop_control() noexcept
{
  if (settings.mode != DriveMode::position && failed.isZero()) {
    follow_motion();
    failed.setOnes();
    stopped = true;
  }
}

void DrivePlant::Parts::start_control() noexcept
{
  if (stopped) {
    stopped = false;
    failed.setZero();
    commands.hold(drives.reference());
    exert_at_rest();
  }
}

void DrivePlant::Parts::inject(const DriveFault & injected) noexcept
{
  const int drive = injected.drive;
  if (drive < 0 || stopped) {
    fail(FaultReason::injected, -1);
  } else if (failed[drive] == 0) {
    if (fault.reason == FaultReason::none) {
      fault = {FaultReason::injected, drive, static_cast<double>(cycles) / settings.control_rate};
    }
    drives.follow(drive, motor_position[drive], motor_velocity[drive]);
    failed[drive] = 1;
  }
}

void DrivePlant::Parts::inject(const FaultCleared & cleared) noexcept
{
  if (fault.reason == FaultReason::none) {
    return;
  }
  if (cleared.drive >= 0) {
    failed[cleared.drive] = 0;
  } else {
    failed.setZero();
    commands.hold(drives.reference());
    exert_at_rest();
  }
  if (failed.isZero()) {
    fault = {};
  }
}

void DrivePlant::Parts::read_motors() noexcept
{
  motor_position.noalias() = to_motor * bodies.truth().motor_position;
  motor_velocity.noalias() = to_motor * bodies.truth().motor_velocity;
}

void DrivePlant::Parts::measure() noexcept
{
  const auto n = motor_position.size();
  for (Eigen::Index i = 0; i < n; ++i) {
    const double noisy = mean_torque[i] + settings.torque_noise[i] * normal(random);
    measured[i] = quantised(motor_position[i], settings.position_resolution[i]);
    measured[n + i] = settings.control_rate * (motor_position[i] - begin[i]);
    measured[2 * n + i] = quantised(noisy, settings.rated_torque[i] / 1000.0);
    measured[3 * n + i] = quantised(bodies.truth().position[i], settings.position_resolution[i]);
  }
}

void DrivePlant::Parts::set_feedback(const VectorIn & due) noexcept
{
  const auto n = position.size();
  position.noalias() = motor_to_side * due.head(n);
  velocity.noalias() = motor_to_side * due.segment(n, n);
  torque.noalias() = side_to_motor.transpose() * due.segment(2 * n, n);
  link_position = due.tail(n);
}

DrivePlant::DrivePlant(
  const MechanismDescription & description, const VectorIn & parameters,
  const DrivePlantSettings & settings)
: parts_(std::make_unique<Parts>(description, parameters, settings))
{
}
DrivePlant::DrivePlant(DrivePlant && other) noexcept = default;
DrivePlant & DrivePlant::operator=(DrivePlant && other) noexcept = default;
DrivePlant::~DrivePlant() = default;

Eigen::Index DrivePlant::joint_count() const noexcept { return parts_->position.size(); }

void DrivePlant::reset(const VectorIn & position)
{
  if (position.size() != joint_count()) {
    throw std::invalid_argument(
      "The start position has " + std::to_string(position.size()) + " values, but must have " +
      std::to_string(joint_count()) + ", one for each joint.");
  }
  for (Eigen::Index i = 0; i < position.size(); ++i) {
    if (!usable(position[i])) {
      throw std::invalid_argument("The start position has a value that is not finite.");
    }
  }
  parts_->rest_at(position);
}

void DrivePlant::step(const VectorIn & target, const VectorIn & torque_offset) noexcept
{
  auto & parts = *parts_;
  const auto n = parts.position.size();
  const bool arrived = parts.commands.take(target, torque_offset);
  const auto & due = parts.commands.due();
  parts.move(due.head(n), due.tail(n));
  parts.measure();
  const auto measured = parts.measurements.pass(parts.measured);
  if (arrived) {
    parts.set_feedback(measured);
  }
  ++parts.cycles;
}

const Eigen::VectorXd & DrivePlant::position() const noexcept { return parts_->position; }
const Eigen::VectorXd & DrivePlant::velocity() const noexcept { return parts_->velocity; }
const Eigen::VectorXd & DrivePlant::torque() const noexcept { return parts_->torque; }
const Eigen::VectorXd & DrivePlant::link_position() const noexcept { return parts_->link_position; }
std::uint64_t DrivePlant::rejected_inputs() const noexcept { return parts_->commands.rejected(); }
std::uint64_t DrivePlant::lost_frames() const noexcept { return parts_->commands.lost(); }
bool DrivePlant::failed(Eigen::Index drive) const noexcept
{
  return parts_->failed[drive] != 0 && !parts_->stopped;
}
const Fault & DrivePlant::fault() const noexcept { return parts_->fault; }
const PlantTruth & DrivePlant::truth() const noexcept { return parts_->bodies.truth(); }

void DrivePlant::trip() noexcept { parts_->inject(DriveFault{}); }
void DrivePlant::clear_fault() noexcept { parts_->inject(FaultCleared{}); }
void DrivePlant::stop_control() noexcept { parts_->stop_control(); }
void DrivePlant::start_control() noexcept { parts_->start_control(); }

int DrivePlant::link(const std::string & name) const { return parts_->bodies.links().link(name); }

void DrivePlant::check(const Injection & injection) const
{
  std::visit(InjectionChecks{parts_->settings.torque_max, parts_->bodies.links()}, injection);
}

void DrivePlant::inject(const Injection & injection) noexcept
{
  std::visit([this](const auto & one) { parts_->inject(one); }, injection);
}

}  // namespace dynid
