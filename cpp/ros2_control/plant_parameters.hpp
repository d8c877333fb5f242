#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "dynid/drive_plant.hpp"

namespace dynid
{

/// The hardware parameters of a `<ros2_control>` tag.
using HardwareParameters = std::unordered_map<std::string, std::string>;

/// Builds the plant that hardware parameters describe, as dynid.control.ros2_control writes them:
/// numbers and words with spaces between them, everything in SI. Throws std::invalid_argument with
/// a sentence that names the parameter.
[[nodiscard]] DrivePlant make_plant(
  std::string urdf_xml, std::vector<std::string> joints, const HardwareParameters & parameters);

/// A parameter with one number for each joint (n,).
[[nodiscard]] Eigen::VectorXd per_joint(
  const HardwareParameters & parameters, const std::string & name, std::size_t joints);

/// Whether drives are commanded torque alone: `mode` torque or torque_and_gravity, not position.
[[nodiscard]] bool commands_torque(const HardwareParameters & parameters);

/// Control cycles per second that the plant is made for [Hz].
[[nodiscard]] double control_rate(const HardwareParameters & parameters);

}  // namespace dynid
