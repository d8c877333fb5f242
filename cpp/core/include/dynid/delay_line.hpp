#pragma once

#include <Eigen/Core>

namespace dynid
{

/// Passes vectors on a number of cycles later.
class DelayLine
{
public:
  DelayLine(int cycles, Eigen::Index size) : ring_(Eigen::MatrixXd::Zero(size, cycles + 1)) {}

  /// As if this had come in all along.
  void fill(const Eigen::VectorXd & value) noexcept { ring_.colwise() = value; }

  /// One cycle: takes a vector in, and gives the one that is due.
  [[nodiscard]] auto pass(const Eigen::VectorXd & value) noexcept
  {
    ring_.col(next_) = value;
    next_ = (next_ + 1) % ring_.cols();
    return ring_.col(next_);
  }

private:
  Eigen::MatrixXd ring_;  // a column for each cycle
  Eigen::Index next_ = 0;
};

}  // namespace dynid
