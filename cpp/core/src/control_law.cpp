#include "dynid/control_law.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "command_guard.hpp"
#include "command_path.hpp"
#include "disturbed_motion.hpp"
#include "dynid/delay_line.hpp"
#include "dynid/drive_clock.hpp"
#include "dynid/momentum_observer.hpp"
#include "input_monitor.hpp"
#include "law_state.hpp"
#include "setting_checks.hpp"
#include "stop_motion.hpp"

namespace dynid
{
namespace
{

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double rounding = 1e-9;              // of cycles
constexpr double longest_pause = 1e6;          // cycles
constexpr double uneven = 0.1;                 // of a cycle, too long or too short
constexpr double longest_ramp = 1e9;           // cycles
constexpr double farthest = 1e9;               // [rad or m] that a reference may be from 0
constexpr double longest_extrapolation = 1.0;  // [s]
constexpr double shortest_catching_up = 0.2;   // [s]
constexpr double late = 1.5;                   // cycles
constexpr double settling_after_late = 0.2;    // [s]

ControlLawSettings checked(ControlLawSettings settings, Eigen::Index drives)
{
  settings.check(drives);
  settings.limits.fill(drives);
  if (settings.torque_error_delay < 0) {
    settings.torque_error_delay = settings.feedforward.additive_torque_delay;
  }
  return settings;
}

int ramp_cycles(const FeedforwardSettings & settings)
{
  const double cycles = settings.ramp_time * settings.control_rate;
  return static_cast<int>(std::clamp(cycles, 1.0, longest_ramp));
}

/// Drives that move on by themselves leave little to catch up with, so that it takes a short time.
int catch_up_cycles(const ControlLawSettings & settings)
{
  const int longest = ramp_cycles(settings.feedforward);
  const double shorter = shortest_catching_up * settings.feedforward.control_rate;
  return settings.extrapolation_time > 0.0 ? std::clamp(static_cast<int>(shorter), 1, longest)
                                           : longest;
}

/// The time since the last cycle, in cycles: 1 where the given one cannot be.
double believable(double cycles)
{
  return cycles > 0.0 ? std::min(cycles, longest_pause) : 1.0;  // also for NaN
}

/// The longest time that may have passed: where several cycles come at once, more than has.
double longest_time(double cycles) { return std::max(1.0, believable(cycles)); }

/// Whether a stop follows from missing feedback, of which a collision cannot be the cause.
bool is_missing_input(CollisionCause cause)
{
  return cause == CollisionCause::no_position || cause == CollisionCause::no_velocity ||
         cause == CollisionCause::no_torque || cause == CollisionCause::frozen ||
         cause == CollisionCause::blind;
}

/// Whether the command comes to rest on its path for this reason before it follows again.
bool ends_in_rest(InactiveReason reason)
{
  return reason == InactiveReason::position_limit || reason == InactiveReason::too_fast ||
         reason == InactiveReason::uneven;
}

}  // namespace

void ControlLawSettings::check(Eigen::Index drives) const
{
  using S = DriveSetting;
  feedforward.check(drives);
  collision.check(drives);
  check_delay(torque_error_delay < 0 ? 0 : torque_error_delay);
  limits.check(drives);
  check_range("max_age", max_age, S::least, S::most);
  supervision.check();
  model_check.check();
  check_range("extrapolation_time", extrapolation_time, 0.0, longest_extrapolation);
  check_range("observer_gain", observer_gain, S::least, feedforward.control_rate);
  check_settings(
    drives, {
              {"deceleration", deceleration, S::least, S::most},
              {"reference_tolerance", reference_tolerance, 0.0, S::infinity},
            });
}

struct ControlLaw::Parts
{
  Parts(Eigen::Index drives, const ControlLawSettings & given);

