#include "collision_watch.hpp"

#include <algorithm>
#include <cmath>

#include "cycle_time.hpp"
#include "numbers.hpp"

namespace dynid
{
namespace
{

constexpr double uneven_drive_cycle = 0.1;  // of a cycle, too long or too short

}  // namespace

CollisionWatch::CollisionWatch(
  Eigen::Index drives, const ControlLawSettings & checked, const Eigen::VectorXd & gears)
: rate_(checked.feedforward.control_rate),
  observes_(checked.method == DetectionMethod::momentum),
  gears_(gears),
  any_gear_((gears.array() > 0.5).any()),
  low_speed_(checked.collision.low_speed),
  slowest_(low_speed_),
  detector_(drives, checked.collision),
  observer_(drives, checked.observer_gain, rate_),
  disturbed_(drives, rate_),
  inputs_(drives, checked.max_age),
  supervision_(checked.supervision, Eigen::VectorXd::Zero(drives)),
  monitor_(drives, checked.model_monitor),
  suspension_(checked.feedforward.ramp_time + checked.torque_error_delay),
  expected_(delay_cycles(checked.torque_error_delay, rate_), 3 * drives + 1)
{
  error_.setZero(drives);
  friction_.setZero(drives);
  of_links_.setZero(drives);
  set_suspensions();
}

void CollisionWatch::restart() noexcept
{
  suspended_ = 0.0;
  expected_.clear();
  observer_.restart();
  disturbed_.restart();
  inputs_.restart();
  supervision_.restart();
  restart_monitor();
  detector_.reset();
}

void CollisionWatch::leave_unsupervised() noexcept
{
  error_.setConstant(nan);
  for (Eigen::Index i = 0; i < error_.size(); ++i) {
    supervision_.count(i, BlindReason::guided, 0.0);
  }
}

void CollisionWatch::use(ControlModel * model) noexcept
{
  model_ = model;
  if (model != nullptr) {
    model->supervise_gears(gears_);
  }
  set_slowest();
  expected_.clear();
  restart_monitor();
  observer_.restart();
}

void CollisionWatch::restart_monitor() noexcept
{
  monitor_.restart(model_ != nullptr ? model_->error() : no_error_);
}

void CollisionWatch::set(const CollisionSettings & settings) noexcept
{
  detector_.set(settings);
  low_speed_ = settings.low_speed;
  set_slowest();
  set_suspensions();
}

void CollisionWatch::set_slowest() noexcept
{
  slowest_ = low_speed_;
  if (model_ != nullptr) {
    slowest_ = slowest_.cwiseMax(model_->unsmoothed());
  }
}

void CollisionWatch::set_suspensions() noexcept
{
  for (Eigen::Index i = 0; i < error_.size(); ++i) {
    supervision_.set_suspension(i, suspension_ + settling_time(i));
  }
}

double CollisionWatch::settling_time(Eigen::Index drive) const noexcept
{
  return detector_.settling_time(drive) + (observes_ ? observer_.settling_time() : 0.0);
}

void CollisionWatch::expect(const Eigen::VectorXd & torque, const Reference & motion) noexcept
{
  const auto n = error_.size();
  auto expected = expected_.entering();
  expected.head(n) = torque;
  if (any_gear_ && model_ != nullptr) {
    const auto & [position, velocity, acceleration] = motion;
    model_->supervised_torque(position, velocity, acceleration, of_links_);
    expected.head(n) = (gears_.array() > 0.5).select(of_links_, torque);
  }
  expected.segment(n, n) = motion.velocity;
  expected.segment(2 * n, n) = motion.acceleration;
  expected[3 * n] = 1.0;
}

void CollisionWatch::expect_nothing() noexcept { expected_.entering().setZero(); }

void CollisionWatch::expect_command(const Reference & commanded) noexcept
{
  const auto n = error_.size();
  expect_nothing();
  if (model_ != nullptr) {
    auto expected = expected_.entering();
    model_->supervised_torque(
      commanded.position, commanded.velocity, commanded.acceleration, expected.head(n));
    expected[3 * n] = 1.0;
  }
}

void CollisionWatch::expect_coasting(
  const Eigen::VectorXd & position, const Eigen::VectorXd & velocity, int cycles) noexcept
{
  const auto n = error_.size();
  expect_nothing();
  auto expected = expected_.entering();
  expected.segment(n, n) = velocity;
  if (model_ != nullptr) {
    model_->supervised_torque(position, velocity, expected.segment(2 * n, n), expected.head(n));
    expected[3 * n] = 1.0;
  }
  expected_.pass();
  expected_.repeat(cycles - 1);
}

void CollisionWatch::update(const Feedback & feedback, double cycles, double measured) noexcept
{
  if (std::max(std::abs(cycles - 1.0), std::abs(measured - 1.0)) > uneven_drive_cycle) {
    detector_.raise();  // uneven cycles cause torque errors even if the command is evened out
  }
  const auto n = error_.size();
  const auto due = expected_.pass();
  const double time = believable(measured);
  auto unavailable = find_error(feedback, due, time);
  if (suspended_ > 0.0) {
    suspended_ -= longest_time(cycles) / rate_;
    unavailable = BlindReason::suspended;
  }
  if (model_ != nullptr) {
    model_->dry_friction(friction_);
    friction_.array() *= 1.0 - gears_.array();
  } else {
    unavailable = BlindReason::no_model;
    friction_.setZero();
  }
  if (unavailable == BlindReason::none) {
    monitor_.update(error_, feedback.torque, friction_, due.segment(n, n), slowest_, time / rate_);
  }
  detector_.set_friction(friction_);
  detector_.update(
    error_, feedback.torque, due.segment(n, n), due.segment(2 * n, n), unavailable, time);
}

/// Computes the torque error; returns why there is none.
BlindReason CollisionWatch::find_error(
  const Feedback & feedback, const VectorIn & due, double cycles) noexcept
{
  if (observes_) {
    observe(feedback, cycles);
    return BlindReason::none;
  }
  const auto n = error_.size();
  error_ = due.head(n) - feedback.torque;
  if (!(due[3 * n] > 0.5)) {
    disturbed_.restart();
    return BlindReason::model_torque;
  }
  if (model_ != nullptr) {
    disturbed_.correct(*model_, feedback, due.segment(n, n), cycles, error_);
  }
  return BlindReason::none;
}

/// The torque error by the observer; NaN where feedback is missing.
void CollisionWatch::observe(const Feedback & feedback, double cycles) noexcept
{
  error_.setConstant(nan);
  if (model_ == nullptr) {
    observer_.restart();
    return;
  }
  const auto & observed =
    observer_.update(*model_, feedback.position, feedback.velocity, feedback.torque, cycles);
  for (Eigen::Index i = 0; i < error_.size(); ++i) {
    const bool measured =
      MomentumObserver::measured(feedback.position[i], feedback.velocity[i], feedback.torque[i]);
    error_[i] = measured ? observed[i] : nan;
  }
}

void CollisionWatch::receive(
  const Feedback & feedback, const Eigen::VectorXd & torque, const Eigen::VectorXd & command,
  double time) noexcept
{
  inputs_.update(
    feedback.position, feedback.velocity, torque, detector_.supervised(), command, time);
}

void CollisionWatch::supervise(double time) noexcept
{
  const bool settled = !observes_ || observer_.settled();
  bool any_blind = false;
  for (Eigen::Index i = 0; i < error_.size(); ++i) {
    auto reason = detector_.blind(i);
    if (reason == BlindReason::none && inputs_.constant_torque(i)) {
      reason = BlindReason::constant_torque;
    } else if (reason == BlindReason::none && !settled) {
      reason = BlindReason::settling;
    }
    supervision_.count(i, reason, time);
    any_blind |= reason != BlindReason::none;
  }
  const auto blind = any_blind ? supervision_.stopped() : Blindness{};
  if (blind.drive >= 0) {
    detector_.stop({CollisionCause::blind, blind.drive, blind.time, blind.limit, 0, blind.reason});
  }
  if (inputs_.fault().cause != CollisionCause::none) {
    detector_.stop(inputs_.fault());
  }
}

}  // namespace dynid
