#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

namespace dynid
{

/// The whole cycles of a delay [s], to the nearest, at this control rate [Hz].
[[nodiscard]] inline int delay_cycles(double delay, double control_rate) noexcept
{
  return static_cast<int>(std::lround(delay * control_rate));
}

/// Delays vectors by a number of cycles.
class DelayLine
{
public:
  DelayLine(int cycles, Eigen::Index size) : ring_(Eigen::MatrixXd::Zero(size, cycles + 1)) {}

  /// Fills the whole line with one vector.
  void fill(const Eigen::VectorXd & value) noexcept { ring_.colwise() = value; }

  void clear() noexcept { ring_.setZero(); }

  /// Where the vector of this cycle goes, before pass().
  [[nodiscard]] auto entering() noexcept { return ring_.col(next_); }

  /// One cycle, with the vector that was written to entering(): returns the delayed one.
  auto pass() noexcept
  {
    ++next_;
    if (next_ == ring_.cols()) {
      next_ = 0;
    }
    return ring_.col(next_);
  }

  /// Cycles in which the vector that was stored last is stored again.
  void repeat(int cycles) noexcept
  {
    const Eigen::Index last = (next_ == 0 ? ring_.cols() : next_) - 1;
    const auto most = std::min<Eigen::Index>(cycles, ring_.cols());
    for (Eigen::Index k = 0; k < most; ++k) {
      entering() = ring_.col(last);
      pass();
    }
  }

  /// One cycle: stores a vector and returns the delayed one.
  [[nodiscard]] auto pass(const Eigen::VectorXd & value) noexcept
  {
    entering() = value;
    return pass();
  }

private:
  Eigen::MatrixXd ring_;  // a column for each cycle
  Eigen::Index next_ = 0;
};

}  // namespace dynid
