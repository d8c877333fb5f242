#include "dynid/torque_law.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "damped_stop.hpp"
#include "drive_inertia.hpp"
#include "dynid/delay_line.hpp"
#include "feedback_check.hpp"
#include "hand_guiding.hpp"
#include "setting_checks.hpp"
#include "torque_loop.hpp"

namespace dynid
{
namespace
{

constexpr double model_errors = 2.0;   // r.m.s., that a model at rest may have
constexpr double held_friction = 1.5;  // of the loops: of the rest, half of it holds the robot

TorqueLawSettings completed(TorqueLawSettings settings, Eigen::Index drives)
{
  settings.check(drives);
  settings.law.limits.fill(drives);
  return settings;
}

/// The inertia (n,) with which a drive's loop is critically damped; 1 without stiffness.
Eigen::VectorXd loop_inertia(const TorqueLawSettings & settings)
{
  const auto found = settings.damping.array().square() / (4.0 * settings.stiffness.array());
  return found.isFinite().select(found, 1.0).matrix();
}

/// Cycles from a command to the measurement of its motion.
int measurement_cycles(const TorqueLawSettings & settings)
{
  return delay_cycles(settings.feedback_delay, settings.law.feedforward.control_rate);
}

}  // namespace

void TorqueLawSettings::check(Eigen::Index drives) const
{
  law.check(drives);
  check_declared(*this, drives);
  check_delay("feedback_delay", feedback_delay, law.feedforward.control_rate);
}

struct TorqueLaw::Parts
{
  Parts(Eigen::Index drives, const TorqueLawSettings & given);

  TorqueStart start(const VectorIn & position) noexcept;
  void begin(const VectorIn & position) noexcept;
  void update(const Reference & reference, const Feedback & feedback, double cycles) noexcept;
  void follow(const Reference & reference, const Feedback & feedback, double cycles) noexcept;
  GuideStart guide() noexcept;
  void follow_hand(const Feedback & feedback) noexcept;
  bool check_guided() noexcept;
  void expect_motion(const Reference & motion, double time) noexcept;
  void damp(double cycles) noexcept;
  bool compute_held(const VectorIn & position) noexcept;
  bool update_holding() noexcept;
  bool update_model(const Reference & motion) noexcept;
  void check(const Feedback & feedback) noexcept;
  void stop(const Collision & cause) noexcept;
  void begin_stop() noexcept;
  /// The time of a number of cycles [s]; of one where that is not usable.
  double time_of(double cycles) const noexcept
  {
    const double usable = cycles > 0.0 && std::isfinite(cycles) ? cycles : 1.0;
    return usable / settings.law.feedforward.control_rate;
  }

  TorqueLawSettings settings;
  DriveInertia inertia;
  ControlLaw law;
  TorqueLoop loop;
  HandGuiding guiding;
  FeedbackCheck believed;
  ControlModel * model = nullptr;
  TorquePhase phase = TorquePhase::inactive;
  DampedStop damped_stop;
  bool released = false;  // whether the stop ends hand guiding

