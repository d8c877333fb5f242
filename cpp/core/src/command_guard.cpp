#include "command_guard.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "numbers.hpp"
#include "setting_checks.hpp"

namespace dynid
{
namespace
{

constexpr double spare = 0.5;            // share of acceleration_max used to approach the input
constexpr double limit_rounding = 1e-6;  // of a limit of velocity or acceleration
constexpr double ulps = 8.0;             // rounding error of position differences
constexpr double boundary = 1e-9;        // [rad or m] tolerance on position limits

/// The largest step s from which the command can come to rest within a distance by the steps s - a,
/// s - 2 a, ...: s + (s - a) + ... = distance.
double largest_step(double distance, double a) noexcept
{
  if (!(distance > a) || distance == infinity) {
    return std::max(0.0, distance);  // in one step
  }
  const double steps = std::ceil(0.5 * (std::sqrt(1.0 + 8.0 * distance / a) - 1.0));
  return std::min(distance, distance / steps + 0.5 * a * (steps - 1.0));
}

/// Whether a step is surely below largest_step(distance, a), by a bound without root and division:
/// the distance that a step needs is at most (s + a / 2)^2 / (2 a), and the step for infinite a.
bool surely_stops(double step, double distance, double a) noexcept
{
  if (a == infinity) {
    return step <= distance;
  }
  const double reach = step + 0.5 * a;
  return 2.0 * a * distance > (1.0 + limit_rounding) * reach * reach;
}

/// The input, or the command where the input is not usable.
double usable(double wanted, double command) noexcept
{
  return std::abs(wanted) <= farthest ? wanted : command;
}

}  // namespace

void CommandLimits::fill(Eigen::Index drives)
{
  visit([this, drives](const Setting & setting, const auto member) {
    auto & values = this->*member;
    if (values.size() == 0) {
      values.setConstant(drives, setting.otherwise);
    }
  });
}

void CommandLimits::check(Eigen::Index drives) const
{
  CommandLimits filled = *this;
  filled.fill(drives);
  check_declared(filled, drives);
  for (Eigen::Index i = 0; i < drives; ++i) {
    check_order("position_min", filled.position_min[i], "position_max", filled.position_max[i]);
  }
}

CommandGuard::CommandGuard(Eigen::Index drives, const CommandLimits & limits, double control_rate)
: limits_(limits),
  fastest_(limits.velocity_max / control_rate),
  hardest_(limits.acceleration_max / control_rate / control_rate)
{
  for (auto * vector : {&command_, &step_, &wanted_, &before_, &step_before_, &wanted_before_}) {
    vector->setZero(drives);
  }
}

void CommandGuard::start(const VectorIn & position) noexcept
{
  if (position.allFinite()) {
    command_ = position;
  }
  wanted_ = before_ = wanted_before_ = command_;
  step_.setZero();
  step_before_.setZero();
  passed_ = true;
}

void CommandGuard::undo() noexcept
{
  command_ = before_;
  step_ = step_before_;
  wanted_ = wanted_before_;
}

/// The nearest step within the limits; `any_braking`: without the limit of acceleration.
double CommandGuard::allowed(Eigen::Index i, double step, bool any_braking) const noexcept
{
  const double was = step_[i];
  const double p = command_[i];
  if (!any_braking) {
    step = std::clamp(step, was - hardest_[i], was + hardest_[i]);
  }
  step = std::clamp(step, -fastest_[i], fastest_[i]);
  // the stopping distance comes last, because it must be kept in any case
  step = std::min(step, largest_step(limits_.position_max[i] - p, hardest_[i]));
  return std::max(step, -largest_step(p - limits_.position_min[i], hardest_[i]));
}

/// The step towards an input that continues to move as in this cycle.
double CommandGuard::pursuit(Eigen::Index i, double wanted) const noexcept
{
  const double direct = wanted - command_[i];
  const double advance = std::clamp(wanted - wanted_[i], -fastest_[i], fastest_[i]);
  const double behind = direct - advance;
  const double catching_up = largest_step(std::abs(behind), spare * hardest_[i]);
  return catching_up == std::abs(behind) ? direct : advance + std::copysign(catching_up, behind);
}

/// Keeps the state of a drive for undo().
void CommandGuard::keep(Eigen::Index i) noexcept
{
  before_[i] = command_[i];
  step_before_[i] = step_[i];
  wanted_before_[i] = wanted_[i];
}

/// Whether a step differs from the direct one to an input by rounding only.
bool CommandGuard::seems(Eigen::Index i, double step, double direct, double wanted) const noexcept
{
  const double rounded = ulps * std::numeric_limits<double>::epsilon();
  return std::abs(step - direct) <= limit_rounding * std::min(fastest_[i], hardest_[i]) +
                                      rounded * (std::abs(command_[i]) + std::abs(wanted));
}

void CommandGuard::move(Eigen::Index i, double step, double wanted) noexcept
{
  const double p = command_[i];
  keep(i);
  command_[i] = step == wanted - p ? wanted : p + step;
  // a drive outside its limits may not move further out
  command_[i] = std::clamp(
    command_[i], std::min(p, limits_.position_min[i]), std::max(p, limits_.position_max[i]));
  step_[i] = step;
}

void CommandGuard::follow(const Eigen::VectorXd & wanted) noexcept
{
  passed_ = true;
  for (Eigen::Index i = 0; i < command_.size(); ++i) {
    if (passes(i, wanted[i])) {
      keep(i);
      step_[i] = wanted[i] - command_[i];
      command_[i] = wanted_[i] = wanted[i];
    } else {
      approach(i, wanted[i]);
      passed_ = passed_ && command_[i] == wanted[i];
    }
  }
}

void CommandGuard::coast(int cycles) noexcept
{
  for (int k = 0; k < cycles && !at_rest(); ++k) {
    for (Eigen::Index i = 0; i < command_.size(); ++i) {
      approach(i, command_[i] + step_[i]);
      wanted_[i] = command_[i];
    }
  }
}

/// Whether an input is surely within all limits: most are, and so need not be compared with each.
bool CommandGuard::passes(Eigen::Index i, double wanted) const noexcept
{
  const double p = command_[i];
  const double step = wanted - p;
  const double highest = limits_.position_max[i];
  const double lowest = limits_.position_min[i];
  return std::abs(wanted) <= farthest && p == wanted_[i] && lowest <= wanted && wanted <= highest &&
         std::abs(step) <= fastest_[i] && std::abs(step - step_[i]) <= hardest_[i] &&
         surely_stops(std::abs(step), step > 0.0 ? highest - p : p - lowest, hardest_[i]);
}

/// A step towards an input within the limits.
void CommandGuard::approach(Eigen::Index i, double wanted) noexcept
{
  const double p = command_[i];
  const double given = usable(wanted, p);
  const double within =
    std::clamp(given, std::min(p, limits_.position_min[i]), std::max(p, limits_.position_max[i]));
  const double direct = within - p;
  double step = allowed(i, direct, false);
  if (p == wanted_[i] && seems(i, step, direct, within)) {
    step = direct;
  } else {
    step = allowed(i, pursuit(i, within), false);
  }
  move(i, step, within);
  wanted_[i] = within;
}

void CommandGuard::brake(const Eigen::VectorXd & wanted, bool limited) noexcept
{
  passed_ = true;
  for (Eigen::Index i = 0; i < command_.size(); ++i) {
    const double was = step_[i];
    const double given = usable(wanted[i], command_[i]);
    const double slower = std::clamp(given - command_[i], std::min(0.0, was), std::max(0.0, was));
    move(i, allowed(i, slower, !limited), given);
    wanted_[i] = command_[i];
    passed_ = passed_ && command_[i] == wanted[i];
  }
}

int CommandGuard::beyond(const Eigen::VectorXd & position) const noexcept
{
  for (Eigen::Index i = 0; i < command_.size(); ++i) {
    const double p = command_[i];
    const double slack = boundary * (1.0 + std::abs(p));
    if (
      position[i] > std::max(p, limits_.position_max[i]) + slack ||
      position[i] < std::min(p, limits_.position_min[i]) - slack) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

}  // namespace dynid
