#pragma once

#include <Eigen/Core>

namespace dynid
{

/// Delays vectors by a number of cycles.
class DelayLine
{
public:
  DelayLine(int cycles, Eigen::Index size) : ring_(Eigen::MatrixXd::Zero(size, cycles + 1)) {}

  /// Fills the whole line with one vector.
  void fill(const Eigen::VectorXd & value) noexcept { ring_.colwise() = value; }

  /// Where the vector of this cycle goes, before pass().
  [[nodiscard]] auto entering() noexcept { return ring_.col(next_); }

  /// One cycle, with the vector that was written to entering(): returns the delayed one.
  [[nodiscard]] auto pass() noexcept
  {
    ++next_;
    if (next_ == ring_.cols()) {
      next_ = 0;
    }
    return ring_.col(next_);
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
