#include "dynid/torque_law.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dynid/delay_line.hpp"
#include "setting_checks.hpp"
#include "torque_loop.hpp"

namespace dynid
{
namespace
{

constexpr double still_time = 0.02;  // [s] at rest without interruption, to be stopped

TorqueLawSettings checked(TorqueLawSettings settings, Eigen::Index drives)
{
  settings.check(drives);
  return settings;
}

/// Whether one of the measured speeds is above its limit; not for NaN.
bool any_above(const VectorIn & values, const Eigen::VectorXd & limits) noexcept
{
  return (values.array().abs() > limits.array()).any();
}

}  // namespace

void TorqueLawSettings::check(Eigen::Index drives) const
{
  using S = DriveSetting;
  law.check(drives);
  check_delay(feedback_delay);
  check_range("stop_time", stop_time, 0.0, S::most);
  check_settings(
    drives, {
              {"stiffness", stiffness, 0.0, S::most},
              {"damping", damping, 0.0, S::most},
              {"integral_gain", integral_gain, 0.0, S::most},
              {"integral_max", integral_max, 0.0, S::most},
              {"torque_rate_max", torque_rate_max, S::least, S::infinity},
              {"position_error_max", position_error_max, S::least, S::infinity},
              {"speed_max", speed_max, S::least, S::infinity},
              {"stop_damping", stop_damping, 0.0, S::most},
              {"stop_speed", stop_speed, S::least, S::infinity},
            });
}

struct TorqueLaw::Parts
{
  Parts(Eigen::Index drives, const TorqueLawSettings & given);

  bool start(const VectorIn & position) noexcept;
  void update(const Reference & reference, const Feedback & feedback, double cycles) noexcept;
  void follow(const Reference & reference, const Feedback & feedback, double cycles) noexcept;
  void damp(const Feedback & feedback, double cycles) noexcept;
  bool update_holding(const VectorIn & position) noexcept;
  bool update_model(const Reference & motion) noexcept;
  void fade() noexcept;
  void check(const Feedback & feedback) noexcept;
  void stop(const Collision & cause) noexcept;
  void begin_stop() noexcept;

  TorqueLawSettings settings;
  ControlLaw law;
  TorqueLoop loop;
  ControlModel * model = nullptr;
  TorquePhase phase = TorquePhase::inactive;
  double fading_step;          // in a cycle
  double fading = 0.0;         // of the difference to the model before, from 1 to 0
  bool changed = false;        // whether the model has changed since the last cycle
  double stop_duration = 0.0;  // [s]
  double still = 0.0;          // time at rest [s]

