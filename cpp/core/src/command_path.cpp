#include "command_path.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "numbers.hpp"
#include "smooth_step.hpp"

namespace dynid
{
namespace
{

// Of a cycle, too long or too short. At 1 kHz and 0.5 rad/s, 0.01 of a cycle would be an
// acceleration of 5 rad/s^2, so only rounding errors count as even.
constexpr double uneven_step = 1e-9;
constexpr double catch_up_rate = 6.0;       // times 1 / the duration of catching up
constexpr double fastest_step = 0.5;        // of that in one cycle
constexpr double nothing = 1e-9;            // [rad or m]
constexpr double velocity_tolerance = 0.1;  // of a way, that velocities may differ from it
constexpr double way_memory = 0.99;         // of that way in a cycle
constexpr double shortest_mean = 0.5;       // cycles, from which on an advance gives a velocity

}  // namespace

CommandPath::CommandPath(
  Eigen::Index drives, int ramp_cycles, int catch_up_cycles, Eigen::VectorXd tolerance)
: ramp_cycles_(ramp_cycles),
  catch_up_step_(std::min(fastest_step, catch_up_rate / catch_up_cycles)),
  tolerance_(std::move(tolerance))
{
  for (auto * vector :
       {&command_, &reference_, &join_offset_, &advance_, &even_, &differs_, &moved_, &skew_,
        &skew_rate_, &skew_change_}) {
    vector->setZero(drives);
  }
}

bool CommandPath::near(const Eigen::VectorXd & position) const noexcept
{
  return ((position - command_).array().abs() <= tolerance_.array()).all();
}

void CommandPath::join(const Eigen::VectorXd & reference) noexcept
{
  reference_ = reference;
  join_offset_ = command_ - reference_;
  joining_ = 1.0;
  even_.setZero();
  differs_.setZero();
  moved_.setZero();
  clear_skew();
  compose();
}

bool CommandPath::advance(
  const Eigen::VectorXd & reference, const Eigen::VectorXd & step, double cycles,
  const Eigen::VectorXd & coasted) noexcept
{
  advance_ = reference - reference_;
  reference_ = reference;
  compare(step, cycles);
  if (std::abs(cycles - 1.0) > uneven_step) {
    even_out(step, cycles, coasted);
    if (!(skew_.array().abs() <= tolerance_.array()).all()) {
      return false;
    }
  } else {
    even_ = advance_;
  }
  compose();
  return true;
}

/// The command of this cycle.
void CommandPath::compose() noexcept
{
  command_ = reference_;
  if (joining_ > 0.0) {
    command_ += smooth_step(joining_) * join_offset_;
    joining_ = std::max(0.0, joining_ - 1.0 / ramp_cycles_);
  }
  catch_up();
}

/// Compares the way by the reference's velocities with its advance. In a single cycle they may
/// differ: a thread that pauses between the reference and this measures more time, and in the next
/// cycle less.
void CommandPath::compare(const Eigen::VectorXd & step, double cycles) noexcept
{
  for (Eigen::Index i = 0; i < even_.size(); ++i) {
    // at constant acceleration from the velocity before
    const double between = 0.5 * cycles * (even_[i] + step[i]);
    if (!(std::abs(between) < farthest)) {
      differs_[i] = farthest;  // also for NaN
      continue;
    }
    differs_[i] = way_memory * differs_[i] + between - advance_[i];
    moved_[i] = way_memory * moved_[i] + std::abs(advance_[i]);
    if (moved_[i] < nothing) {
      moved_[i] = 0.0;  // otherwise both would fade through slow, subnormal numbers
      differs_[i] = std::abs(differs_[i]) < nothing ? 0.0 : differs_[i];
    }
  }
}

/// The distance for one nominal cycle: by the reference's velocity where that has the direction of
/// its advance and is consistent with it, else by its mean velocity.
double CommandPath::even_step(Eigen::Index i, double step, double cycles) const noexcept
{
  const bool along = step * advance_[i] > 0.0 || std::abs(advance_[i]) <= nothing;
  const bool consistent = std::abs(differs_[i]) <= velocity_tolerance * moved_[i] + nothing;
  if (along && consistent && std::isfinite(step)) {
    return step;
  }
  return cycles >= shortest_mean ? advance_[i] / cycles : even_[i];
}

/// Advances the command by the distance of one nominal cycle, independent of the time passed:
/// drives take one target in each of their cycles, and would jerk on a distance of several cycles
/// or none. What they moved on by themselves comes on top, and then the velocity changes smoothly.
void CommandPath::even_out(
  const Eigen::VectorXd & step, double cycles, const Eigen::VectorXd & coasted) noexcept
{
  const bool moved_on = !coasted.isZero(0.0);
  for (Eigen::Index i = 0; i < even_.size(); ++i) {
    const double before = even_[i];
    even_[i] = even_step(i, step[i], cycles);
    skew_rate_[i] += moved_on ? before - even_[i] : 0.0;
  }
  skew_ += coasted + even_ - advance_;
  skewed_ = true;
}

/// Reduces the distance that uneven cycles left between command and reference, critically damped.
void CommandPath::catch_up() noexcept
{
  if (!skewed_) {
    return;
  }
  const double step = catch_up_step_;
  skew_change_ = -step * (2.0 * skew_rate_ + step * skew_);  // in a cycle
  skew_rate_ += skew_change_;
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
  skew_change_.setZero();
  skewed_ = false;
}

}  // namespace dynid
