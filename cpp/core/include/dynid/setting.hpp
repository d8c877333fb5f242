#pragma once

#include <limits>

namespace dynid
{

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// What is declared of a setting, in dynid's classes of settings; declared_settings.hpp has all.
struct Setting
{
  static constexpr double least = std::numeric_limits<double>::min();  ///< above 0
  static constexpr double most = std::numeric_limits<double>::max();

  const char * group;  ///< of the controllers' parameters; empty: those without a group
  const char * name;
  double lowest;
  double highest;
  double otherwise;   ///< accepted besides the range: in place of no value
  bool is_switch;     ///< 1 or 0
  bool live;          ///< whether it can be changed while the controller runs
  bool may_be_empty;  ///< whether the parameter is an empty list by default
};

}  // namespace dynid
