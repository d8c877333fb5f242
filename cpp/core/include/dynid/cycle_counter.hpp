#pragma once

#include <optional>

#include "dynid/setting.hpp"

namespace dynid
{

/// Reads a counter of the drives' cycles, which may begin anywhere.
///
/// For control cycles: no allocation, lock or exception.
class CycleCounter
{
public:
  /// The drives' cycles since the last call; none at first, and where the counter is not finite,
  /// went back or jumped.
  std::optional<int> read(double counted) noexcept
  {
    const double passed = counted - last_;
    last_ = counted;
    if (passed >= 0.0 && passed <= most) {  // also false for NaN
      return static_cast<int>(passed);
    }
    return std::nullopt;
  }

  [[nodiscard]] double last() const noexcept { return last_; }

private:
  static constexpr double most = 1e6;  // cycles between two calls

  double last_ = nan;
};

}  // namespace dynid
