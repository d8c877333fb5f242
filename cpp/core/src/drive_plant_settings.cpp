#include "dynid/drive_plant_settings.hpp"

#include <algorithm>
#include <cmath>

#include "setting_checks.hpp"

namespace dynid
{

void DrivePlantSettings::check(Eigen::Index drives) const
{
  check_rate("control", control_rate);
  check_rate("integration", integration_rate);
  check_delay("command_delay", command_delay, control_rate);
  check_delay("feedback_delay", feedback_delay, control_rate);
  constexpr auto least = DriveSetting::least;
  constexpr auto most = DriveSetting::most;
  constexpr auto infinity = DriveSetting::infinity;
  check_settings(
    drives, {
              {"bandwidth_hz", bandwidth_hz, least, most},
              {"damping_ratio", damping_ratio, least, most},
              {"integral_time", integral_time, least, infinity},
              {"torque_max", torque_max, least, infinity},
              {"stop_deceleration", stop_deceleration, least, infinity},
              {"following_error", following_error, least, infinity},
              {"position_resolution", position_resolution, 0.0, most},
              {"rated_torque", rated_torque, 0.0, most},
              {"torque_noise", torque_noise, 0.0, most},
              {"stribeck_torque", stribeck_torque, 0.0, most},
              {"stribeck_velocity", stribeck_velocity, least, most},
              {"lower", lower, -most, most},
              {"upper", upper, -most, most},
            });
}

int DrivePlantSettings::steps_per_cycle() const noexcept
{
  const double ratio = integration_rate / control_rate;
  return std::max(1, static_cast<int>(std::ceil(ratio * (1.0 - 1e-12))));
}

}  // namespace dynid
