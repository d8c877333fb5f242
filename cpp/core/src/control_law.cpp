#include "dynid/control_law.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "command_guard.hpp"
#include "command_path.hpp"
#include "dynid/delay_line.hpp"
#include "dynid/momentum_observer.hpp"
#include "input_monitor.hpp"
#include "setting_checks.hpp"
#include "stop_motion.hpp"

namespace dynid
{
namespace
{

constexpr double uneven = 0.1;        // of a cycle, too long or too short
constexpr double longest_ramp = 1e9;  // cycles
constexpr double farthest = 1e9;      // [rad or m] that a reference may be from 0

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

/// Whether the command comes to rest on its path for this reason before it follows again.
bool ends_in_rest(InactiveReason reason)
{
  return reason == InactiveReason::position_limit || reason == InactiveReason::too_fast ||
         reason == InactiveReason::uneven;
}

/// 1 for drives (n,) whose torque is supervised, else 0.
void find_supervised(const CollisionSettings & settings, Eigen::VectorXd & found) noexcept
{
  for (Eigen::Index i = 0; i < found.size(); ++i) {
    const bool errors =
      settings.torque_error_enable[i] > 0.5 && std::isfinite(settings.torque_error_max[i]);
    found[i] = errors || std::isfinite(settings.torque_threshold[i]) ? 1.0 : 0.0;
  }
}

}  // namespace

Eigen::VectorXd supervised(const CollisionSettings & settings)
{
  Eigen::VectorXd found(settings.torque_threshold.size());
  find_supervised(settings, found);
  return found;
}

void ControlLawSettings::check(Eigen::Index drives) const
{
  using S = DriveSetting;
  feedforward.check(drives);
  collision.check(drives);
  check_delay(torque_error_delay < 0 ? 0 : torque_error_delay);
  limits.check(drives);
  check_range("max_age", max_age, S::least, S::most);
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
  void update(const Reference & given, const Feedback & feedback, double cycles) noexcept;
  void follow(const Reference & given, double cycles) noexcept;
  void follow_path() noexcept;
  void rest(InactiveReason why, int drive = -1) noexcept;
  void send(InactiveReason found, const Reference & given) noexcept;
  /// Ignores torque errors while the drives' own loops replace a removed additive torque, or the
  /// motion is not that of the model.
  void suspend_detection() noexcept { suspended = ramp + settings.torque_error_delay; }
  CollisionLevel watch(const Feedback & feedback) noexcept;
  void observe(const Feedback & feedback) noexcept;
  void stop() noexcept;
  void come_to_rest(const Reference & given) noexcept;
  void update_commanded() noexcept;

  ControlLawSettings settings;
  Feedforward feedforward;
  CollisionDetector detector;
  MomentumObserver observer;
  InputMonitor inputs;
  StopMotion stop_motion;
  ControlModel * model = nullptr;
  bool latched = false;

  CommandPath path;
  CommandGuard guard;
  InactiveReason why = InactiveReason::none;  // the reference is not followed
  int limited = -1;                           // drive that could not follow
  Eigen::VectorXd reference;                  // the last that was finite
  Eigen::VectorXd step;                // of the reference's velocity in a cycle, or a velocity
  Eigen::VectorXd guard_deceleration;  // deceleration that the guard allows without a collision
  Eigen::VectorXd torque_counts;
  Reference commanded;  // the motion of the position commands
  Reference motion;     // the motion of the expected torque: the reference or the commanded one
  int ramp;             // cycles
  int suspended = 0;    // remaining cycles in which torque errors are ignored

  DelayLine expected_line;  // model torque, velocity, acceleration (3 n) of the commands
  int known = 0;            // cycles since when there is a model torque
  Eigen::VectorXd error;
  Eigen::VectorXd friction;  // dry, of the model
};

ControlLaw::Parts::Parts(Eigen::Index drives, const ControlLawSettings & given)
: settings(checked(given, drives)),
  feedforward(drives, settings.feedforward),
  detector(drives, settings.collision),
  observer(drives, settings.observer_gain, settings.feedforward.control_rate),
  inputs(drives, settings.max_age, settings.feedforward.control_rate),
  stop_motion(drives, settings.feedforward.control_rate),
  path(drives, ramp_cycles(settings.feedforward), settings.reference_tolerance),
  guard(drives, settings.limits, settings.feedforward.control_rate),
  guard_deceleration(settings.deceleration.cwiseMin(settings.limits.acceleration_max)),
  ramp(ramp_cycles(settings.feedforward)),
  expected_line(settings.torque_error_delay, 3 * drives)
{
  for (auto * vector :
       {&reference, &step, &error, &friction, &commanded.position, &commanded.velocity,
        &commanded.acceleration, &motion.position, &motion.velocity, &motion.acceleration}) {
    vector->setZero(drives);
  }
  torque_counts.setZero(drives);
  find_supervised(settings.collision, torque_counts);
}

void ControlLaw::Parts::start(const VectorIn & position) noexcept
{
  guard.start(position);
  reference = guard.command();
  latched = false;
  known = 0;
  suspended = 0;
  why = InactiveReason::none;
  limited = -1;
  path.start(guard.command());
  stop_motion.hold(guard.command());
  update_commanded();
  feedforward.restart();
  observer.restart();
  inputs.restart();
  detector.reset();
}

void ControlLaw::Parts::update(
  const Reference & given, const Feedback & feedback, double cycles) noexcept
{
  if (std::abs(cycles - 1.0) > uneven) {
    detector.raise();  // uneven cycles cause torque errors even if the command is evened out
  }
  if (latched) {
    come_to_rest(given);
    watch(feedback);  // torque error and level stay up to date until reset()
    return;
  }
  inputs.update(
    feedback.position, feedback.velocity, feedback.torque, torque_counts, guard.command(), cycles);
  follow(given, cycles);
  const auto level = watch(feedback);
  const bool missing = inputs.fault().cause != CollisionCause::none;
  if (missing) {
    detector.stop(inputs.fault());
  }
  if (missing || level == CollisionLevel::stop) {
    stop();
    come_to_rest(given);
  }
}

void ControlLaw::Parts::follow(const Reference & given, double cycles) noexcept
{
  const bool had_torque = !feedforward.torque_offset().isZero(0.0);
  auto found = feedforward.check(given.position, given.velocity, given.acceleration, cycles);
  const bool followed = path.following();
  // also false for NaN
  if ((given.position.array().abs() <= farthest).all()) {
    reference = given.position;
    step = given.velocity / settings.feedforward.control_rate;
    const bool joins = !ends_in_rest(why) || (guard.at_rest() && guard.beyond(reference) < 0);
    path.follow(reference, step, cycles, found == InactiveReason::command_jump, joins);
    const auto & passed = settings.feedforward.position_jump;  // smaller ones are no jumps
    const auto & slow = settings.collision.low_speed;
    if (
      path.joined() && ((path.join_offset().array().abs() > passed.array()).any() ||
                        (given.velocity.array().abs() > slow.array()).any())) {
      suspend_detection();
    }
    if (path.too_uneven()) {
      rest(InactiveReason::uneven);
    } else if (path.following()) {
      follow_path();
    } else if (!ends_in_rest(why)) {
      rest(InactiveReason::reference_away);
    }
  } else {
    found = InactiveReason::not_finite;
    path.wait(guard.command());
    if (!ends_in_rest(why)) {
      rest(InactiveReason::not_finite);
    }
  }
  if (followed && !path.following()) {
    step = settings.feedforward.control_rate * guard.step();  // a velocity
    stop_motion.begin(guard.command(), step, guard_deceleration);
  }
  if (!path.following()) {
    guard.brake(stop_motion.next(), true);
    path.wait(guard.command());
  }
  update_commanded();
  send(found, given);
  const auto reason = feedforward.inactive_reason();
  const bool fades = ends_in_rest(reason) || reason == InactiveReason::no_model;
  if (had_torque && !fades && feedforward.torque_offset().isZero(0.0)) {
    suspend_detection();
  }
}

/// Follows the path within the limits; comes to rest where the command would lag too far behind.
void ControlLaw::Parts::follow_path() noexcept
{
  const auto & tolerance = settings.reference_tolerance;
  const int beyond = guard.beyond(path.command());
  if (beyond >= 0 && std::isfinite(tolerance[beyond])) {
    rest(InactiveReason::position_limit, beyond);
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
      rest(InactiveReason::too_fast, static_cast<int>(i));
      return;
    }
  }
}

