#include "dynid/control_law.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dynid/delay_line.hpp"
#include "dynid/momentum_observer.hpp"
#include "setting_checks.hpp"
#include "stop_motion.hpp"

namespace dynid
{
namespace
{

constexpr double uneven = 0.02;  // of a cycle, too late or too early
constexpr double very_uneven = 0.1;
constexpr double making_up = 6.0;     // times 1 / ramp_time: how fast lost time is made up for
constexpr double fastest_step = 0.5;  // of that in one cycle
constexpr double nothing = 1e-9;      // [rad or m]

ControlLawSettings checked(ControlLawSettings settings, Eigen::Index drives)
{
  settings.check(drives);
  if (settings.torque_error_delay < 0) {
    settings.torque_error_delay = settings.feedforward.additive_torque_delay;
  }
  return settings;
}

/// From 0 to 1 as x does, with velocity and acceleration 0 at either end.
double smooth_step(double x) { return x * x * x * (10.0 + x * (6.0 * x - 15.0)); }

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
  void join(const VectorIn & from) noexcept;
  void even_out(const Reference & given) noexcept;
  void make_up() noexcept;
  CollisionLevel watch(const Reference & given, const Feedback & feedback) noexcept;
  void observe(const Feedback & feedback) noexcept;
  void stop() noexcept;
  void come_to_rest(const Reference & given) noexcept;
  [[nodiscard]] bool near(const VectorIn & position) const noexcept;

  ControlLawSettings settings;
  Feedforward feedforward;
  CollisionDetector detector;
  MomentumObserver observer;
  StopMotion stop_motion;
  ControlModel * model = nullptr;
  bool latched = false;

  bool following = false;  // whether the command goes with the reference
  Eigen::VectorXd command;
  Eigen::VectorXd before;     // command of the cycle before
  Eigen::VectorXd reference;  // the last that was finite
  Eigen::VectorXd beside;     // command - reference when the reference was taken up
  double joining = 0.0;       // from 1 to 0 while that vanishes
  Eigen::VectorXd advance;    // of the reference in this cycle
  Eigen::VectorXd skew;       // command - reference, from uneven cycles
  Eigen::VectorXd skew_rate;  // change of that in a cycle
  bool skewed = false;        // whether there is any
  int ramp_cycles;
  int unsettled = 0;  // cycles in which torque errors are the drives', not a collision's

