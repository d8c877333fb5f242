#include "command_path.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace dynid
{
namespace
{

constexpr double uneven = 0.02;        // of a cycle, too long or too short
constexpr double catch_up_rate = 6.0;  // times 1 / ramp time: how fast lost time is made up for
constexpr double fastest_step = 0.5;   // of that in one cycle
constexpr double nothing = 1e-9;       // [rad or m]
constexpr double velocity_tolerance = 0.05;  // of an advance, that a velocity may differ from it
constexpr double shortest_mean = 0.5;        // cycles, from which on an advance gives a velocity

/// From 0 to 1 as x does, with velocity and acceleration 0 at either end.
double smooth_step(double x) { return x * x * x * (10.0 + x * (6.0 * x - 15.0)); }

}  // namespace

CommandPath::CommandPath(Eigen::Index drives, int ramp_cycles, Eigen::VectorXd tolerance)
: ramp_cycles_(ramp_cycles), tolerance_(std::move(tolerance))
{
  for (auto * vector :
       {&command_, &reference_, &join_offset_, &advance_, &even_, &skew_, &skew_rate_}) {
    vector->setZero(drives);
  }
}

void CommandPath::start(const Eigen::VectorXd & position) noexcept
{
  command_ = position;
  reference_ = position;
  following_ = false;
  even_.setZero();
  clear_skew();
}

bool CommandPath::near(const Eigen::VectorXd & position) const noexcept
{
  return ((position - command_).array().abs() <= tolerance_.array()).all();
}

void CommandPath::follow(
  const Eigen::VectorXd & reference, const Eigen::VectorXd & step, double cycles, bool jumped,
  bool joins) noexcept
{
  too_uneven_ = false;
  advance_ = reference - reference_;
  reference_ = reference;
  joined_ = false;
  if (!following_ || jumped) {
    following_ = joins && near(reference_);
    if (following_) {
      join_offset_ = command_ - reference_;
      joined_ = true;
      joining_ = 1.0;
      even_.setZero();
      clear_skew();
    }
  } else if (std::abs(cycles - 1.0) > uneven) {
    even_out(step, cycles);
  } else {
    even_ = advance_;
  }
  if (!following_) {
    return;
  }
  command_ = reference_;
  if (joining_ > 0.0) {
    command_ += smooth_step(joining_) * join_offset_;
    joining_ = std::max(0.0, joining_ - 1.0 / ramp_cycles_);
  }
  catch_up();
}

/// The distance for one nominal cycle: by the reference's velocity where that is consistent with
/// its advance, for one cycle or for the time passed; otherwise by its mean velocity.
double CommandPath::even_step(Eigen::Index i, double step, double cycles) const noexcept
{
  const double advance = advance_[i];
  const bool long_enough = cycles >= shortest_mean;
  const double mean = long_enough ? advance / cycles : even_[i];
  const double way = long_enough ? advance : even_[i];
  const double differs = velocity_tolerance * std::abs(way) + nothing;
  if (
    std::abs(step - way) <= differs || (long_enough && std::abs(step * cycles - way) <= differs)) {
    return step;
  }
  return mean;
}

/// Advances the command by the distance of one nominal cycle, independent of the time passed:
/// drives take one target in each of their cycles, and would jerk on a distance of several cycles
/// or none.
void CommandPath::even_out(const Eigen::VectorXd & step, double cycles) noexcept
{
  for (Eigen::Index i = 0; i < even_.size(); ++i) {
    even_[i] = even_step(i, step[i], cycles);
  }
  skew_ += even_ - advance_;
  skewed_ = true;
  too_uneven_ = !(skew_.array().abs() <= tolerance_.array()).all();
  following_ = !too_uneven_;
}

/// Reduces the distance that uneven cycles left between command and reference, critically damped.
void CommandPath::catch_up() noexcept
{
  if (!skewed_) {
    return;
  }
  const double step = std::min(fastest_step, catch_up_rate / ramp_cycles_);
  skew_rate_ -= step * (2.0 * skew_rate_ + step * skew_);  // in a cycle
  skew_ += skew_rate_;
  if (skew_.cwiseAbs().maxCoeff() < nothing && skew_rate_.cwiseAbs().maxCoeff() < nothing * step) {
    clear_skew();
  }
  command_ += skew_;
}

void CommandPath::clear_skew() noexcept
{
  skew_.setZero();
  skew_rate_.setZero();
  skewed_ = false;
}

}  // namespace dynid
