#pragma once

#include <algorithm>

namespace dynid
{

constexpr double longest_pause = 1e6;    // cycles
constexpr double cycle_rounding = 1e-9;  // of cycles

/// The time since the last cycle, in cycles: 1 where the given one cannot be.
inline double believable(double cycles) noexcept
{
  return cycles > 0.0 ? std::min(cycles, longest_pause) : 1.0;  // also for NaN
}

/// The longest time that may have passed: where several cycles come at once, more than has.
inline double longest_time(double cycles) noexcept { return std::max(1.0, believable(cycles)); }

}  // namespace dynid