  DelayLine expected_line;   // model torque, velocity, acceleration (3 n)
  Eigen::VectorXd expected;  // of this cycle's command
  int known = 0;             // cycles since when there is a model torque
  Eigen::VectorXd error;
  Eigen::VectorXd zero;
};

ControlLaw::Parts::Parts(Eigen::Index drives, const ControlLawSettings & given)
: settings(checked(given, drives)),
  feedforward(drives, settings.feedforward),
  detector(drives, settings.collision),
  observer(drives, settings.observer_gain, settings.feedforward.control_rate),
  stop_motion(drives, settings.feedforward.control_rate),
  ramp_cycles(
    std::max(
      1, static_cast<int>(settings.feedforward.ramp_time * settings.feedforward.control_rate))),
  expected_line(settings.torque_error_delay, 3 * drives)
{
  for (auto * vector :
       {&command, &before, &reference, &beside, &advance, &skew, &skew_rate, &error, &zero}) {
    vector->setZero(drives);
  }
  expected.setZero(3 * drives);
}

void ControlLaw::Parts::start(const VectorIn & position) noexcept
{
  command = position;
  reference = position;
  following = false;
  latched = false;
  known = 0;
  unsettled = 0;
  skew.setZero();
  skew_rate.setZero();
  skewed = false;
  feedforward.restart();
  observer.restart();
  detector.reset();
}

/// Whether a position is so near to the command that the drives can be led there.
bool ControlLaw::Parts::near(const VectorIn & position) const noexcept
{
  return ((position - command).array().abs() <= settings.reference_tolerance.array()).all();
}

/// Leads the command to the reference from a position, within ramp_time.
void ControlLaw::Parts::join(const VectorIn & from) noexcept
{
  beside = from - reference;
  joining = 1.0;
  skew.setZero();
  skew_rate.setZero();
  skewed = false;
  const auto & passed = settings.feedforward.position_jump;  // without a word
  if ((beside.array().abs() > passed.array()).any()) {
    unsettled = ramp_cycles + settings.torque_error_delay;
  }
}

/// Has the command advance by a cycle's way, whatever time has passed: drives take a target in
/// every cycle of theirs, and would jerk if one brought the way of several, or of none.
void ControlLaw::Parts::even_out(const Reference & given) noexcept
{
  advance = skew + given.velocity / settings.feedforward.control_rate - advance;
  if ((advance.array().abs() <= settings.reference_tolerance.array()).all()) {
    skew = advance;
    skewed = true;
  }
}

/// Lets what evening out has put between command and reference vanish, critically damped.
void ControlLaw::Parts::make_up() noexcept
{
  if (!skewed) {
    return;
  }
  const double step = std::min(fastest_step, making_up / ramp_cycles);
  skew_rate -= step * (2.0 * skew_rate + step * skew);  // in a cycle
  skew += skew_rate;
  if (skew.cwiseAbs().maxCoeff() < nothing && skew_rate.cwiseAbs().maxCoeff() < nothing * step) {
    skew.setZero();
    skew_rate.setZero();
    skewed = false;
  }
  command += skew;
}

void ControlLaw::Parts::follow(const Reference & given, double cycles) noexcept
{
  const bool had_torque = !feedforward.torque_offset().isZero(0.0);
  before = command;
  feedforward.update(given.position, given.velocity, given.acceleration, cycles);
  if (!given.position.allFinite()) {
    following = false;
  } else {
    advance = given.position - reference;
    reference = given.position;
    if (!following || feedforward.silence() == Silence::command_jump) {
      following = near(reference);
      if (following) {
        join(command);
      }
    } else if (std::abs(cycles - 1.0) > uneven) {
      even_out(given);
    }
    if (following) {
      command = reference;
      if (joining > 0.0) {
        command += smooth_step(joining) * beside;
        joining = std::max(0.0, joining - 1.0 / ramp_cycles);
      }
      make_up();
    } else {
      feedforward.stay_silent(Silence::reference_away);
    }
  }
  if (had_torque && feedforward.torque_offset().isZero(0.0)) {
    unsettled = ramp_cycles + settings.torque_error_delay;  // the drives have to take it over
  }
}

CollisionLevel ControlLaw::Parts::watch(const Reference & given, const Feedback & feedback) noexcept
{
  const auto n = command.size();
  const bool known_motion = feedforward.silence() == Silence::none;
  const bool held = model != nullptr && (!following || latched);
  if (known_motion) {
    expected << feedforward.model_torque(), given.velocity, given.acceleration;
  } else if (held) {
    expected.setZero();
    model->torque(FeedforwardMode::full, command, zero, zero, expected.head(n));
  } else {
    expected.setZero();
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
  beside = settings.feedforward.control_rate * (command - before);  // for once a velocity
  if (settings.reaction == CollisionReaction::decelerate && beside.allFinite()) {
    stop_motion.begin(before, beside, settings.deceleration);
  } else {
    stop_motion.hold(before);
  }
}

void ControlLaw::Parts::come_to_rest(const Reference & given) noexcept
{
  feedforward.stay_silent(Silence::latched);
  command = stop_motion.next();
  reference = given.position.allFinite() ? given.position : command;
}

ControlLaw::ControlLaw(Eigen::Index drives, const ControlLawSettings & settings)
: parts_(std::make_unique<Parts>(drives, settings))
{
}
ControlLaw::ControlLaw(ControlLaw && other) noexcept = default;
ControlLaw & ControlLaw::operator=(ControlLaw && other) noexcept = default;
ControlLaw::~ControlLaw() = default;

Eigen::Index ControlLaw::joint_count() const noexcept { return parts_->command.size(); }

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
}

void ControlLaw::update(
  const Reference & reference, const Feedback & feedback, double cycles) noexcept
{
  auto & parts = *parts_;
  if (std::abs(cycles - 1.0) > very_uneven) {
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
  const double distance = (parts.reference - parts.command).cwiseAbs().maxCoeff(&drive);
  ResetReport report{ResetAnswer::done, static_cast<int>(drive), distance};
  if (!parts.latched) {
    report.answer = ResetAnswer::nothing_latched;
  } else if (!parts.stop_motion.at_rest()) {
    report.answer = ResetAnswer::moving;
  } else if (!parts.near(parts.reference)) {
    report.answer = ResetAnswer::reference_away;
  } else {
    parts.start(parts.command);
  }
  return report;
}

const Eigen::VectorXd & ControlLaw::position_command() const noexcept { return parts_->command; }
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
