#include "feedback_check.hpp"

#include <algorithm>
#include <cmath>

#include "numbers.hpp"

namespace dynid
{
namespace
{

// Encoders resolve less than this at the joint.
constexpr double resolution = 1e-3;       // [rad or m]
constexpr double velocity_memory = 0.04;  // [s] over which velocity and position are compared
constexpr double share = 0.2;             // of the way, by filters and sampling of velocities
constexpr double longest_gap = 0.02;      // [s] without a measurement, in which a motion continues
constexpr double speed_filter = 0.01;     // [s] of differences of positions
constexpr double sticking = 4.0;  // times the dry friction: from either side to the other, doubled
constexpr double unknown_friction = 0.25;  // of torque_max

/// Adds the time, or begins again.
void count(double & age, bool again, double time) { age = again ? 0.0 : age + time; }

}  // namespace

FeedbackCheck::FeedbackCheck(const Eigen::VectorXd & noise, const Eigen::VectorXd & torque_max)
: noise_(noise), torque_max_(torque_max), drives_(static_cast<std::size_t>(noise.size()))
{
  for (auto * vector :
       {&feedback_.position, &feedback_.velocity, &feedback_.torque, &position_, &velocity_}) {
    vector->setZero(noise.size());
  }
}

void FeedbackCheck::start(const VectorIn & position) noexcept
{
  fault_ = {};
  position_ = position;
  velocity_.setZero();
  for (std::size_t i = 0; i < drives_.size(); ++i) {
    Drive begun;
    begun.position = begun.place = begun.commanded_from = position[static_cast<Eigen::Index>(i)];
    begun.velocity = begun.torque = nan;                                // not measured yet
    begun.position_jump = begun.velocity_jump = 2.0 * velocity_memory;  // none
    drives_[i] = begun;
  }
}

void FeedbackCheck::find(
  CollisionCause cause, Eigen::Index i, double value, double threshold) noexcept
{
  if (fault_.cause == CollisionCause::none) {
    fault_ = {cause, static_cast<int>(i), value, threshold, 0};
  }
}

void FeedbackCheck::update(
  const Feedback & feedback, const Eigen::VectorXd & command,
  const Eigen::VectorXd & acceleration_max, double time) noexcept
{
  feedback_.position = feedback.position;  // not those of links: nothing here uses them
  feedback_.velocity = feedback.velocity;
  feedback_.torque = feedback.torque;
  for (Eigen::Index i = 0; i < position_.size(); ++i) {
    auto & drive = drives_[static_cast<std::size_t>(i)];
    age(drive, {feedback.position[i], feedback.velocity[i], feedback.torque[i]}, command[i], time);
    compare(i, drive, acceleration_max[i], time);
    judge(i, drive);
    estimate(i, drive, command[i], time);
  }
}

/// Takes a sample, and counts for how long nothing has changed.
void FeedbackCheck::age(
  Drive & drive, const double (&sample)[3], double command, double time) noexcept
{
  const bool moved = !same(sample[0], drive.position);
  const bool paced = !same(sample[1], drive.velocity);
  const bool changed = moved || paced || !same(sample[2], drive.torque);
  count(drive.absent, std::isfinite(sample[0]), time);
  count(drive.position_unchanged, moved, time);
  count(drive.velocity_unchanged, paced, time);
  count(drive.unchanged, changed, time);
  if (changed) {
    drive.commanded_from = command;
  }
  if (moved || paced) {
    drive.expected_speed = drive.expected_way = 0.0;
    drive.torque_from = nan;
  }
  drive.position = sample[0];
  drive.velocity = sample[1];
  drive.torque = sample[2];
}

/// Compares the change of position with what the velocity travelled since the last position.
void FeedbackCheck::compare(Eigen::Index i, Drive & drive, double most, double time) noexcept
{
  drive.gap += time;
  drive.position_jump += time;
  drive.velocity_jump += time;
  if (drive.unchanged > 0.0 || !std::isfinite(drive.position)) {
    return;  // nothing new
  }
  const double moved = drive.position - drive.place;
  const double passed = drive.gap;
  drive.place = drive.position;
  drive.gap = 0.0;
  const double rate = moved / passed;
  const double pace = drive.pace;
  if (std::isfinite(drive.velocity)) {
    if (std::abs(drive.velocity - pace) > most * passed + 2.0 * noise_[i]) {
      drive.velocity_jump = 0.0;
    }
    drive.pace = drive.velocity;
  }
  if (passed > longest_gap) {
    return;
  }
  if (std::abs(moved - drive.rate * passed) > most * passed * passed + 2.0 * resolution) {
    drive.position_jump = 0.0;
  }
  drive.rate = rate;
  drive.speed += passed / (speed_filter + passed) * (rate - drive.speed);
  if (std::isfinite(drive.velocity)) {
    const double mean = passed > time ? 0.5 * (pace + drive.velocity) : drive.velocity;
    const double kept = velocity_memory / (velocity_memory + passed);
    drive.mismatch = kept * drive.mismatch + (moved - mean * passed);
    drive.way = kept * drive.way + 0.5 * (std::abs(moved) + std::abs(mean) * passed);
  }
}

/// Decides what is not believed any more after a contradiction.
void FeedbackCheck::judge(Eigen::Index i, Drive & drive) noexcept
{
  const double tolerated = 2.0 * resolution + share * drive.way;
  const bool both = drive.position_believed && drive.velocity_believed;
  const bool contradict = both && !(std::abs(drive.mismatch) < tolerated);
  if (contradict) {
    find(CollisionCause::velocity_mismatch, i, std::abs(drive.mismatch), tolerated);
  } else if (both) {
    return;
  }
  bool position = drive.position_jump > velocity_memory;
  bool velocity = drive.velocity_jump > velocity_memory;
  if (contradict) {
    const bool position_stands = drive.position_unchanged * std::abs(drive.pace) > resolution;
    position = position && !position_stands;
    velocity = velocity && drive.velocity_unchanged == 0.0;
  }
  const bool undecided = contradict && position == velocity;
  drive.position_believed = drive.position_believed && position && !undecided;
  drive.velocity_believed = drive.velocity_believed && velocity && !undecided;
}

/// The motion that is believed.
void FeedbackCheck::estimate(Eigen::Index i, Drive & drive, double command, double time) noexcept
{
  const bool stands =
    drive.unchanged * std::abs(drive.pace) > resolution ||
    (drive.unchanged > 0.0 && std::abs(command - drive.commanded_from) > resolution);
  if (stands || !drive.position_believed || !drive.velocity_believed) {
    feedback_.position[i] = feedback_.velocity[i] = nan;
  }
  const bool lost = std::max(drive.absent, stands ? drive.unchanged : 0.0) > longest_gap;
  const bool measured = drive.velocity_believed && std::isfinite(drive.velocity);
  const bool believed = !lost && (measured || drive.position_believed);
  const double velocity = measured ? drive.velocity : drive.speed;
  velocity_[i] = believed && std::isfinite(velocity) ? velocity : nan;
  if (drive.position_believed && std::isfinite(drive.position)) {
    position_[i] = drive.position;
  } else if (std::isfinite(velocity_[i])) {
    position_[i] += velocity_[i] * time;
  }
}

void FeedbackCheck::expect_motion(
  const Eigen::VectorXd & loop_torque, const Eigen::VectorXd & friction,
  const DriveInertia & inertia, double time) noexcept
{
  for (Eigen::Index i = 0; i < position_.size(); ++i) {
    auto & drive = drives_[static_cast<std::size_t>(i)];
    if (std::isnan(drive.torque_from) || !inertia.known() || !(inertia.of(i) > 0.0)) {
      drive.torque_from = loop_torque[i];
      continue;
    }
    const double known = friction[i] > 0.0 ? friction[i] : unknown_friction * torque_max_[i];
    const double push = std::abs(loop_torque[i] - drive.torque_from) - sticking * known;
    drive.expected_speed = std::max(0.0, drive.expected_speed + time * push / inertia.of(i));
    drive.expected_way += time * drive.expected_speed;
    if (drive.expected_way > resolution) {
      drive.position_believed = drive.velocity_believed = false;
      find(CollisionCause::no_response, i, drive.expected_way, resolution);
    }
  }
}

}  // namespace dynid