/// Lets the command come to rest, until the path follows a reference again.
void ControlLaw::Parts::rest(InactiveReason reason, int drive) noexcept
{
  why = reason;
  limited = drive;
  path.wait(guard.command());
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
  motion = path.following() && guard.passed() ? given : commanded;
  if (path.following()) {
    feedforward.send(found, motion.position, motion.velocity, motion.acceleration);
  } else if (ends_in_rest(why)) {
    feedforward.fade(why, motion.position, motion.velocity, motion.acceleration);
  } else {
    feedforward.suspend(why);
  }
}

CollisionLevel ControlLaw::Parts::watch(const Feedback & feedback) noexcept
{
  const auto n = error.size();
  const bool known_motion = feedforward.known();
  const bool held = !known_motion && model != nullptr && !path.following();
  auto expected = expected_line.entering();
  if (known_motion) {
    expected.head(n) = feedforward.model_torque();
    expected.segment(n, n) = motion.velocity;
    expected.tail(n) = motion.acceleration;
  } else {
    expected.setZero();
  }
  if (held) {
    model->torque(
      FeedforwardMode::full, commanded.position, commanded.velocity, commanded.acceleration,
      expected.head(n));
  }
  known = known_motion || held ? std::min(known + 1, settings.torque_error_delay + 1) : 0;
  const auto due = expected_line.pass();
  bool errors_count = known > settings.torque_error_delay;
  if (settings.method == DetectionMethod::torque_error) {
    error = due.head(n) - feedback.torque;
  } else {
    errors_count = model != nullptr;
    observe(feedback);
  }
  if (suspended > 0) {
    --suspended;
    errors_count = false;
  }
  if (model != nullptr) {
    model->dry_friction(friction);
  } else {
    friction.setZero();
  }
  detector.set_friction(friction);
  return detector.update(error, feedback.torque, due.segment(n, n), due.tail(n), errors_count);
}

