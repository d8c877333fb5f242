#include "setting_checks.hpp"

#include <sstream>
#include <stdexcept>
#include <string>

namespace dynid
{
namespace
{
constexpr int longest_delay = 1000;   // cycles
constexpr double highest_rate = 1e6;  // [Hz]

std::string bounds(double lowest, double highest)
{
  std::ostringstream text;
  if (lowest > 0.0) {
    text << "above 0";
  } else if (lowest == 0.0) {
    text << "0 or above";
  }
  if (highest < DriveSetting::most) {
    text << (lowest < 0.0 ? "" : ", and ") << "at most " << highest;
  } else if (highest == DriveSetting::most) {
    text << (lowest < 0.0 ? "" : ", and ") << "finite";
  }
  return text.str();
}

}  // namespace

void check_settings(Eigen::Index drives, std::initializer_list<DriveSetting> settings)
{
  for (const auto & [name, values, lowest, highest] : settings) {
    if (values.size() != drives) {
      throw std::invalid_argument(
        std::string("The setting ") + name + " has " + std::to_string(values.size()) +
        " values, but must have " + std::to_string(drives) + ", one for each drive.");
    }
    for (const double value : values) {
      check_range(name, value, lowest, highest);
    }
  }
}

void check_rate(const char * name, double rate)
{
  if (!(rate > 0.0 && rate <= highest_rate)) {
    throw std::invalid_argument(
      std::string("The ") + name + " rate must be above 0 Hz, and at most 1 MHz.");
  }
}

void check_delay(int cycles)
{
  if (cycles < 0 || cycles > longest_delay) {
    throw std::invalid_argument(
      "A delay is " + std::to_string(cycles) + " cycles, but must be from 0 to " +
      std::to_string(longest_delay) + ".");
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

}  // namespace dynid
