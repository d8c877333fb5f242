#include "dynid/drive_plant_settings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace dynid
{
namespace
{

constexpr int longest_delay = 1000;   // cycles
constexpr double highest_rate = 1e6;  // [Hz]
constexpr double least = std::numeric_limits<double>::min();
constexpr double most = std::numeric_limits<double>::max();
constexpr double infinity = std::numeric_limits<double>::infinity();

void check_rate(const std::string & name, double rate)
{
  if (!(rate > 0.0 && rate <= highest_rate)) {
    throw std::invalid_argument("The " + name + " rate must be above 0 Hz, and at most 1 MHz.");
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

}  // namespace

void DrivePlantSettings::check(Eigen::Index drives) const
{
  check_rate("control", control_rate);
  check_rate("integration", integration_rate);
  check_delay(command_delay);
  check_delay(feedback_delay);
  struct Range
  {
    const char * name;
    const Eigen::VectorXd & values;
    double lowest;
    double highest;
  };
  for (const auto & [name, values, lowest, highest] : {
         Range{"bandwidth_hz", bandwidth_hz, least, most},
         Range{"damping_ratio", damping_ratio, least, most},
         Range{"integral_time", integral_time, least, infinity},
         Range{"torque_max", torque_max, least, infinity},
         Range{"stop_deceleration", stop_deceleration, least, infinity},
         Range{"following_error", following_error, least, infinity},
         Range{"position_resolution", position_resolution, 0.0, most},
         Range{"rated_torque", rated_torque, 0.0, most},
         Range{"torque_noise", torque_noise, 0.0, most},
         Range{"stribeck_torque", stribeck_torque, 0.0, most},
         Range{"stribeck_velocity", stribeck_velocity, least, most},
         Range{"lower", lower, -most, most},
         Range{"upper", upper, -most, most},
       }) {
    if (values.size() != drives) {
      throw std::invalid_argument(
        std::string("The setting ") + name + " has " + std::to_string(values.size()) +
        " values, but must have " + std::to_string(drives) + ", one for each drive.");
    }
    if (!((values.array() >= lowest).all() && (values.array() <= highest).all())) {
      throw std::invalid_argument(
        std::string("The setting ") + name + " has a value that is no number, or " +
        (lowest < 0.0   ? "infinite."
         : lowest > 0.0 ? "not above 0."
                        : "below 0 or infinite."));
    }
  }
}

int DrivePlantSettings::steps_per_cycle() const noexcept
{
  const double ratio = integration_rate / control_rate;
  return std::max(1, static_cast<int>(std::ceil(ratio * (1.0 - 1e-12))));
}

}  // namespace dynid
