#pragma once

namespace dynid
{

/// From 0 to 1 as x does, with velocity and acceleration 0 at either end.
inline double smooth_step(double x) noexcept { return x * x * x * (10.0 + x * (6.0 * x - 15.0)); }

}  // namespace dynid
