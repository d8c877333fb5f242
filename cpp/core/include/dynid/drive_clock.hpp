#pragma once

#include <algorithm>
#include <cmath>

namespace dynid
{

/// Counts the cycles of drives that run by a clock of their own, while control cycles come late and
/// are skipped. A control cycle on time is in the middle of a drive's cycle, so that lateness below
/// half a cycle changes nothing.
///
/// For control cycles: no allocation, lock or exception.
class DriveClock
{
public:
  void restart() noexcept
  {
    phase_ = middle;
    repeated_ = false;
  }

  /// The drives' cycles since the last call, after this time in nominal cycles. 0: the drives have
  /// not taken the last command yet, at most once in a row, so that time passes whatever is given.
  int pass(double cycles) noexcept
  {
    phase_ += cycles > 0.0 ? std::min(cycles, longest) : 0.0;  // also for NaN
    double passed = std::floor(phase_);
    if (passed < 1.0 && repeated_) {
      passed = 1.0;
    }
    repeated_ = passed < 1.0;
    phase_ = std::max(0.0, phase_ - passed);
    phase_ += pull * (middle - phase_);
    return static_cast<int>(passed);
  }

private:
  static constexpr double longest = 1e6;  // [cycles]
  static constexpr double middle = 0.5;   // of a cycle
  static constexpr double pull = 0.02;  // towards it in a cycle: the drives' phase is not measured

  double phase_ = middle;
  bool repeated_ = false;
};

}  // namespace dynid
