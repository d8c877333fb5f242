#include "commanded_motion.hpp"

#include <algorithm>
#include <cmath>

namespace dynid
{
namespace
{

constexpr double longest_ramp = 1e9;          // cycles
constexpr double shortest_catching_up = 0.2;  // [s]

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

}  // namespace

bool ends_in_rest(InactiveReason reason) noexcept
{
  return reason == InactiveReason::position_limit || reason == InactiveReason::too_fast ||
         reason == InactiveReason::uneven;
}

CommandedMotion::CommandedMotion(Eigen::Index drives, const ControlLawSettings & checked)
: rate_(checked.feedforward.control_rate),
  tolerance_(checked.reference_tolerance),
  deceleration_(checked.deceleration),
  guard_deceleration_(checked.deceleration.cwiseMin(checked.limits.acceleration_max)),
  path_(drives, ramp_cycles(checked.feedforward), catch_up_cycles(checked), tolerance_),
  guard_(drives, checked.limits, rate_),
  stop_motion_(drives, rate_)
{
  for (auto * vector :
       {&reference_, &reference_step_, &coasted_, &motion_.position, &motion_.velocity,
        &motion_.acceleration}) {
    vector->setZero(drives);
  }
}

void CommandedMotion::rest_at(const VectorIn & position, InactiveReason reason) noexcept
{
  guard_.start(position);
  reference_ = guard_.command();
  state_ = LawState::waiting;
  why_ = reason;
  limited_ = -1;
  path_.rest_at(guard_.command());
  stop_motion_.hold(guard_.command());
  update_motion();
}

bool CommandedMotion::coast(int cycles) noexcept
{
  coasted_.setZero();
  if (cycles == 0 || guard_.at_rest()) {
    return false;
  }
  coasted_ = -guard_.command();
  guard_.coast(cycles);
  coasted_ += guard_.command();
  path_.rest_at(guard_.command());
  stop_motion_.shift(coasted_);
  update_motion();
  return true;
}

bool CommandedMotion::follow(const Reference * given, bool jumped, double cycles) noexcept
{
  bool joined = false;
  if (given == nullptr) {
    leave(InactiveReason::not_finite);
  } else {
    reference_ = given->position;
    reference_step_ = given->velocity / rate_;
    if (state_ == LawState::waiting || jumped) {
      joined = join();
    } else if (!path_.advance(reference_, reference_step_, cycles, coasted_)) {
      leave(InactiveReason::uneven);
    }
  }
  if (state_ == LawState::following) {
    follow_path();
  }
  if (state_ == LawState::waiting) {
    brake(true);
  } else {
    update_motion();
  }
  return joined;
}

/// Starts to follow the reference, if it is near, and after a motion that ended in rest if that is
/// over and the limits permit it.
bool CommandedMotion::join() noexcept
{
  const bool free = state_ == LawState::following || !ends_in_rest(why_) ||
                    (guard_.at_rest() && guard_.beyond(reference_) < 0);
  if (!free || !path_.near(reference_)) {
    leave(InactiveReason::reference_away);
    return false;
  }
  path_.join(reference_);
  change(LawEvent::join);
  return true;
}

/// Follows the path within the limits; comes to rest where the command would lag too far behind.
void CommandedMotion::follow_path() noexcept
{
  const int beyond = guard_.beyond(path_.command());
  if (beyond >= 0 && std::isfinite(tolerance_[beyond])) {
    leave(InactiveReason::position_limit, beyond);
    return;
  }
  why_ = InactiveReason::none;
  limited_ = -1;
  guard_.follow(path_.command());
  for (Eigen::Index i = 0; i < tolerance_.size() && !guard_.passed(); ++i) {
    if (std::abs(path_.command()[i] - guard_.command()[i]) > tolerance_[i]) {
      guard_.undo();
      leave(InactiveReason::too_fast, static_cast<int>(i));
      return;
    }
  }
}

/// Lets the command come to rest, until the path follows a reference again.
void CommandedMotion::leave(InactiveReason reason, int drive) noexcept
{
  if (state_ == LawState::following) {
    stop_motion_.begin(guard_.command(), motion_.velocity, guard_deceleration_);
  } else if (ends_in_rest(why_)) {
    return;  // what ended the motion remains the reason
  }
  change(LawEvent::leave);
  why_ = reason;
  limited_ = drive;
}

void CommandedMotion::stop(bool at_once) noexcept
{
  guard_.undo();
  if (at_once) {
    stop_motion_.hold(guard_.command());
  } else {
    stop_motion_.begin(guard_.command(), motion_.velocity, deceleration_);
  }
  change(LawEvent::stop);
}

void CommandedMotion::come_to_rest(const Eigen::VectorXd & given) noexcept
{
  brake(false);
  reference_ = given.allFinite() ? given : path_.command();
  if (stop_motion_.at_rest() && guard_.at_rest()) {
    change(LawEvent::rest);
  }
}

/// One cycle towards rest, within the limits or not.
void CommandedMotion::brake(bool limited) noexcept
{
  guard_.brake(stop_motion_.next(), limited);
  path_.rest_at(guard_.command());
  update_motion();
}

void CommandedMotion::update_motion() noexcept
{
  motion_.position = guard_.command();
  motion_.velocity = rate_ * guard_.step();
  motion_.acceleration = rate_ * rate_ * (guard_.step() - guard_.step_before());
}

ResetReport CommandedMotion::reset() noexcept
{
  Eigen::Index drive = 0;
  const double distance = (reference_ - path_.command()).cwiseAbs().maxCoeff(&drive);
  ResetReport report{ResetAnswer::done, static_cast<int>(drive), distance};
  if (!is_stop(state_)) {
    report.answer = ResetAnswer::nothing_latched;
  } else if (state_ == LawState::stopping) {
    report.answer = ResetAnswer::moving;
  } else if (!path_.near(reference_)) {
    report.answer = ResetAnswer::reference_away;
  } else {
    change(LawEvent::reset);
  }
  return report;
}

}  // namespace dynid
