#include "dynid/control_law.hpp"

#include <algorithm>
#include <cmath>

#include "collision_watch.hpp"
#include "command_guard.hpp"
#include "command_path.hpp"
#include "cycle_time.hpp"
#include "dynid/drive_clock.hpp"
#include "elastic_reference.hpp"
#include "law_state.hpp"
#include "numbers.hpp"
#include "setting_checks.hpp"
#include "stiction_compensation.hpp"
#include "stop_motion.hpp"

namespace dynid
{
namespace
{

constexpr double longest_ramp = 1e9;          // cycles
constexpr double shortest_catching_up = 0.2;  // [s]

ControlLawSettings checked(ControlLawSettings settings, Eigen::Index drives)
{
  settings.check(drives);
  settings.limits.fill(drives);
  if (settings.torque_error_delay < 0.0) {
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
  check_declared(*this, drives);
  feedforward.check(drives);
  collision.check(drives);
  limits.check(drives);
  supervision.check();
  stiction.check(drives);
  elastic.check(drives);
  model_monitor.check();
  const double rate = feedforward.control_rate;
  check_delay("torque_error_delay", torque_error_delay < 0.0 ? 0.0 : torque_error_delay, rate);
  check_range("observer_gain", observer_gain, Setting::least, rate);
}

struct ControlLaw::Parts
{
  Parts(Eigen::Index drives, const ControlLawSettings & given);

  void rest_at(const VectorIn & position, InactiveReason reason) noexcept;
  void start(const VectorIn & position) noexcept;
  void guide(const VectorIn & position) noexcept;
  void change(LawEvent event) noexcept { state = next_state(state, event); }
  void update(
    const Reference & given, const Feedback & feedback, double cycles,
    std::optional<int> drive_cycles) noexcept;
  void coast(int cycles) noexcept;
  void follow(const Reference & given, const Feedback & feedback, double cycles) noexcept;
  void follow_path() noexcept;
  void leave(InactiveReason why, int drive = -1) noexcept;
  void join(const Reference & given) noexcept;
  void send(InactiveReason found, const Reference & given) noexcept;
  void watch_torque(const Feedback & feedback, double cycles, double measured) noexcept;
  void begin_stop() noexcept;
  void come_to_rest(const Reference & given) noexcept;
  void update_commanded() noexcept;

  ControlLawSettings settings;
  Feedforward feedforward;
  StictionCompensation stiction;
  ElasticReference elastic;
  CollisionWatch watch;
  StopMotion stop_motion;
  ControlModel * model = nullptr;
  bool model_acts = true;  // the gain of its torque is above 0
  LawState state = LawState::waiting;
  InactiveReason why = InactiveReason::none;  // the command waits
  int limited = -1;                           // drive that could not follow

  CommandPath path;
  CommandGuard guard;
  DriveClock clock;
  int extrapolated;                // longest time that drives move on without a command [cycles]
  double pending = 0.0;            // time of cycles in which the drives took no command [cycles]
  double before = 1.0;             // time of the last cycle [cycles]
  Eigen::VectorXd reference;       // the last that was finite
  Eigen::VectorXd reference_step;  // its velocity times the cycle
  Eigen::VectorXd coasted;         // by the drives alone since the last command
  Eigen::VectorXd velocity;        // of the command
  Eigen::VectorXd guard_deceleration;  // deceleration that the guard allows without a collision
  Reference commanded;                 // the motion of the position commands
  Reference motion;  // the motion of the expected torque: the reference or the commanded one
};

ControlLaw::Parts::Parts(Eigen::Index drives, const ControlLawSettings & given)
: settings(checked(given, drives)),
  feedforward(drives, settings.feedforward),
  // additive torque is delayed, and then acts and is measured as late as a command is
  stiction(
    drives, settings, settings.feedforward.additive_torque_delay + settings.torque_error_delay),
  elastic(drives, settings),
  watch(drives, settings),
  stop_motion(drives, settings.feedforward.control_rate),
  path(
    drives, ramp_cycles(settings.feedforward), catch_up_cycles(settings),
    settings.reference_tolerance),
  guard(drives, settings.limits, settings.feedforward.control_rate),
  extrapolated(
    static_cast<int>(
      settings.extrapolation_time * settings.feedforward.control_rate + cycle_rounding)),
  guard_deceleration(settings.deceleration.cwiseMin(settings.limits.acceleration_max))
{
  for (auto * vector :
       {&reference, &reference_step, &coasted, &velocity, &commanded.position, &commanded.velocity,
        &commanded.acceleration, &motion.position, &motion.velocity, &motion.acceleration}) {
    vector->setZero(drives);
  }
}

/// Lets the command rest at a position, if it is finite, and wait for a reference.
void ControlLaw::Parts::rest_at(const VectorIn & position, InactiveReason reason) noexcept
{
  guard.start(position);
  reference = guard.command();
  state = LawState::waiting;
  why = reason;
  limited = -1;
  path.rest_at(guard.command());
  stop_motion.hold(guard.command());
  update_commanded();
  stiction.restart();
  feedforward.push(stiction.torque());
  elastic.restart();
}

void ControlLaw::Parts::start(const VectorIn & position) noexcept
{
  rest_at(position, InactiveReason::none);
  pending = 0.0;
  before = 1.0;
  clock.restart();
  feedforward.restart();
  watch.restart();
}

void ControlLaw::Parts::guide(const VectorIn & position) noexcept
{
  rest_at(position, InactiveReason::guided);
  feedforward.suspend(why);
  watch.leave_unsupervised();
}

void ControlLaw::Parts::update(
  const Reference & given, const Feedback & feedback, double cycles,
  std::optional<int> drive_cycles) noexcept
{
  if (extrapolated > 0) {
    const int passed = drive_cycles ? std::max(0, *drive_cycles) : clock.pass(cycles);
    pending += cycles > 0.0 ? cycles : 0.0;  // also for NaN
    if (passed == 0) {
      return;  // another command would replace the last before a drive takes it
    }
    cycles = pending;
    pending = 0.0;
    coast(std::min(passed - 1, extrapolated));
  }
  // the thread may have paused since the drives were read
  const double measured = drive_cycles.value_or(0) > 0 ? *drive_cycles : cycles;
  if (is_stop(state)) {
    come_to_rest(given);
    // torque error and level stay up to date until reset()
    watch_torque(feedback, cycles, measured);
    return;
  }
  const double time = longest_time(cycles) / settings.feedforward.control_rate;
  watch.receive(feedback, guard.command(), time);
  follow(given, feedback, cycles);
  watch_torque(feedback, cycles, measured);
  watch.supervise(time);
  if (watch.detector().level() == CollisionLevel::stop) {
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
  velocity = settings.feedforward.control_rate * guard.step();
  watch.expect_coasting(guard.command(), velocity, cycles);
}

void ControlLaw::Parts::follow(
  const Reference & given, const Feedback & feedback, double cycles) noexcept
{
  const bool had_torque = !feedforward.torque_offset().isZero(0.0);
  const bool trusted = watch.wrong_drive() < 0;
  feedforward.trust(trusted);
  // where the thread paused before this law, and after what gives the references, these follow in
  // the next cycle
  const double time = std::max(cycles, before);
  before = cycles;
  auto found = feedforward.check(given.position, given.velocity, given.acceleration, time);
  // also false for NaN
  if ((given.position.array().abs() <= farthest).all()) {
    const bool jumped = found == InactiveReason::command_jump;
    if (elastic.enabled()) {
      auto * const trusted_model = trusted && model_acts ? model : nullptr;
      cycles = elastic.update(trusted_model, given.position, jumped, cycles);
    }
    const Reference & wanted = elastic.enabled() ? elastic.motors() : given;
    reference = wanted.position;
    reference_step = wanted.velocity / settings.feedforward.control_rate;
    if (state == LawState::waiting || jumped) {
      join(wanted);
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
  send(found, elastic.enabled() ? elastic.links() : given);
  if (feedforward.known()) {
    stiction.update(model, motion, feedforward.model_torque(), feedback.velocity);
  } else {
    stiction.restart();
  }
  feedforward.push(stiction.torque());
  const auto reason = feedforward.inactive_reason();
  const bool fades = ends_in_rest(reason) || reason == InactiveReason::no_model ||
                     reason == InactiveReason::model_wrong;
  if (had_torque && !fades && feedforward.torque_offset().isZero(0.0)) {
    watch.suspend();
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
    watch.suspend();
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

/// Computes the additive torque for the commanded motion, with the reference of the links.
void ControlLaw::Parts::send(InactiveReason found, const Reference & given) noexcept
{
  const bool follows = state == LawState::following;
  feedforward.lead(nullptr);
  if (follows && guard.passed()) {
    const double rate = settings.feedforward.control_rate;
    motion.position = guard.command();
    if (elastic.enabled()) {
      motion.position -= elastic.lead();
      feedforward.lead(&elastic.torque());
    }
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

/// Evaluates torque errors and measured torque. `measured`: time since the feedback before
/// [cycles].
void ControlLaw::Parts::watch_torque(
  const Feedback & feedback, double cycles, double measured) noexcept
{
  if (feedforward.known()) {
    watch.expect(feedforward.model_torque(), motion);
  } else if (state != LawState::following) {
    watch.expect_command(commanded);
  } else {
    watch.expect_nothing();
  }
  watch.update(feedback, cycles, measured);
}

/// Stops from the previous command and its velocity, independent of the reference.
void ControlLaw::Parts::begin_stop() noexcept
{
  const bool collided = !is_missing_input(watch.detector().collision().cause);
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

ControlLaw::ControlLaw(Eigen::Index drives, const ControlLawSettings & settings)
: parts_(std::make_unique<Parts>(drives, settings))
{
}
ControlLaw::ControlLaw(ControlLaw && other) noexcept = default;
ControlLaw & ControlLaw::operator=(ControlLaw && other) noexcept = default;
ControlLaw::~ControlLaw() = default;

Eigen::Index ControlLaw::joint_count() const noexcept { return parts_->reference.size(); }

void ControlLaw::start(const VectorIn & position) noexcept { parts_->start(position); }

void ControlLaw::guide(const VectorIn & position) noexcept { parts_->guide(position); }

void ControlLaw::use(ControlModel * model) noexcept
{
  parts_->model = model;
  parts_->watch.use(model);
  parts_->feedforward.use(model);
  parts_->elastic.model_changed();
}

void ControlLaw::set_payload(const Payload & payload) noexcept
{
  auto & parts = *parts_;
  if (parts.model != nullptr) {
    parts.model->set_payload(payload);
    use(parts.model);
  }
}

void ControlLaw::set_gain(double gain) noexcept
{
  parts_->feedforward.set_gain(gain);
  parts_->model_acts = gain > 0.0;
}
void ControlLaw::set_mode(FeedforwardMode mode) noexcept { parts_->feedforward.set_mode(mode); }
void ControlLaw::set_reaction(CollisionReaction reaction) noexcept
{
  parts_->settings.reaction = reaction;
}

void ControlLaw::set_collision(const CollisionSettings & settings) noexcept
{
  auto & parts = *parts_;
  parts.watch.set(settings);
  parts.settings.collision.low_speed = settings.low_speed;
}

void ControlLaw::stop(const Collision & found) noexcept
{
  auto & parts = *parts_;
  parts.watch.stop(found);
  if (!is_stop(parts.state)) {
    parts.begin_stop();
    parts.come_to_rest(parts.commanded);
  }
}

void ControlLaw::update(
  const Reference & reference, const Feedback & feedback, double cycles,
  std::optional<int> drive_cycles) noexcept
{
  parts_->update(reference, feedback, cycles, drive_cycles);
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
const Eigen::VectorXd & ControlLaw::stiction_torque() const noexcept
{
  return parts_->stiction.torque();
}
const Eigen::VectorXd & ControlLaw::torque_error() const noexcept
{
  return parts_->watch.torque_error();
}
const CollisionDetector & ControlLaw::detector() const noexcept { return parts_->watch.detector(); }
InactiveReason ControlLaw::inactive_reason() const noexcept
{
  return parts_->feedforward.inactive_reason();
}
double ControlLaw::gain() const noexcept { return parts_->feedforward.gain(); }
LawState ControlLaw::state() const noexcept { return parts_->state; }
const Supervision & ControlLaw::supervision() const noexcept { return parts_->watch.supervision(); }
int ControlLaw::limited_drive() const noexcept
{
  const bool wrong = inactive_reason() == InactiveReason::model_wrong;
  return wrong ? parts_->watch.wrong_drive() : parts_->limited;
}

}  // namespace dynid
