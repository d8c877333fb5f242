#include "dynid/drive_plant_settings.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "numbers.hpp"
#include "setting_checks.hpp"

namespace dynid
{

void DrivePlantSettings::check(Eigen::Index drives) const
{
  check_rate("control", control_rate);
  check_rate("integration", integration_rate);
  check_delay("command_delay", command_delay, control_rate);
  check_delay("feedback_delay", feedback_delay, control_rate);
  constexpr auto least = Setting::least;
  constexpr auto most = Setting::most;
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
  if (joint_stiffness.size() == 0) {
    return;
  }
  check_settings(
    drives, {
              {"joint_stiffness", joint_stiffness, least, infinity},
              {"joint_hardening", given_or(joint_hardening, drives, 0.0), 0.0, most},
              {"joint_damping", joint_damping, 0.0, most},
              {"joint_backlash", joint_backlash, 0.0, most},
              {"rotor_inertia", rotor_inertia, 0.0, most},
            });
  for (Eigen::Index i = 0; i < drives; ++i) {
    if (std::isfinite(joint_stiffness[i]) && !(rotor_inertia[i] > 0.0)) {
      throw std::invalid_argument(
        "rotor_inertia of drive " + std::to_string(i + 1) +
        " must be above 0, because its joint is elastic.");
    }
  }
}

int DrivePlantSettings::steps_per_cycle() const noexcept
{
  const double ratio = integration_rate / control_rate;
  return std::max(1, static_cast<int>(std::ceil(ratio * (1.0 - 1e-12))));
}

}  // namespace dynid
