#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <type_traits>

#include "dynid/setting.hpp"

namespace dynid
{

/// A setting with one value for each drive, and the range of its values.
struct DriveSetting
{
  const char * name;
  const Eigen::VectorXd & values;
  double lowest;
  double highest;
};

// They throw std::invalid_argument with a sentence for the user.
void check_settings(Eigen::Index drives, std::initializer_list<DriveSetting> settings);
void check_rate(const char * name, double rate);  ///< [Hz]
/// [s]; at this rate [Hz] no longer than a delay line can be.
void check_delay(const char * name, double delay, double control_rate);
void check_range(const char * name, double value, double lowest, double highest);
void check_order(const char * lower, double least, const char * upper, double most);
/// `list` begins the sentence.
void check_count(const std::string & list, std::size_t found, std::size_t expected);

/// Checks the value of a declared setting, or those of all drives (n,).
void check_value(const Setting & setting, double value, Eigen::Index drives);
void check_value(const Setting & setting, const Eigen::VectorXd & values, Eigen::Index drives);
template <typename Choice, typename = std::enable_if_t<std::is_enum_v<Choice>>>
void check_value(const Setting & /*setting*/, Choice /*value*/, Eigen::Index /*drives*/)
{
}

/// Checks all declared settings of a struct.
template <typename Settings>
void check_declared(const Settings & settings, Eigen::Index drives)
{
  Settings::visit([&settings, drives](const Setting & setting, const auto member) {
    check_value(setting, settings.*member, drives);
  });
}

/// Settings that pass their check().
template <typename Settings>
Settings checked(const Settings & settings, Eigen::Index drives)
{
  settings.check(drives);
  return settings;
}

/// The values, or this one for each drive where there are none.
inline Eigen::VectorXd given_or(const Eigen::VectorXd & given, Eigen::Index drives, double value)
{
  return given.size() > 0 ? given : Eigen::VectorXd::Constant(drives, value);
}

}  // namespace dynid