/// The torque error by the observer; NaN where feedback is missing.
void ControlLaw::Parts::observe(const Feedback & feedback) noexcept
{
  const bool finite =
    feedback.position.allFinite() && feedback.velocity.allFinite() && feedback.torque.allFinite();
  if (model != nullptr && finite) {
    error = observer.update(*model, feedback.position, feedback.velocity, feedback.torque);
  } else {
    observer.restart();
    error.setConstant(std::numeric_limits<double>::quiet_NaN());
  }
}

/// Stops from the previous command and its velocity, independent of the reference.
void ControlLaw::Parts::stop() noexcept
{
  latched = true;
  step = settings.feedforward.control_rate * guard.step();  // here a velocity
  guard.undo();
  const bool collided = inputs.fault().cause == CollisionCause::none;
  if (collided && settings.reaction == CollisionReaction::hold) {
    stop_motion.hold(guard.command());
  } else {
    stop_motion.begin(guard.command(), step, settings.deceleration);
  }
}

void ControlLaw::Parts::come_to_rest(const Reference & given) noexcept
{
  feedforward.suspend(InactiveReason::latched);
  guard.brake(stop_motion.next(), false);
  path.start(guard.command());
  update_commanded();
  reference = given.position.allFinite() ? given.position : path.command();
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
  parts_->known = 0;
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
  parts_->detector.set(settings);
  parts_->settings.collision.low_speed = settings.low_speed;
  find_supervised(settings, parts_->torque_counts);
}

void ControlLaw::stop(const Collision & found) noexcept
{
  auto & parts = *parts_;
  parts.detector.stop(found);
  if (!parts.latched) {
    parts.stop();
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
  if (!parts.latched) {
    report.answer = ResetAnswer::nothing_latched;
  } else if (!(parts.stop_motion.at_rest() && parts.guard.at_rest())) {
    report.answer = ResetAnswer::moving;
  } else if (!parts.path.near(parts.reference)) {
    report.answer = ResetAnswer::reference_away;
  } else {
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
  const bool given =
    !parts.latched && parts.feedforward.known() && parts.motion.position == parts.guard.command();
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
bool ControlLaw::latched() const noexcept { return parts_->latched; }
int ControlLaw::limited_drive() const noexcept { return parts_->limited; }
const Eigen::VectorXd & ControlLaw::supervised() const noexcept { return parts_->torque_counts; }

}  // namespace dynid
