#include "fuzz_references.hpp"

#include <algorithm>

namespace fuzz
{
namespace
{

constexpr double begins_at_rest = -1.57079632679489661923;  // phase of a sine [rad]
constexpr double degrees = 57.3;                            // in a radian

}  // namespace

References::References(
  Dice & dice, const Robot & robot, const dynid::ControlLawSettings & settings, bool tame)
: dice_(dice), robot_(robot), settings_(settings), tame_(tame)
{
  for (auto * vector :
       {&made_.position, &made_.velocity, &made_.acceleration, &centre_, &size_, &rate_}) {
    vector->setZero(robot.drives());
  }
}

const dynid::Reference & References::next(double time, const Eigen::VectorXd & command)
{
  if (--left_ <= 0) {
    change(command);
  }
  now_ += measured_ ? time : 1.0 / settings_.feedforward.control_rate;
  for (Eigen::Index i = 0; i < command.size(); ++i) {
    const double w = rate_[i];
    const double phase = w * now_ + begins_at_rest;
    made_.position[i] = centre_[i] + size_[i] * std::sin(phase);
    made_.velocity[i] = factor_ * w * size_[i] * std::cos(phase);
    made_.acceleration[i] = -w * w * size_[i] * std::sin(phase);
    spoil(i);
  }
  return made_;
}

void References::spoil(Eigen::Index i)
{
  if (badness_ == 0) {
    return;
  }
  if (dice_.one_in(badness_)) {
    made_.position[i] = dice_.one_in(3) ? dice_.bad() : made_.position[i] + dice_.within(-1, 1);
  }
  if (dice_.one_in(badness_)) {
    made_.velocity[i] = dice_.one_in(2) ? dice_.bad() : degrees * made_.velocity[i];
  }
  if (dice_.one_in(badness_)) {
    made_.acceleration[i] = dice_.bad();
  }
}

/// A sine that starts at the command (or not), from within all limits to far beyond.
void References::change(const Eigen::VectorXd & command)
{
  left_ = 1 + dice_.below(dice_.one_in(3) ? 30 : 1000);
  now_ = 0.0;
  measured_ = dice_.one_in(2);
  const bool valid = tame_ || dice_.one_in(2);
  factor_ = valid ? 1.0 : dice_.of(std::array<double, 4>{1.0, 0.0, degrees, -1.0});
  badness_ = valid ? 0 : dice_.one_in(4) ? 20 : 2000;
  const bool elsewhere = !valid && dice_.one_in(5);
  const double excess = valid ? 0.9 : dice_.scale(0.1, 100.0);
  for (Eigen::Index i = 0; i < command.size(); ++i) {
    const auto & limits = settings_.limits;
    const double v = std::min(limits.velocity_max[i], 5.0) * excess;
    const double a = std::min(limits.acceleration_max[i], 50.0) * excess;
    // towards where the robot is usually
    const double side = command[i] > robot_.home[i] ? -1.0 : 1.0;
    const double size = dice_.one_in(4) ? 0.0 : robot_.reach * dice_.scale(1e-4, tame_ ? 0.5 : 3.0);
    size_[i] = size * (dice_.one_in(4) ? -side : side);
    rate_[i] = size > 0.0 ? std::min(v / size, std::sqrt(a / size)) : 0.0;
    centre_[i] = command[i] + size_[i] + (elsewhere ? dice_.within(-0.3, 0.3) : 0.0);
  }
}

double draw_time(Dice & dice, double period, int evenness)
{
  switch (dice.below(evenness)) {
    case 0:
      return dice.scale(1e-4, 0.3);
    case 1:
      return dice.one_in(50) ? dice.bad() : 0.0;
    case 2:
    case 3:
    case 4:
    case 5:
      return period * dice.within(0.9, 1.1);
    default:
      return period;
  }
}

}  // namespace fuzz
