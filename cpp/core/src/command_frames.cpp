#include "command_frames.hpp"

#include <Eigen/LU>
#include <cmath>

namespace dynid
{

bool usable(double value) noexcept
{
  constexpr double too_large = 1e100;
  return std::abs(value) <= too_large;
}

CommandFrames::CommandFrames(
  const DrivePlantSettings & settings, const Eigen::MatrixXd & side_to_motor)
: side_to_motor_(side_to_motor),
  motor_to_side_(side_to_motor.inverse()),
  line_(delay_cycles(settings.command_delay, settings.control_rate), 2 * side_to_motor.rows()),
  random_(~settings.seed)
{
  const auto n = side_to_motor.rows();
  for (auto * vector : {&target_, &offset_, &before_, &step_}) {
    vector->setZero(n);
  }
  command_.setZero(2 * n);
  due_ = command_;
}

void CommandFrames::rest_at(const VectorIn & side_position) noexcept
{
  target_ = side_position;
  before_.noalias() = side_to_motor_ * target_;
  hold(before_);
  target_ = side_position;  // without rounding
  to_lose_ = 0;
  probability_ = 0.0;
}

void CommandFrames::hold(const VectorIn & motor_position) noexcept
{
  const auto n = target_.size();
  target_.noalias() = motor_to_side_ * motor_position;
  command_.head(n) = motor_position;
  command_.tail(n).setZero();
  step_.setZero();
  gap_ = 0;
  line_.fill(command_);
  due_ = command_;
}

void CommandFrames::exert(const VectorIn & motor_torque) noexcept
{
  command_.tail(target_.size()) = motor_torque;
  line_.fill(command_);
  due_ = command_;
}

bool CommandFrames::take(const VectorIn & target, const VectorIn & offset) noexcept
{
  const auto n = target_.size();
  const bool arrived = arrives();
  if (arrived) {
    before_ = command_.head(n);
    accept(target, offset);
    step_ = command_.head(n) - before_;
    gap_ = 0;
  } else {
    ++lost_;
    if (++gap_ <= extrapolated_cycles) {
      command_.head(n) += step_;
    }
  }
  due_ = line_.pass(command_);
  return arrived;
}

bool CommandFrames::arrives() noexcept
{
  if (to_lose_ > 0) {
    --to_lose_;
    return false;
  }
  return !(probability_ > 0.0 && std::bernoulli_distribution(probability_)(random_));
}

void CommandFrames::accept(const VectorIn & target, const VectorIn & offset) noexcept
{
  const auto n = target_.size();
  bool all = true;
  for (Eigen::Index i = 0; i < n; ++i) {
    const bool good_target = usable(target[i]);
    const bool good_offset = usable(offset[i]);
    target_[i] = good_target ? target[i] : target_[i];
    offset_[i] = good_offset ? offset[i] : 0.0;
    all = all && good_target && good_offset;
  }
  rejected_ += all ? 0 : 1;
  command_.head(n).noalias() = side_to_motor_ * target_;
  command_.tail(n).noalias() = motor_to_side_.transpose() * offset_;
}

}  // namespace dynid
