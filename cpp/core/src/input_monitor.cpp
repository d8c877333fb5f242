#include "input_monitor.hpp"

#include <algorithm>
#include <cmath>

#include "numbers.hpp"

namespace dynid
{
namespace
{

// Encoders resolve less than this at the joint, so feedback must change after such a command.
constexpr double seen_motion = 1e-3;  // [rad or m]
// Largest share of max_age that one cycle counts, so that after a pause feedback can arrive.
constexpr double longest_share = 0.5;

}  // namespace

InputMonitor::InputMonitor(Eigen::Index drives, double max_age) : max_age_(max_age)
{
  for (auto & age : ages_) {
    age.setZero(drives);
  }
  last_.setZero(3, drives);
  for (auto * vector : {&moved_from_, &torque_moved_, &last_command_}) {
    vector->setZero(drives);
  }
}

void InputMonitor::restart() noexcept
{
  fault_ = {};
  begun_ = false;
  torque_moved_.setZero();
  for (auto & age : ages_) {
    age.setZero();
  }
}

bool InputMonitor::constant_torque(Eigen::Index i) const noexcept
{
  return torque_moved_[i] > seen_motion;
}

inline void InputMonitor::count(
  Eigen::Index i, CollisionCause cause, bool missing, double & age) noexcept
{
  if (!missing) {
    age = 0.0;
    return;
  }
  age += time_;
  if (age > max_age_ && fault_.cause == CollisionCause::none) {
    fault_ = {cause, static_cast<int>(i), age, max_age_, 0};
  }
}

inline void InputMonitor::keep(
  Eigen::Index i, double position, double velocity, double torque, double command) noexcept
{
  double * const last = &last_(0, i);
  last[0] = position;
  last[1] = velocity;
  last[2] = torque;
  last_command_[i] = command;
}

void InputMonitor::update(
  const Eigen::VectorXd & position, const Eigen::VectorXd & velocity,
  const Eigen::VectorXd & torque, const Eigen::VectorXd & torque_counts,
  const Eigen::VectorXd & command, double time) noexcept
{
  time_ = std::min(time, longest_share * max_age_);
  for (Eigen::Index i = 0; i < moved_from_.size(); ++i) {
    double * const last = &last_(0, i);
    // most cycles: everything is measured, and the torque has changed
    if (begun_ && torque[i] != last[2] && std::isfinite(position[i] + velocity[i] + torque[i])) {
      for (auto & age : ages_) {
        age[i] = 0.0;
      }
      torque_moved_[i] = -infinity;
      keep(i, position[i], velocity[i], torque[i], command[i]);
      moved_from_[i] = command[i];
      continue;
    }
    count(i, CollisionCause::no_position, !std::isfinite(position[i]), ages_[0][i]);
    count(i, CollisionCause::no_velocity, !std::isfinite(velocity[i]), ages_[1][i]);
    const bool counts = torque_counts[i] > 0.5;
    count(i, CollisionCause::no_torque, counts && !std::isfinite(torque[i]), ages_[2][i]);
    const bool still = begun_ && same(position[i], last[0]) && same(velocity[i], last[1]) &&
                       same(torque[i], last[2]);
    const bool constant = !begun_ || same(torque[i], last[2]);
    torque_moved_[i] += begun_ ? std::abs(command[i] - last_command_[i]) : 0.0;
    torque_moved_[i] = constant ? torque_moved_[i] : -infinity;
    keep(i, position[i], velocity[i], torque[i], command[i]);
    if (!still) {
      moved_from_[i] = command[i];
    }
    // only the time since the drive was commanded to move counts
    const bool moves = still && std::abs(command[i] - moved_from_[i]) > seen_motion;
    count(i, CollisionCause::frozen, moves, ages_[3][i]);
  }
  begun_ = true;
}

}  // namespace dynid
