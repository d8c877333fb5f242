#pragma once

#include <Eigen/Core>
#include <initializer_list>
#include <limits>

namespace dynid
{

/// A setting with one value for each drive, and the range of its values.
struct DriveSetting
{
  static constexpr double least = std::numeric_limits<double>::min();  ///< above 0
  static constexpr double most = std::numeric_limits<double>::max();
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  const char * name;
  const Eigen::VectorXd & values;
  double lowest;
  double highest;
};

// They throw std::invalid_argument with a sentence for the user.
void check_settings(Eigen::Index drives, std::initializer_list<DriveSetting> settings);
void check_rate(const char * name, double rate);  ///< [Hz]
void check_delay(int cycles);
void check_range(const char * name, double value, double lowest, double highest);
void check_order(const char * lower, double least, const char * upper, double most);

}  // namespace dynid
