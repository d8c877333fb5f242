#include "setting_checks.hpp"

#include <sstream>
#include <stdexcept>
#include <string>

#include "dynid/delay_line.hpp"

namespace dynid
{
namespace
{
constexpr int longest_line = 1000;     // cycles
constexpr double longest_delay = 0.5;  // [s]
constexpr double lowest_rate = 1.0;    // [Hz]
constexpr double highest_rate = 1e6;

void check_size(const char * name, const Eigen::VectorXd & values, Eigen::Index drives)
{
  if (values.size() != drives) {
    throw std::invalid_argument(
      std::string("The setting ") + name + " has " + std::to_string(values.size()) +
      " values, but must have " + std::to_string(drives) + ", one for each drive.");
  }
}

std::string bounds(double lowest, double highest)
{
  std::ostringstream text;
  if (lowest > 0.0) {
    text << "above 0";
  } else if (lowest == 0.0) {
    text << "0 or above";
  }
  if (highest < Setting::most) {
    text << (lowest < 0.0 ? "" : ", and ") << "at most " << highest;
  } else if (highest == Setting::most) {
    text << (lowest < 0.0 ? "" : ", and ") << "finite";
  }
  return text.str();
}

}  // namespace

void check_settings(Eigen::Index drives, std::initializer_list<DriveSetting> settings)
{
  for (const auto & [name, values, lowest, highest] : settings) {
    check_size(name, values, drives);
    for (const double value : values) {
      check_range(name, value, lowest, highest);
    }
  }
}

void check_value(const Setting & setting, double value, Eigen::Index /*drives*/)
{
  if (value != setting.otherwise) {
    check_range(setting.name, value, setting.lowest, setting.highest);
  }
}

void check_value(const Setting & setting, const Eigen::VectorXd & values, Eigen::Index drives)
{
  check_size(setting.name, values, drives);
  for (const double value : values) {
    check_value(setting, value, drives);
  }
}

void check_rate(const char * name, double rate)
{
  if (!(rate >= lowest_rate && rate <= highest_rate)) {
    std::ostringstream text;
    text << "The " << name << " rate is " << rate << " Hz, but must be from 1 Hz to 1 MHz.";
    throw std::invalid_argument(text.str());
  }
}

void check_delay(const char * name, double delay, double control_rate)
{
  check_range(name, delay, 0.0, longest_delay);
  const int cycles = delay_cycles(delay, control_rate);
  if (cycles > longest_line) {
    throw std::invalid_argument(
      std::string("The setting ") + name + " is " + std::to_string(cycles) +
      " cycles at this control rate, but must be at most " + std::to_string(longest_line) + ".");
  }
}

void check_range(const char * name, double value, double lowest, double highest)
{
  if (!(value >= lowest && value <= highest)) {
    std::ostringstream text;
    text << "The setting " << name << " is " << value << ", but must be " << bounds(lowest, highest)
         << ".";
    throw std::invalid_argument(text.str());
  }
}

void check_order(const char * lower, double least, const char * upper, double most)
{
  if (!(least < most)) {
    std::ostringstream text;
    text << "The setting " << lower << " is " << least << ", but must be below " << upper
         << ", which is " << most << ".";
    throw std::invalid_argument(text.str());
  }
}

void check_count(const std::string & list, std::size_t found, std::size_t expected)
{
  if (found != expected) {
    throw std::invalid_argument(
      list + " has " + std::to_string(found) + " entries, but must have " +
      std::to_string(expected) + ".");
  }
}

}  // namespace dynid