  DelayLine due;
  Eigen::VectorXd commanded;  // position and velocity (2 n)
  DelayLine exerted;          // torque commands
  Eigen::VectorXd holding;    // torque that the command must hold the robot with
  Eigen::VectorXd held;       // the model's, before it is known to be finite
  SmoothTorque smooth_model;  // torque of the model
  Eigen::VectorXd pushed;     // the same with the push against dry friction at rest
  Eigen::VectorXd model_torque;
  Eigen::VectorXd loop_torque;
  Eigen::VectorXd friction;  // dry, of the model; 0: unknown
  Eigen::VectorXd zero;
};

TorqueLaw::Parts::Parts(Eigen::Index drives, const TorqueLawSettings & given)
: settings(completed(given, drives)),
  inertia(loop_inertia(settings), settings.law.feedforward.torque_max),
  law(drives, settings.law, &inertia),
  loop(settings),
  guiding(settings),
  believed(settings.stop_speed, settings.law.feedforward.torque_max),
  damped_stop(settings),
  due(measurement_cycles(settings), 2 * drives),
  exerted(measurement_cycles(settings), drives),
  smooth_model(drives, settings.law.feedforward.ramp_step())
{
  commanded.setZero(2 * drives);
  for (auto * vector : {&holding, &held, &pushed, &model_torque, &loop_torque, &friction, &zero}) {
    vector->setZero(drives);
  }
}

TorqueStart TorqueLaw::Parts::start(const VectorIn & position) noexcept
{
  if (!position.allFinite()) {
    return {TorqueStartAnswer::no_position, -1, 0.0, 0.0};
  }
  if (!compute_held(position)) {
    return {TorqueStartAnswer::no_model, -1, 0.0, 0.0};
  }
  const auto & torque_max = settings.law.feedforward.torque_max;
  for (Eigen::Index i = 0; i < held.size(); ++i) {
    if (std::abs(held[i]) > (1.0 - torque_reserve) * torque_max[i]) {
      return {TorqueStartAnswer::torque, static_cast<int>(i), held[i], torque_max[i]};
    }
  }
  holding = held;
  loop.start(holding);
  begin(position);
  return {};
}

/// Follows references from a position, with the torque that is commanded there.
void TorqueLaw::Parts::begin(const VectorIn & position) noexcept
{
  law.start(position);
  inertia.start(model, position);
  believed.start(position);
  commanded << position, zero;
  due.fill(commanded);
  exerted.fill(loop.command());
  smooth_model.start(holding);
  damped_stop.clear();
  released = false;
  phase = TorquePhase::following;
}

/// Computes the holding torque at a position; false where there is none.
bool TorqueLaw::Parts::compute_held(const VectorIn & position) noexcept
{
  if (settings.gravity == GravityBy::by_robot) {
    held.setZero();
    return true;
  }
  if (model == nullptr) {
    return false;
  }
  model->holding_torque(position, held);
  return held.allFinite();
}

/// Computes the holding torque; false where there is none, and then it stays.
bool TorqueLaw::Parts::update_holding() noexcept
{
  const bool found = compute_held(believed.position());
  if (found) {
    holding = held;
  }
  return found;
}

/// Computes the model's part of the command; false where it is not finite.
bool TorqueLaw::Parts::update_model(const Reference & motion) noexcept
{
  if (model == nullptr) {
    model_torque.setZero();
    return settings.gravity == GravityBy::by_robot;
  }
  const auto & q = motion.position;
  if (settings.compensation == Compensation::full) {
    model->torque(FeedforwardMode::full, q, motion.velocity, motion.acceleration, model_torque);
  } else if (settings.compensation == Compensation::rigid_body) {
    model->frictionless_torque(q, motion.velocity, motion.acceleration, model_torque);
  } else {
    model->frictionless_torque(q, zero, zero, model_torque);
  }
  if (settings.gravity == GravityBy::by_robot) {
    model->frictionless_torque(q, zero, zero, held);
    model_torque -= held;
  }
  return model_torque.allFinite();
}

void TorqueLaw::Parts::update(
  const Reference & reference, const Feedback & feedback, double cycles) noexcept
{
  if (phase == TorquePhase::inactive) {
    return;
  }
  believed.update(feedback, law.position_command(), inertia.acceleration_max(), time_of(cycles));
  if (phase == TorquePhase::following) {
    follow(reference, feedback, cycles);
  } else if (phase == TorquePhase::guided) {
    follow_hand(feedback);
  }
  if (phase == TorquePhase::stopping || phase == TorquePhase::stopped) {
    damp(cycles);
  }
}

void TorqueLaw::Parts::follow(
  const Reference & reference, const Feedback & feedback, double cycles) noexcept
{
  law.update(reference, feedback, cycles);
  check(feedback);
  if (law.latched()) {
    begin_stop();
    return;
  }
  const auto & motion = law.commanded_motion();
  if (!update_holding() || !update_model(motion)) {
    stop({CollisionCause::no_model, 0, 0.0, 0.0, 0});
    return;
  }
  smooth_model.update(model_torque);
  commanded << law.position_command(), motion.velocity;
  pushed = smooth_model.torque() + law.stiction_torque();
  loop.follow(pushed, due.pass(commanded), believed.feedback());
  std::ignore = exerted.pass(loop.command());
  expect_motion(motion, time_of(cycles));
}

GuideStart TorqueLaw::Parts::guide() noexcept
{
  if (phase != TorquePhase::following) {
    return {GuideAnswer::not_following, -1, 0.0, 0.0};
  }
  const bool commanded_rest = law.commanded_motion().velocity.isZero(0.0);
  if (!commanded_rest || !damped_stop.at_rest(believed.velocity())) {
    return {GuideAnswer::moving, -1, 0.0, 0.0};
  }
  for (Eigen::Index i = 0; i < loop_torque.size(); ++i) {
    const bool known = model != nullptr && model->error().size() == loop_torque.size();
    const double usual =
      held_friction * friction[i] + (known ? model_errors * model->error()[i] : 0.0);
    const double limit = usual > 0.0 ? usual : settings.guiding_torque[i];
    if (std::abs(loop_torque[i]) > limit) {
      return {GuideAnswer::disturbed, static_cast<int>(i), loop_torque[i], limit};
    }
  }
  guiding.start();
  phase = TorquePhase::guided;
  return {};
}

/// One cycle in which a hand guides the robot.
void TorqueLaw::Parts::follow_hand(const Feedback & feedback) noexcept
{
  check(feedback);
  if (law.latched() || !check_guided()) {
    begin_stop();
    return;
  }
  if (!update_holding()) {
    stop({CollisionCause::no_model, 0, 0.0, 0.0, 0});
    return;
  }
  guiding.update(model, believed.position(), believed.velocity());
  pushed = holding + guiding.torque();
  loop.exert(pushed);
  std::ignore = exerted.pass(loop.command());
  inertia.update(model, believed.position());
  law.guide(believed.position());
}

/// Stops where the motion of the hand is not known, or led beyond a position limit.
bool TorqueLaw::Parts::check_guided() noexcept
{
  for (Eigen::Index i = 0; i < zero.size(); ++i) {
    if (!std::isfinite(believed.velocity()[i])) {
      const double age = settings.law.max_age;
      law.stop({CollisionCause::no_velocity, static_cast<int>(i), age, age, 0});
      return false;
    }
  }
  const int beyond = guiding.beyond(believed.position());
  if (beyond >= 0) {
    const double position = believed.position()[beyond];
    law.stop(
      {CollisionCause::position_limit, beyond, position, guiding.limit(beyond, position), 0});
  }
  return beyond < 0;
}

/// Prepares the next cycle's check of the feedback.
void TorqueLaw::Parts::expect_motion(const Reference & motion, double time) noexcept
{
  loop_torque = loop.command() - smooth_model.torque();
  if (model != nullptr) {
    model->dry_friction(friction);
  } else {
    friction.setZero();
  }
  inertia.update(model, motion.position);
  believed.expect_motion(loop_torque, friction, inertia, time);
}

/// Stops the robot where feedback contradicts itself, or it is too far from its command, or too
/// fast.
void TorqueLaw::Parts::check(const Feedback & feedback) noexcept
{
  if (believed.fault().cause != CollisionCause::none) {
    law.stop(believed.fault());
    return;
  }
  const auto & command = law.position_command();
  for (Eigen::Index i = 0; i < command.size(); ++i) {
    const double error = std::abs(command[i] - feedback.position[i]);
    const double speed = std::abs(feedback.velocity[i]);
    const auto drive = static_cast<int>(i);
    if (error > settings.position_error_max[i]) {
      law.stop({CollisionCause::position_error, drive, error, settings.position_error_max[i], 0});
      return;
    }
    if (speed > settings.speed_max[i]) {
      law.stop({CollisionCause::speed, drive, speed, settings.speed_max[i], 0});
      return;
    }
  }
}

void TorqueLaw::Parts::stop(const Collision & cause) noexcept
{
  law.stop(cause);
  begin_stop();
}

void TorqueLaw::Parts::begin_stop() noexcept
{
  released = false;
  phase = TorquePhase::stopping;
  damped_stop.begin();
}

void TorqueLaw::Parts::damp(double cycles) noexcept
{
  const auto & velocity = believed.velocity();
  update_holding();
  loop.damp(holding, velocity);
  // less than a cycle, and a time that is not usable, counts as one
  const double passed = std::max(time_of(cycles), time_of(1.0));
  const double power = velocity.dot(exerted.pass(loop.command()) - holding);
  const auto faster = damped_stop.update(velocity, inertia, power, passed);
  if (faster.cause != CollisionCause::none) {
    law.stop(faster);
  }
  if (damped_stop.failed() || damped_stop.settled()) {
    phase = TorquePhase::stopped;
  }
  if (released && !damped_stop.failed() && damped_stop.still()) {
    loop.relax();  // otherwise the robot's own stop follows
    begin(believed.position());
  }
}

TorqueLaw::TorqueLaw(Eigen::Index drives, const TorqueLawSettings & settings)
: parts_(std::make_unique<Parts>(drives, settings))
{
}
TorqueLaw::TorqueLaw(TorqueLaw && other) noexcept = default;
TorqueLaw & TorqueLaw::operator=(TorqueLaw && other) noexcept = default;
TorqueLaw::~TorqueLaw() = default;

Eigen::Index TorqueLaw::joint_count() const noexcept { return parts_->zero.size(); }
TorqueStart TorqueLaw::start(const VectorIn & position) noexcept { return parts_->start(position); }

void TorqueLaw::use(ControlModel * model) noexcept
{
  parts_->model = model;
  parts_->smooth_model.model_changed();
  parts_->inertia.restart();
  parts_->law.use(model);
}

void TorqueLaw::set_payload(const Payload & payload) noexcept
{
  parts_->law.set_payload(payload);
  parts_->smooth_model.model_changed();
  parts_->inertia.restart();
}

void TorqueLaw::set_collision(const CollisionSettings & settings) noexcept
{
  parts_->law.set_collision(settings);
}

void TorqueLaw::update(
  const Reference & reference, const Feedback & feedback, double cycles) noexcept
{
  parts_->update(reference, feedback, cycles);
}

void TorqueLaw::stop() noexcept
{
  auto & parts = *parts_;
  const bool guided = parts.phase == TorquePhase::guided;
  if (guided || parts.phase == TorquePhase::following) {
    parts.begin_stop();
    parts.released = guided;
  }
}

GuideStart TorqueLaw::guide() noexcept { return parts_->guide(); }

const Eigen::VectorXd & TorqueLaw::holding_torque() const noexcept { return parts_->holding; }
const Eigen::VectorXd & TorqueLaw::torque_command() const noexcept
{
  return parts_->loop.command();
}
TorquePhase TorqueLaw::phase() const noexcept { return parts_->phase; }
bool TorqueLaw::stop_failed() const noexcept { return parts_->damped_stop.failed(); }
bool TorqueLaw::settled() const noexcept { return stopped() && parts_->damped_stop.settled(); }
const ControlLaw & TorqueLaw::law() const noexcept { return parts_->law; }

}  // namespace dynid
