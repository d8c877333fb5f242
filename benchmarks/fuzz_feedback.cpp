#include "fuzz_feedback.hpp"

#include <algorithm>

namespace fuzz
{
namespace
{

constexpr double noise = 1e-6;  // of all feedback, in its unit

}  // namespace

Faults draw_faults(Dice & dice, Eigen::Index drives)
{
  Faults faults;
  faults.bad_in = dice.of(std::array<int, 10>{0, 0, 0, 0, 0, 1000, 100, 20, 5, 2});
  faults.drive = dice.one_in(2) ? -1 : dice.drive(drives);
  faults.random = dice.one_in(8);
  return faults;
}

FollowingDrives::FollowingDrives(Dice & dice, Eigen::Index drives, int delay)
: dice_(dice), length_(static_cast<std::size_t>(std::max(1, delay)))
{
  feedback_.position = feedback_.velocity = feedback_.torque = Eigen::VectorXd::Zero(drives);
}

void FollowingDrives::command(const dynid::Reference & motion, dynid::ControlModel * model)
{
  const auto n = feedback_.torque.size();
  Eigen::VectorXd torque = Eigen::VectorXd::Zero(n);
  if (model != nullptr) {
    model->torque(
      dynid::FeedforwardMode::full, motion.position, motion.velocity, motion.acceleration, torque);
  }
  if (!torque.allFinite()) {
    torque = torques_.empty() ? Eigen::VectorXd::Zero(n).eval() : torques_.back();
  }
  torques_.push_back(torque);
  while (torques_.size() > length_) {
    torques_.pop_front();
  }
  const auto noisy = [&](double value) { return value + dice_.within(-noise, noise); };
  feedback_.position = motion.position.unaryExpr(noisy);
  feedback_.velocity = motion.velocity.unaryExpr(noisy);
  feedback_.torque = torques_.front().unaryExpr(noisy);
}

void spoil(Dice & dice, const Faults & faults, dynid::Feedback & feedback)
{
  for (Eigen::Index i = 0; i < feedback.torque.size(); ++i) {
    if (faults.random) {
      feedback.torque[i] = dice.within(-10.0, 10.0);
    }
    if (faults.bad_in == 0 || (faults.drive >= 0 && faults.drive != i)) {
      continue;
    }
    for (auto * values : {&feedback.position, &feedback.velocity, &feedback.torque}) {
      if (dice.one_in(faults.bad_in)) {
        (*values)[i] = dice.one_in(3) ? dice.bad() : nan;
      }
    }
  }
}

void spoil(SensorFault fault, Eigen::Index i, const dynid::Feedback & then, dynid::Feedback & now)
{
  switch (fault) {
    case SensorFault::none:
      break;
    case SensorFault::all_frozen:
      now.velocity[i] = then.velocity[i];
      now.torque[i] = then.torque[i];
      [[fallthrough]];
    case SensorFault::position_frozen:
      now.position[i] = then.position[i];
      break;
    case SensorFault::velocity_frozen:
      now.velocity[i] = then.velocity[i];
      break;
    case SensorFault::velocity_inverted:
      now.velocity[i] *= -1.0;
      break;
    case SensorFault::velocity_halved:
      now.velocity[i] *= 0.5;
      break;
    case SensorFault::velocity_doubled:
      now.velocity[i] *= 2.0;
      break;
    case SensorFault::velocity_zero:
      now.velocity[i] = 0.0;
      break;
    case SensorFault::all_missing:
      now.position[i] = now.torque[i] = nan;
      [[fallthrough]];
    case SensorFault::velocity_missing:
      now.velocity[i] = nan;
      break;
    case SensorFault::position_slipped:
      now.position[i] += 0.1;
      break;
  }
}

}  // namespace fuzz
