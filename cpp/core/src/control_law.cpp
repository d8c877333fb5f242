#include "dynid/control_law.hpp"

#include <algorithm>

#include "collision_watch.hpp"
#include "commanded_motion.hpp"
#include "cycle_time.hpp"
#include "dynid/drive_clock.hpp"
#include "dynid/link_feedback.hpp"
#include "elastic_reference.hpp"
#include "numbers.hpp"
#include "setting_checks.hpp"
#include "stiction_compensation.hpp"

namespace dynid
{
namespace
{

ControlLawSettings completed(ControlLawSettings settings, Eigen::Index drives)
{
  settings.check(drives);
  settings.limits.fill(drives);
  if (settings.torque_error_delay < 0.0) {
    settings.torque_error_delay = settings.feedforward.additive_torque_delay;
  }
  return settings;
}

/// Whether a stop follows from missing feedback, of which a collision cannot be the cause.
bool is_missing_input(CollisionCause cause)
{
  return cause == CollisionCause::no_position || cause == CollisionCause::no_velocity ||
         cause == CollisionCause::no_torque || cause == CollisionCause::frozen ||
         cause == CollisionCause::blind;
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
  Parts(Eigen::Index drives, const ControlLawSettings & given, const DriveInertia * inertia);

  void rest_at(const VectorIn & position, InactiveReason reason) noexcept;
  void update(
    const Reference & given, const Feedback & feedback, double cycles,
    std::optional<int> drive_cycles) noexcept;
  void follow(const Reference & given, const Feedback & feedback, double cycles) noexcept;
  void move(const Reference & wanted, bool jumped, double cycles) noexcept;
  void send(InactiveReason found) noexcept;
  void watch_torque(const Feedback & feedback, double cycles, double measured) noexcept;
  void begin_stop() noexcept;
  void come_to_rest(const Eigen::VectorXd & given) noexcept;
  double rate() const noexcept { return settings.feedforward.control_rate; }  // [Hz]

  ControlLawSettings settings;
  Feedforward feedforward;
  StictionCompensation stiction;
  ElasticReference elastic;
  LinkFeedback links;
  CollisionWatch watch;
  ControlModel * model = nullptr;
  bool model_acts = true;  // the gain of its torque is above 0
  CommandedMotion command;
  DriveClock clock;
  int extrapolated;      // longest time that drives move on without a command [cycles]
  double pending = 0.0;  // time of cycles in which the drives took no command [cycles]
  double before = 1.0;   // time of the last cycle [cycles]
  Reference motion;      // the motion of the expected torque: the reference or the commanded one
};

ControlLaw::Parts::Parts(
  Eigen::Index drives, const ControlLawSettings & given, const DriveInertia * inertia)
: settings(completed(given, drives)),
  feedforward(drives, settings.feedforward),
  // additive torque is delayed, and then acts and is measured as late as a command is
  stiction(
    drives, settings, settings.feedforward.additive_torque_delay + settings.torque_error_delay,
    inertia),
  elastic(drives, settings),
  links(drives, settings.elastic, rate()),
  watch(drives, settings, links.gears()),
  command(drives, settings),
  extrapolated(static_cast<int>(settings.extrapolation_time * rate() + cycle_rounding)),
  motion(command.motion())
{
}

/// Lets the command rest at a position, if it is finite, and wait for a reference.
void ControlLaw::Parts::rest_at(const VectorIn & position, InactiveReason reason) noexcept
{
  command.rest_at(position, reason);
  stiction.restart();
  feedforward.push(stiction.torque());
  elastic.restart();
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
    const int alone = std::min(passed - 1, extrapolated);
    if (command.coast(alone)) {
      feedforward.repeat(alone);
      watch.expect_coasting(command.position(), command.motion().velocity, alone);
    }
  }
  // the thread may have paused since the drives were read
  const double measured = drive_cycles.value_or(0) > 0 ? *drive_cycles : cycles;
  const auto & compared = links.update(feedback, measured);
  if (is_stop(command.state())) {
    come_to_rest(given.position);
    // torque error and level stay up to date until reset()
    watch_torque(compared, cycles, measured);
    return;
  }
  const double time = longest_time(cycles) / rate();
  watch.receive(feedback, compared.torque, command.position(), time);
  follow(given, feedback, cycles);
  watch_torque(compared, cycles, measured);
  watch.supervise(time);
  if (watch.detector().level() == CollisionLevel::stop) {
    begin_stop();
    come_to_rest(given.position);
  }
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
    auto * const trusted_model = trusted && model_acts ? model : nullptr;
    cycles = elastic.update(trusted_model, given, jumped, cycles);
    move(elastic.motors(), jumped, cycles);
  } else {
    found = InactiveReason::not_finite;
    command.follow(nullptr, false, cycles);
  }
  send(found);
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

/// Moves the command. Torque errors are ignored where it begins to follow a reference that is away
/// from it or moves.
void ControlLaw::Parts::move(const Reference & wanted, bool jumped, double cycles) noexcept
{
  const auto & jump = settings.feedforward.position_jump;  // smaller ones are no jumps
  const auto & slow = settings.collision.low_speed;
  if (
    command.follow(&wanted, jumped, cycles) &&
    ((command.path().join_offset().array().abs() > jump.array()).any() ||
     (wanted.velocity.array().abs() > slow.array()).any())) {
    watch.suspend();
  }
}

/// Computes the additive torque for the commanded motion, with the reference of the links.
void ControlLaw::Parts::send(InactiveReason found) noexcept
{
  feedforward.lead(nullptr);
  if (command.on_path()) {
    const auto & [position, velocity, acceleration] = elastic.links();
    motion.position = command.position() - elastic.lead();
    motion.velocity = velocity + rate() * command.path().extra_step();
    motion.acceleration = acceleration + rate() * rate() * command.path().extra_change();
    feedforward.lead(&elastic.torque());
  } else {
    motion = command.motion();
  }
  if (command.state() == LawState::following) {
    feedforward.send(found, motion.position, motion.velocity, motion.acceleration);
  } else if (ends_in_rest(command.why())) {
    feedforward.fade(command.why(), motion.position, motion.velocity, motion.acceleration);
  } else {
    feedforward.suspend(command.why());
  }
}

/// Evaluates torque errors and measured torque. `measured`: time since the feedback before
/// [cycles].
void ControlLaw::Parts::watch_torque(
  const Feedback & feedback, double cycles, double measured) noexcept
{
  if (feedforward.known()) {
    watch.expect(feedforward.model_torque(), motion);
  } else if (command.state() != LawState::following) {
    watch.expect_command(command.motion());
  } else {
    watch.expect_nothing();
  }
  watch.update(feedback, cycles, measured);
}

/// Stops from the previous command and its velocity, independent of the reference.
void ControlLaw::Parts::begin_stop() noexcept
{
  const bool collided = !is_missing_input(watch.detector().collision().cause);
  command.stop(collided && settings.reaction == CollisionReaction::hold);
}

void ControlLaw::Parts::come_to_rest(const Eigen::VectorXd & given) noexcept
{
  feedforward.suspend(InactiveReason::latched);
  command.come_to_rest(given);
}

ControlLaw::ControlLaw(
  Eigen::Index drives, const ControlLawSettings & settings, const DriveInertia * inertia)
: parts_(std::make_unique<Parts>(drives, settings, inertia))
{
}
ControlLaw::ControlLaw(ControlLaw && other) noexcept = default;
ControlLaw & ControlLaw::operator=(ControlLaw && other) noexcept = default;
ControlLaw::~ControlLaw() = default;

Eigen::Index ControlLaw::joint_count() const noexcept { return parts_->command.position().size(); }

void ControlLaw::start(const VectorIn & position) noexcept
{
  auto & parts = *parts_;
  parts.rest_at(position, InactiveReason::none);
  parts.pending = 0.0;
  parts.before = 1.0;
  parts.clock.restart();
  parts.feedforward.restart();
  parts.links.restart();
  parts.watch.restart();
}

void ControlLaw::guide(const VectorIn & position) noexcept
{
  parts_->rest_at(position, InactiveReason::guided);
  parts_->feedforward.suspend(InactiveReason::guided);
  parts_->watch.leave_unsupervised();
}

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
  if (!latched()) {
    parts.begin_stop();
    parts.come_to_rest(parts.command.position());
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
  const auto report = parts_->command.reset();
  if (report.answer == ResetAnswer::done) {
    start(position_command());
  }
  return report;
}

const Eigen::VectorXd & ControlLaw::position_command() const noexcept
{
  return parts_->command.position();
}
const Reference & ControlLaw::commanded_motion() const noexcept
{
  const auto & parts = *parts_;
  const bool given =
    !latched() && parts.feedforward.known() && parts.motion.position == position_command();
  return given ? parts.motion : parts.command.motion();
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
LawState ControlLaw::state() const noexcept { return parts_->command.state(); }
const Supervision & ControlLaw::supervision() const noexcept { return parts_->watch.supervision(); }
int ControlLaw::limited_drive() const noexcept
{
  const bool wrong = inactive_reason() == InactiveReason::model_wrong;
  return wrong ? parts_->watch.wrong_drive() : parts_->command.limited();
}

}  // namespace dynid
