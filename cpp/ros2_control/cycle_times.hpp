#pragma once

#include <algorithm>
#include <cstdint>

namespace dynid
{

/// How late the control cycles of a controller came since its activation.
struct CycleTimes
{
  static constexpr double late_from = 1.5;  ///< nominal cycles

  std::uint64_t cycles = 0;
  std::uint64_t late = 0;
  double longest = 0.0;  ///< nominal cycles

  /// Counts a cycle, this time in nominal cycles after the last; the first has none.
  void count(double time) noexcept
  {
    if (++cycles > 1) {
      late += time > late_from ? 1 : 0;
      longest = std::max(longest, time);
    }
  }
};

}  // namespace dynid