  DelayLine due;
  Eigen::VectorXd commanded;     // position and velocity (2 n)
  Eigen::VectorXd measured;      // position, the last finite one of each drive
  Eigen::VectorXd holding;       // torque that the command must hold the robot with
  Eigen::VectorXd held;          // the model's, before it is known to be finite
  Eigen::VectorXd smooth_model;  // torque of the model with the difference to the one before
  Eigen::VectorXd model_torque;
  Eigen::VectorXd difference;
  Eigen::VectorXd zero;
};

TorqueLaw::Parts::Parts(Eigen::Index drives, const TorqueLawSettings & given)
: settings(checked(given, drives)),
  law(drives, settings.law),
  loop(settings),
  due(settings.feedback_delay, 2 * drives)
{
  const auto & feedforward = settings.law.feedforward;
  commanded.setZero(2 * drives);
  fading_step = 1.0 / std::max(1.0, feedforward.ramp_time * feedforward.control_rate);
  for (auto * vector :
       {&measured, &holding, &held, &smooth_model, &model_torque, &difference, &zero}) {
    vector->setZero(drives);
  }
}

bool TorqueLaw::Parts::start(const VectorIn & position) noexcept
{
  phase = TorquePhase::inactive;
  holding.setZero();
  loop.start(zero);
  if (!position.allFinite() || !update_holding(position)) {
    return false;
  }
  measured = position;
  law.start(position);
  loop.start(holding);
  commanded << position, zero;
  due.fill(commanded);
  smooth_model = holding;
  changed = false;
  fading = 0.0;
  phase = TorquePhase::following;
  return true;
}

/// Computes the holding torque; false where there is none, and then it stays.
bool TorqueLaw::Parts::update_holding(const VectorIn & position) noexcept
{
  if (settings.gravity == GravityBy::robot) {
    return true;
  }
  if (model == nullptr) {
    return false;
  }
  model->holding_torque(position, held);
  if (!held.allFinite()) {
    return false;
  }
  holding = held;
  return true;
}

/// Computes the model's part of the command; false where it is not finite.
bool TorqueLaw::Parts::update_model(const Reference & motion) noexcept
{
  if (model == nullptr) {
    model_torque.setZero();
    return settings.gravity == GravityBy::robot;
  }
  const auto & q = motion.position;
  if (settings.compensation == Compensation::full) {
    model->torque(FeedforwardMode::full, q, motion.velocity, motion.acceleration, model_torque);
  } else if (settings.compensation == Compensation::rigid_body) {
    model->frictionless_torque(q, motion.velocity, motion.acceleration, model_torque);
  } else {
    model->frictionless_torque(q, zero, zero, model_torque);
  }
  if (settings.gravity == GravityBy::robot) {
    model->frictionless_torque(q, zero, zero, held);
    model_torque -= held;
  }
  return model_torque.allFinite();
}

/// Lets the difference to the model before fade out.
void TorqueLaw::Parts::fade() noexcept
{
  if (changed) {
    changed = false;
    difference = smooth_model - model_torque;
    fading = 1.0;
  }
  fading = std::max(0.0, fading - fading_step);
  smooth_model = model_torque;
  if (fading > 0.0) {
    smooth_model += fading * difference;
  }
}

void TorqueLaw::Parts::update(
  const Reference & reference, const Feedback & feedback, double cycles) noexcept
{
  if (phase == TorquePhase::inactive) {
    return;
  }
  measured = feedback.position.array().isFinite().select(feedback.position, measured);
  if (phase == TorquePhase::following) {
    follow(reference, feedback, cycles);
  }
  if (phase != TorquePhase::following) {
    damp(feedback, cycles);
  }
}

void TorqueLaw::Parts::follow(
  const Reference & reference, const Feedback & feedback, double cycles) noexcept
{
  law.update(reference, feedback, cycles);
  if (law.latched()) {
    begin_stop();
    return;
  }
  check(feedback);
  if (phase != TorquePhase::following) {
    return;
  }
  const auto & motion = law.commanded_motion();
  if (!update_holding(measured) || !update_model(motion)) {
    stop({CollisionCause::no_model, 0, 0.0, 0.0, 0});
    return;
  }
  fade();
  commanded << law.position_command(), motion.velocity;
  loop.follow(smooth_model, due.pass(commanded), feedback);
}

/// Stops the robot where it is too far from its command, or too fast.
void TorqueLaw::Parts::check(const Feedback & feedback) noexcept
{
  const auto & command = law.position_command();
  for (Eigen::Index i = 0; i < command.size(); ++i) {
    const double error = std::abs(command[i] - feedback.position[i]);
    const double speed = std::abs(feedback.velocity[i]);
    const auto drive = static_cast<int>(i);
    if (error > settings.position_error_max[i]) {
      stop({CollisionCause::position_error, drive, error, settings.position_error_max[i], 0});
      return;
    }
    if (speed > settings.speed_max[i]) {
      stop({CollisionCause::speed, drive, speed, settings.speed_max[i], 0});
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
  phase = TorquePhase::stopping;
  stop_duration = 0.0;
  still = 0.0;
}

void TorqueLaw::Parts::damp(const Feedback & feedback, double cycles) noexcept
{
  update_holding(measured);
  loop.damp(holding, feedback.velocity);
  // a time that is not usable counts as one cycle
  const double passed = (cycles >= 1.0 ? cycles : 1.0) / settings.law.feedforward.control_rate;
  const bool moves =
    !feedback.velocity.allFinite() || any_above(feedback.velocity, settings.stop_speed);
  still = moves ? 0.0 : still + passed;
  stop_duration += passed;
  if (still >= still_time || stop_duration >= settings.stop_time) {
    phase = TorquePhase::stopped;
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
bool TorqueLaw::start(const VectorIn & position) noexcept { return parts_->start(position); }

void TorqueLaw::use(ControlModel * model) noexcept
{
  parts_->model = model;
  parts_->changed = true;
  parts_->law.use(model);
}

void TorqueLaw::set_payload(const Payload & payload) noexcept
{
  parts_->law.set_payload(payload);
  parts_->changed = true;
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
  if (parts_->phase == TorquePhase::following) {
    parts_->begin_stop();
  }
}

const Eigen::VectorXd & TorqueLaw::holding_torque() const noexcept { return parts_->holding; }
const Eigen::VectorXd & TorqueLaw::torque_command() const noexcept
{
  return parts_->loop.command();
}
TorquePhase TorqueLaw::phase() const noexcept { return parts_->phase; }
const ControlLaw & TorqueLaw::law() const noexcept { return parts_->law; }

}  // namespace dynid
