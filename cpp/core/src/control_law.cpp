#include "dynid/control_law.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "command_path.hpp"
#include "dynid/delay_line.hpp"
#include "dynid/momentum_observer.hpp"
#include "setting_checks.hpp"
#include "stop_motion.hpp"

namespace dynid
{
namespace
{

constexpr double uneven = 0.1;        // of a cycle, too late or too early
constexpr double longest_ramp = 1e9;  // cycles

ControlLawSettings checked(ControlLawSettings settings, Eigen::Index drives)
{
  settings.check(drives);
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

}  // namespace

void ControlLawSettings::check(Eigen::Index drives) const
{
  using S = DriveSetting;
  feedforward.check(drives);
  collision.check(drives);
  check_delay(torque_error_delay < 0 ? 0 : torque_error_delay);
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
  void follow(const Reference & given, double cycles) noexcept;
  /// The drives have to do what the additive torque did, or what the model does not know.
  void be_unsettled() noexcept { unsettled = ramp + settings.torque_error_delay; }
  CollisionLevel watch(const Reference & given, const Feedback & feedback) noexcept;
  void observe(const Feedback & feedback) noexcept;
  void stop() noexcept;
  void come_to_rest(const Reference & given) noexcept;

  ControlLawSettings settings;
  Feedforward feedforward;
  CollisionDetector detector;
  MomentumObserver observer;
  StopMotion stop_motion;
  ControlModel * model = nullptr;
  bool latched = false;

  CommandPath path;
  Eigen::VectorXd before;     // command of the cycle before
  Eigen::VectorXd reference;  // the last that was finite
  Eigen::VectorXd step;       // of the reference's velocity in a cycle
  int ramp;                   // cycles
  int unsettled = 0;          // cycles in which torque errors are the drives', not a collision's

  DelayLine expected_line;   // model torque, velocity, acceleration (3 n)
  Eigen::VectorXd expected;  // of this cycle's command
  int known = 0;             // cycles since when there is a model torque
  Eigen::VectorXd error;
  Eigen::VectorXd friction;
  Eigen::VectorXd zero;
};

ControlLaw::Parts::Parts(Eigen::Index drives, const ControlLawSettings & given)
: settings(checked(given, drives)),
  feedforward(drives, settings.feedforward),
  detector(drives, settings.collision),
  observer(drives, settings.observer_gain, settings.feedforward.control_rate),
  stop_motion(drives, settings.feedforward.control_rate),
  path(drives, ramp_cycles(settings.feedforward), settings.reference_tolerance),
  ramp(ramp_cycles(settings.feedforward)),
  expected_line(settings.torque_error_delay, 3 * drives)
{
  for (auto * vector : {&before, &reference, &step, &error, &friction, &zero}) {
    vector->setZero(drives);
  }
  expected.setZero(3 * drives);
}

void ControlLaw::Parts::start(const VectorIn & position) noexcept
{
  reference = position;
  latched = false;
  known = 0;
  unsettled = 0;
  path.start(position);
  feedforward.restart();
  observer.restart();
  detector.reset();
}

void ControlLaw::Parts::follow(const Reference & given, double cycles) noexcept
{
  const bool had_torque = !feedforward.torque_offset().isZero(0.0);
  before = path.command();
  feedforward.update(given.position, given.velocity, given.acceleration, cycles);
  if (given.position.allFinite()) {
    reference = given.position;
    step = given.velocity / settings.feedforward.control_rate;
    path.follow(reference, step, cycles, feedforward.silence() == Silence::command_jump);
    const auto & passed = settings.feedforward.position_jump;  // without a word
    const auto & slow = settings.collision.low_speed;
    if (
      path.joined() && ((path.beside().array().abs() > passed.array()).any() ||
                        (given.velocity.array().abs() > slow.array()).any())) {
      be_unsettled();
    }
    if (!path.following()) {
      feedforward.stay_silent(Silence::reference_away);
    }
  } else {
    path.wait();
  }
  if (had_torque && feedforward.torque_offset().isZero(0.0)) {
    be_unsettled();
  }
}

CollisionLevel ControlLaw::Parts::watch(const Reference & given, const Feedback & feedback) noexcept
{
  const auto & command = path.command();
  const auto n = command.size();
  const bool known_motion = feedforward.silence() == Silence::none;
  const bool held = model != nullptr && !path.following();
  expected.setZero();
  if (known_motion) {
    expected << feedforward.model_torque(), given.velocity, given.acceleration;
  } else if (held) {
    model->torque(FeedforwardMode::full, command, zero, zero, expected.head(n));
  }
  known = known_motion || held ? std::min(known + 1, settings.torque_error_delay + 1) : 0;
  const auto due = expected_line.pass(expected);
  bool errors_count = known > settings.torque_error_delay;
  if (settings.method == DetectionMethod::torque_error) {
    error = due.head(n) - feedback.torque;
  } else {
    errors_count = model != nullptr;
    observe(feedback);
  }
  if (unsettled > 0) {
    --unsettled;
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

/// The torque error by the observer; no number where something was not measured.
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

/// From the command before, at the velocity that commands have had, whatever the reference says.
void ControlLaw::Parts::stop() noexcept
{
  latched = true;
  step = settings.feedforward.control_rate * (path.command() - before);  // for once per second
  if (settings.reaction == CollisionReaction::decelerate && step.allFinite()) {
    stop_motion.begin(before, step, settings.deceleration);
  } else {
    stop_motion.hold(before);
  }
}

void ControlLaw::Parts::come_to_rest(const Reference & given) noexcept
{
  feedforward.stay_silent(Silence::latched);
  path.start(stop_motion.next());
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
}

void ControlLaw::update(
  const Reference & reference, const Feedback & feedback, double cycles) noexcept
{
  auto & parts = *parts_;
  if (std::abs(cycles - 1.0) > uneven) {
    parts.detector.raise();  // the drives feel it all the same
  }
  if (parts.latched) {
    parts.come_to_rest(reference);
    parts.watch(reference, feedback);  // to be seen, until reset()
    return;
  }
  parts.follow(reference, cycles);
  if (parts.watch(reference, feedback) == CollisionLevel::stop) {
    parts.stop();
    parts.come_to_rest(reference);
  }
}

ResetReport ControlLaw::reset() noexcept
{
  auto & parts = *parts_;
  Eigen::Index drive = 0;
  const double distance = (parts.reference - parts.path.command()).cwiseAbs().maxCoeff(&drive);
  ResetReport report{ResetAnswer::done, static_cast<int>(drive), distance};
  if (!parts.latched) {
    report.answer = ResetAnswer::nothing_latched;
  } else if (!parts.stop_motion.at_rest()) {
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
  return parts_->path.command();
}
const Eigen::VectorXd & ControlLaw::torque_offset() const noexcept
{
  return parts_->feedforward.torque_offset();
}
const Eigen::VectorXd & ControlLaw::torque_error() const noexcept { return parts_->error; }
const CollisionDetector & ControlLaw::detector() const noexcept { return parts_->detector; }
Silence ControlLaw::silence() const noexcept { return parts_->feedforward.silence(); }
double ControlLaw::gain() const noexcept { return parts_->feedforward.gain(); }
bool ControlLaw::latched() const noexcept { return parts_->latched; }

}  // namespace dynid
