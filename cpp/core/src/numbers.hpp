#pragma once

#include <cmath>

#include "dynid/setting.hpp"

namespace dynid
{

constexpr double two_pi = 6.283185307179586;
constexpr double farthest = 1e9;  // [rad or m] that a position may be from 0

/// Whether two numbers are equal, or both not known.
inline bool same(double a, double b) noexcept { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace dynid