  void start(const VectorIn & position) noexcept;
  void change(LawEvent event) noexcept { state = next_state(state, event); }
  void update(const Reference & given, const Feedback & feedback, double cycles) noexcept;
  void coast(int cycles) noexcept;
  void follow(const Reference & given, double cycles) noexcept;
  void follow_path() noexcept;
  void leave(InactiveReason why, int drive = -1) noexcept;
  void join(const Reference & given) noexcept;
  void send(InactiveReason found, const Reference & given) noexcept;
  /// Ignores torque errors while the drives' own loops replace a removed additive torque, or the
  /// motion is not that of the model.
  void suspend_detection() noexcept { suspended = suspension; }
  void watch(const Feedback & feedback, double cycles) noexcept;
  void expect() noexcept;
  void expect_coasting(int cycles) noexcept;
  void observe(const Feedback & feedback, double cycles) noexcept;
  void correct_after_late_cycles(
    const Feedback & feedback, const VectorIn & velocity_due, double cycles) noexcept;
  void supervise(double time) noexcept;
  void restart_monitor() noexcept;
  void begin_stop() noexcept;
  void come_to_rest(const Reference & given) noexcept;
  void update_commanded() noexcept;
  [[nodiscard]] double settling_time(Eigen::Index drive) const noexcept;

  ControlLawSettings settings;
  Feedforward feedforward;
  CollisionDetector detector;
  MomentumObserver observer;
  DisturbedMotion disturbed;
  double since_late = longest_pause;  // time since a late cycle [cycles]
  InputMonitor inputs;
  Supervision supervision;
  ModelMonitor monitor;
  StopMotion stop_motion;
  ControlModel * model = nullptr;
  LawState state = LawState::waiting;
  InactiveReason why = InactiveReason::none;  // the command waits
  int limited = -1;                           // drive that could not follow

  CommandPath path;
  CommandGuard guard;
  DriveClock clock;
  int extrapolated;                // longest time that drives move on without a command [cycles]
  double pending = 0.0;            // time of cycles in which the drives took no command [cycles]
  Eigen::VectorXd reference;       // the last that was finite
  Eigen::VectorXd reference_step;  // its velocity times the cycle
  Eigen::VectorXd coasted;         // by the drives alone since the last command
  Eigen::VectorXd velocity;        // of the command
  Eigen::VectorXd guard_deceleration;  // deceleration that the guard allows without a collision
  Reference commanded;                 // the motion of the position commands
  Reference motion;        // the motion of the expected torque: the reference or the commanded one
  double suspension;       // time for which torque errors are ignored [s]
  double suspended = 0.0;  // remaining time of that [s]

