#pragma once

// Random draws for the fuzz of the control law: one seed gives one sequence.

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

namespace fuzz
{

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

class Dice
{
public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}

  bool one_in(int faces) { return below(faces) == 0; }
  int below(int count) { return std::uniform_int_distribution<int>(0, count - 1)(random_); }
  double within(double low, double high)
  {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  double sign() { return one_in(2) ? 1.0 : -1.0; }
  /// Evenly over the orders of magnitude.
  double scale(double low, double high) { return std::exp(within(std::log(low), std::log(high))); }
  double scale_or(double other, double low, double high)
  {
    return one_in(5) ? other : scale(low, high);
  }
  /// One of the values.
  template <typename Value, std::size_t count>
  Value of(const std::array<Value, count> & values)
  {
    return values.at(static_cast<std::size_t>(below(static_cast<int>(count))));
  }
  /// Values of that many drives (n,).
  template <typename Draw>
  Eigen::VectorXd each(Eigen::Index drives, const Draw & draw)
  {
    Eigen::VectorXd values(drives);
    for (double & value : values) {
      value = draw();
    }
    return values;
  }
  Eigen::Index drive(Eigen::Index drives) { return below(static_cast<int>(drives)); }
  /// Values that no correct sender sends.
  double bad()
  {
    return of(std::array<double, 8>{nan, infinity, -infinity, 1e308, -1e308, 1e12, -1e7, 5e-324});
  }

private:
  std::mt19937_64 random_;
};

}  // namespace fuzz