  // of the commands: model torque, velocity, acceleration, and 1 where there is a model torque, or
  // 0
  DelayLine expected_line;
  Eigen::VectorXd error;
  Eigen::VectorXd friction;  // dry, of the model
  Eigen::VectorXd no_error;  // of a model without one
};

ControlLaw::Parts::Parts(Eigen::Index drives, const ControlLawSettings & given)
: settings(checked(given, drives)),
  feedforward(drives, settings.feedforward),
  detector(drives, settings.collision),
  observer(drives, settings.observer_gain, settings.feedforward.control_rate),
  disturbed(drives, settings.feedforward.control_rate),
  inputs(drives, settings.max_age),
  supervision(settings.supervision, Eigen::VectorXd::Zero(drives)),
  monitor(drives, settings.model_check),
  stop_motion(drives, settings.feedforward.control_rate),
  path(
    drives, ramp_cycles(settings.feedforward), catch_up_cycles(settings),
    settings.reference_tolerance),
  guard(drives, settings.limits, settings.feedforward.control_rate),
  extrapolated(
    static_cast<int>(settings.extrapolation_time * settings.feedforward.control_rate + rounding)),
  guard_deceleration(settings.deceleration.cwiseMin(settings.limits.acceleration_max)),
  suspension(
    settings.feedforward.ramp_time +
    settings.torque_error_delay / settings.feedforward.control_rate),
  expected_line(settings.torque_error_delay, 3 * drives + 1)
{
  for (auto * vector :
       {&reference, &reference_step, &coasted, &velocity, &error, &friction, &commanded.position,
        &commanded.velocity, &commanded.acceleration, &motion.position, &motion.velocity,
        &motion.acceleration}) {
    vector->setZero(drives);
  }
  for (Eigen::Index i = 0; i < drives; ++i) {
    supervision.set_suspension(i, suspension + settling_time(i));
  }
}

void ControlLaw::Parts::start(const VectorIn & position) noexcept
{
  guard.start(position);
  reference = guard.command();
  state = LawState::waiting;
  why = InactiveReason::none;
  limited = -1;
  suspended = 0.0;
  pending = 0.0;
  clock.restart();
  path.rest_at(guard.command());
  stop_motion.hold(guard.command());
  update_commanded();
  expected_line.clear();
  feedforward.restart();
  observer.restart();
  disturbed.restart();
  since_late = longest_pause;
  inputs.restart();
  supervision.restart();
  restart_monitor();
  detector.reset();
}

void ControlLaw::Parts::update(
  const Reference & given, const Feedback & feedback, double cycles) noexcept
{
  if (extrapolated > 0) {
    const int passed = clock.pass(cycles);
    pending += cycles > 0.0 ? cycles : 0.0;  // also for NaN
    if (passed == 0) {
      return;  // another command would replace the last before a drive takes it
    }
    cycles = pending;
    pending = 0.0;
    coast(std::min(passed - 1, extrapolated));
  }
  if (std::abs(cycles - 1.0) > uneven) {
    detector.raise();  // uneven cycles cause torque errors even if the command is evened out
  }
  if (is_stop(state)) {
    come_to_rest(given);
    watch(feedback, cycles);  // torque error and level stay up to date until reset()
    return;
  }
  const double time = longest_time(cycles) / settings.feedforward.control_rate;
  inputs.update(
    feedback.position, feedback.velocity, feedback.torque, detector.supervised(), guard.command(),
    time);
  follow(given, cycles);
  watch(feedback, cycles);
  supervise(time);
  if (inputs.fault().cause != CollisionCause::none) {
    detector.stop(inputs.fault());
  }
  if (detector.level() == CollisionLevel::stop) {
    begin_stop();
    come_to_rest(given);
  }
}

/// Lets the command move on as the drives did without one.
void ControlLaw::Parts::coast(int cycles) noexcept
{
  coasted.setZero();
  if (cycles == 0 || guard.at_rest()) {
    return;
  }
  coasted = -guard.command();
  guard.coast(cycles);
  coasted += guard.command();
  path.rest_at(guard.command());
  stop_motion.shift(coasted);
  feedforward.repeat(cycles);
  expect_coasting(cycles);
}

void ControlLaw::Parts::follow(const Reference & given, double cycles) noexcept
{
  const bool had_torque = !feedforward.torque_offset().isZero(0.0);
  auto found = feedforward.check(given.position, given.velocity, given.acceleration, cycles);
  // also false for NaN
  if ((given.position.array().abs() <= farthest).all()) {
    reference = given.position;
    reference_step = given.velocity / settings.feedforward.control_rate;
    if (state == LawState::waiting || found == InactiveReason::command_jump) {
      join(given);
    } else if (!path.advance(reference, reference_step, cycles, coasted)) {
      leave(InactiveReason::uneven);
    }
  } else {
    found = InactiveReason::not_finite;
    leave(InactiveReason::not_finite);
  }
  if (state == LawState::following) {
    follow_path();
  }
  if (state == LawState::waiting) {
    guard.brake(stop_motion.next(), true);
    path.rest_at(guard.command());
  }
  update_commanded();
  send(found, given);
  const auto reason = feedforward.inactive_reason();
  const bool fades = ends_in_rest(reason) || reason == InactiveReason::no_model ||
                     reason == InactiveReason::model_wrong;
  if (had_torque && !fades && feedforward.torque_offset().isZero(0.0)) {
    suspend_detection();
  }
}

/// Starts to follow a reference, if it is near, and after a motion that ended in rest if that is
/// over and the limits permit it.
void ControlLaw::Parts::join(const Reference & given) noexcept
{
  const bool free = state == LawState::following || !ends_in_rest(why) ||
                    (guard.at_rest() && guard.beyond(reference) < 0);
  if (!free || !path.near(reference)) {
    leave(InactiveReason::reference_away);
    return;
  }
  path.join(reference);
  change(LawEvent::join);
  const auto & jump = settings.feedforward.position_jump;  // smaller ones are no jumps
  const auto & slow = settings.collision.low_speed;
  if (
    (path.join_offset().array().abs() > jump.array()).any() ||
    (given.velocity.array().abs() > slow.array()).any()) {
    suspend_detection();
  }
}

/// Follows the path within the limits; comes to rest where the command would lag too far behind.
void ControlLaw::Parts::follow_path() noexcept
{
  const auto & tolerance = settings.reference_tolerance;
  const int beyond = guard.beyond(path.command());
  if (beyond >= 0 && std::isfinite(tolerance[beyond])) {
    leave(InactiveReason::position_limit, beyond);
    return;
  }
  why = InactiveReason::none;
  limited = -1;
  guard.follow(path.command());
  if (guard.passed()) {
    return;
  }
  for (Eigen::Index i = 0; i < tolerance.size(); ++i) {
    if (std::abs(path.command()[i] - guard.command()[i]) > tolerance[i]) {
      guard.undo();
      leave(InactiveReason::too_fast, static_cast<int>(i));
      return;
    }
  }
}

/// Lets the command come to rest, until the path follows a reference again.
void ControlLaw::Parts::leave(InactiveReason reason, int drive) noexcept
{
  if (state == LawState::following) {
    velocity = settings.feedforward.control_rate * guard.step();
    stop_motion.begin(guard.command(), velocity, guard_deceleration);
  } else if (ends_in_rest(why)) {
    return;  // what ended the motion remains the reason
  }
  change(LawEvent::leave);
  why = reason;
  limited = drive;
}

/// Computes the commanded motion from the position commands.
void ControlLaw::Parts::update_commanded() noexcept
{
  const double rate = settings.feedforward.control_rate;
  commanded.position = guard.command();
  commanded.velocity = rate * guard.step();
  commanded.acceleration = rate * rate * (guard.step() - guard.step_before());
}

/// Computes the additive torque for the commanded motion.
void ControlLaw::Parts::send(InactiveReason found, const Reference & given) noexcept
{
  const bool follows = state == LawState::following;
  if (follows && guard.passed()) {
    const double rate = settings.feedforward.control_rate;
    motion.position = guard.command();
    motion.velocity = given.velocity + rate * path.extra_step();
    motion.acceleration = given.acceleration + rate * rate * path.extra_change();
  } else {
    motion = commanded;
  }
  if (follows) {
    feedforward.send(found, motion.position, motion.velocity, motion.acceleration);
  } else if (ends_in_rest(why)) {
    feedforward.fade(why, motion.position, motion.velocity, motion.acceleration);
  } else {
    feedforward.suspend(why);
  }
}

/// Stores the torque that the commanded motion is expected to take, as far as there is one.
void ControlLaw::Parts::expect() noexcept
{
  const auto n = error.size();
  auto expected = expected_line.entering();
  expected.setZero();
  if (feedforward.known()) {
    expected << feedforward.model_torque(), motion.velocity, motion.acceleration, 1.0;
  } else if (model != nullptr && state != LawState::following) {
    model->torque(
      FeedforwardMode::full, commanded.position, commanded.velocity, commanded.acceleration,
      expected.head(n));
    expected[3 * n] = 1.0;
  }
}

/// Stores that torque for cycles in which the drives moved on by themselves, at their velocity.
void ControlLaw::Parts::expect_coasting(int cycles) noexcept
{
  const auto n = error.size();
  auto expected = expected_line.entering();
  expected.setZero();
  velocity = settings.feedforward.control_rate * guard.step();
  expected.segment(n, n) = velocity;
  if (model != nullptr) {
    model->torque(
      FeedforwardMode::full, guard.command(), velocity, expected.segment(2 * n, n),
      expected.head(n));
    expected[3 * n] = 1.0;
  }
  expected_line.pass();
  expected_line.repeat(cycles - 1);
}

/// Evaluates torque errors and measured torque.
void ControlLaw::Parts::watch(const Feedback & feedback, double cycles) noexcept
{
  const auto n = error.size();
  expect();
  const auto due = expected_line.pass();
  auto unavailable = due[3 * n] > 0.5 ? BlindReason::none : BlindReason::model_torque;
  if (settings.method == DetectionMethod::torque_error) {
    error = due.head(n) - feedback.torque;
    if (unavailable == BlindReason::none) {
      correct_after_late_cycles(feedback, due.segment(n, n), believable(cycles));
    } else {
      disturbed.restart();
    }
  } else {
    observe(feedback, believable(cycles));
    unavailable = BlindReason::none;
  }
  if (suspended > 0.0) {
    suspended -= longest_time(cycles) / settings.feedforward.control_rate;
    unavailable = BlindReason::suspended;
  }
  if (model != nullptr) {
    model->dry_friction(friction);
  } else {
    unavailable = BlindReason::no_model;
    friction.setZero();
  }
  if (unavailable == BlindReason::none) {
    monitor.update(
      error, feedback.torque, due.segment(n, n), settings.collision.low_speed,
      believable(cycles) / settings.feedforward.control_rate);
    feedforward.trust(monitor.drive() < 0);
  }
  detector.set_friction(friction);
  detector.update(
    error, feedback.torque, due.segment(n, n), due.segment(2 * n, n), unavailable,
    believable(cycles));
}

/// After a late cycle, takes the torque error of the measured motion.
void ControlLaw::Parts::correct_after_late_cycles(
  const Feedback & feedback, const VectorIn & velocity_due, double cycles) noexcept
{
  disturbed.update(error, feedback.velocity, velocity_due, cycles);
  since_late = cycles > late ? 0.0 : std::min(since_late + cycles, longest_pause);
  const bool settled = since_late > settling_after_late * settings.feedforward.control_rate;
  if (!settled && model != nullptr && feedback.position.allFinite()) {
    disturbed.correct(*model, feedback.position, error);
  }
}

/// The torque error by the observer; NaN where feedback is missing.
void ControlLaw::Parts::observe(const Feedback & feedback, double cycles) noexcept
{
  error.setConstant(not_a_number);
  if (model == nullptr) {
    observer.restart();
    return;
  }
  const auto & observed =
    observer.update(*model, feedback.position, feedback.velocity, feedback.torque, cycles);
  for (Eigen::Index i = 0; i < error.size(); ++i) {
    const bool measured =
      MomentumObserver::measured(feedback.position[i], feedback.velocity[i], feedback.torque[i]);
    error[i] = measured ? observed[i] : not_a_number;
  }
}

/// Stops where a drive's torque was not evaluated for too long.
void ControlLaw::Parts::supervise(double time) noexcept
{
  const bool settled = settings.method != DetectionMethod::momentum || observer.settled();
  for (Eigen::Index i = 0; i < error.size(); ++i) {
    auto reason = detector.blind(i);
    if (reason == BlindReason::none && inputs.constant_torque(i)) {
      reason = BlindReason::constant_torque;
    } else if (reason == BlindReason::none && !settled) {
      reason = BlindReason::settling;
    }
    supervision.count(i, reason, time);
  }
  if (const auto blind = supervision.stopped(); blind.drive >= 0) {
    detector.stop({CollisionCause::blind, blind.drive, blind.time, blind.limit, 0, blind.reason});
  }
}

/// Stops from the previous command and its velocity, independent of the reference.
void ControlLaw::Parts::begin_stop() noexcept
{
  const bool collided = !is_missing_input(detector.collision().cause);
  velocity = settings.feedforward.control_rate * guard.step();
  guard.undo();
  if (collided && settings.reaction == CollisionReaction::hold) {
    stop_motion.hold(guard.command());
  } else {
    stop_motion.begin(guard.command(), velocity, settings.deceleration);
  }
  change(LawEvent::stop);
}

void ControlLaw::Parts::come_to_rest(const Reference & given) noexcept
{
  feedforward.suspend(InactiveReason::latched);
  guard.brake(stop_motion.next(), false);
  path.rest_at(guard.command());
  update_commanded();
  reference = given.position.allFinite() ? given.position : path.command();
  if (stop_motion.at_rest() && guard.at_rest()) {
    change(LawEvent::rest);
  }
}

void ControlLaw::Parts::restart_monitor() noexcept
{
  monitor.restart(model != nullptr ? model->error() : no_error);
  feedforward.trust(true);
}

double ControlLaw::Parts::settling_time(Eigen::Index drive) const noexcept
{
  const bool observed = settings.method == DetectionMethod::momentum;
  return detector.settling_time(drive) + (observed ? observer.settling_time() : 0.0);
}

ControlLaw::ControlLaw(Eigen::Index drives, const ControlLawSettings & settings)
: parts_(std::make_unique<Parts>(drives, settings))
{
}
ControlLaw::ControlLaw(ControlLaw && other) noexcept = default;
ControlLaw & ControlLaw::operator=(ControlLaw && other) noexcept = default;
ControlLaw::~ControlLaw() = default;

Eigen::Index ControlLaw::joint_count() const noexcept { return parts_->error.size(); }

void ControlLaw::start(const VectorIn & position) noexcept { parts_->start(position); }

void ControlLaw::use(ControlModel * model) noexcept
{
  parts_->model = model;
  parts_->expected_line.clear();
  parts_->restart_monitor();
  parts_->feedforward.use(model);
  parts_->observer.restart();
}

void ControlLaw::set_payload(const Payload & payload) noexcept
{
  auto & parts = *parts_;
  if (parts.model != nullptr) {
    parts.model->set_payload(payload);
    use(parts.model);
  }
}

void ControlLaw::set_gain(double gain) noexcept { parts_->feedforward.set_gain(gain); }
void ControlLaw::set_mode(FeedforwardMode mode) noexcept { parts_->feedforward.set_mode(mode); }
void ControlLaw::set_reaction(CollisionReaction reaction) noexcept
{
  parts_->settings.reaction = reaction;
}

void ControlLaw::set_collision(const CollisionSettings & settings) noexcept
{
  auto & parts = *parts_;
  parts.detector.set(settings);
  parts.settings.collision.low_speed = settings.low_speed;
  for (Eigen::Index i = 0; i < parts.error.size(); ++i) {
    parts.supervision.set_suspension(i, parts.suspension + parts.settling_time(i));
  }
}

void ControlLaw::stop(const Collision & found) noexcept
{
  auto & parts = *parts_;
  parts.detector.stop(found);
  if (!is_stop(parts.state)) {
    parts.begin_stop();
    parts.come_to_rest(parts.commanded);
  }
}

void ControlLaw::update(
  const Reference & reference, const Feedback & feedback, double cycles) noexcept
{
  parts_->update(reference, feedback, cycles);
}

ResetReport ControlLaw::reset() noexcept
{
  auto & parts = *parts_;
  Eigen::Index drive = 0;
  const double distance = (parts.reference - parts.path.command()).cwiseAbs().maxCoeff(&drive);
  ResetReport report{ResetAnswer::done, static_cast<int>(drive), distance};
  if (!is_stop(parts.state)) {
    report.answer = ResetAnswer::nothing_latched;
  } else if (parts.state == LawState::stopping) {
    report.answer = ResetAnswer::moving;
  } else if (!parts.path.near(parts.reference)) {
    report.answer = ResetAnswer::reference_away;
  } else {
    parts.change(LawEvent::reset);
    parts.start(parts.path.command());
  }
  return report;
}

const Eigen::VectorXd & ControlLaw::position_command() const noexcept
{
  return parts_->guard.command();
}
const Reference & ControlLaw::commanded_motion() const noexcept
{
  const auto & parts = *parts_;
  const bool given = !is_stop(parts.state) && parts.feedforward.known() &&
                     parts.motion.position == parts.guard.command();
  return given ? parts.motion : parts.commanded;
}
const Eigen::VectorXd & ControlLaw::torque_offset() const noexcept
{
  return parts_->feedforward.torque_offset();
}
const Eigen::VectorXd & ControlLaw::torque_error() const noexcept { return parts_->error; }
const CollisionDetector & ControlLaw::detector() const noexcept { return parts_->detector; }
InactiveReason ControlLaw::inactive_reason() const noexcept
{
  return parts_->feedforward.inactive_reason();
}
double ControlLaw::gain() const noexcept { return parts_->feedforward.gain(); }
LawState ControlLaw::state() const noexcept { return parts_->state; }
const Supervision & ControlLaw::supervision() const noexcept { return parts_->supervision; }
int ControlLaw::limited_drive() const noexcept
{
  const bool wrong = inactive_reason() == InactiveReason::model_wrong;
  return wrong ? parts_->monitor.drive() : parts_->limited;
}

}  // namespace dynid
