#include "plant_parameters.hpp"

#include <charconv>
#include <sstream>
#include <stdexcept>

namespace dynid
{
namespace
{

const std::string & text(const HardwareParameters & parameters, const std::string & name)
{
  const auto found = parameters.find(name);
  if (found == parameters.end()) {
    throw std::invalid_argument(
      "The hardware parameter '" + name +
      "' is missing; dynid's launch files write all of them into the URDF.");
  }
  return found->second;
}

std::vector<std::string> words(const HardwareParameters & parameters, const std::string & name)
{
  std::istringstream stream(text(parameters, name));
  std::vector<std::string> found;
  for (std::string word; stream >> word;) {
    found.push_back(word);
  }
  return found;
}

std::vector<double> numbers(const HardwareParameters & parameters, const std::string & name)
{
  std::vector<double> found;
  for (const auto & word : words(parameters, name)) {
    double value = 0.0;
    const auto * const end = word.data() + word.size();
    // unlike streams, it knows infinity and no locale
    const auto [stop, error] = std::from_chars(word.data(), end, value);
    if (error != std::errc() || stop != end) {
      throw std::invalid_argument(
        "The hardware parameter '" + name + "' has '" + word + "', but must have numbers only.");
    }
    found.push_back(value);
  }
  return found;
}

Eigen::VectorXd vector(const HardwareParameters & parameters, const std::string & name)
{
  const auto values = numbers(parameters, name);
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

double number(const HardwareParameters & parameters, const std::string & name)
{
  const auto values = numbers(parameters, name);
  if (values.size() != 1) {
    throw std::invalid_argument("The hardware parameter '" + name + "' must be one number.");
  }
  return values.front();
}

void check_count(const std::string & name, std::size_t found, std::size_t expected)
{
  if (found != expected) {
    throw std::invalid_argument(
      "The hardware parameter '" + name + "' has " + std::to_string(found) +
      " entries, but must have " + std::to_string(expected) + ".");
  }
}

std::vector<JointTerm> terms(const HardwareParameters & parameters)
{
  const auto kinds = words(parameters, "term_kinds");
  const auto joints = numbers(parameters, "term_joints");
  const auto sides = words(parameters, "term_sides");
  const auto scales = numbers(parameters, "term_scales");
  check_count("term_joints", joints.size(), kinds.size());
  check_count("term_sides", sides.size(), kinds.size());
  check_count("term_scales", scales.size(), kinds.size());
  std::vector<JointTerm> found;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    JointTerm term;
    term.kind = &term_kind(kinds[i]);
    term.joint = static_cast<int>(joints[i]);
    term.side = sides[i] == "motor" ? TermSide::motor : TermSide::joint;
    term.scale = scales[i];
    found.push_back(term);
  }
  return found;
}

std::map<std::string, double> locked(const HardwareParameters & parameters)
{
  const auto names = words(parameters, "locked_joints");
  const auto positions = numbers(parameters, "locked_positions");
  check_count("locked_positions", positions.size(), names.size());
  std::map<std::string, double> found;
  for (std::size_t i = 0; i < names.size(); ++i) {
    found[names[i]] = positions[i];
  }
  return found;
}

DrivePlantSettings settings(const HardwareParameters & parameters)
{
  DrivePlantSettings found;
  found.control_rate = number(parameters, "control_rate");
  found.integration_rate = number(parameters, "integration_rate");
  found.command_delay = static_cast<int>(number(parameters, "command_delay"));
  found.feedback_delay = static_cast<int>(number(parameters, "feedback_delay"));
  found.motor_side = number(parameters, "motor_side") != 0.0;
  found.seed = static_cast<std::uint64_t>(number(parameters, "seed"));
  using Settings = DrivePlantSettings;
  for (const auto & [name, member] : {
         std::pair{"bandwidth_hz", &Settings::bandwidth_hz},
         std::pair{"damping_ratio", &Settings::damping_ratio},
         std::pair{"integral_time", &Settings::integral_time},
         std::pair{"torque_max", &Settings::torque_max},
         std::pair{"stop_deceleration", &Settings::stop_deceleration},
         std::pair{"following_error", &Settings::following_error},
         std::pair{"position_resolution", &Settings::position_resolution},
         std::pair{"rated_torque", &Settings::rated_torque},
         std::pair{"torque_noise", &Settings::torque_noise},
         std::pair{"stribeck_torque", &Settings::stribeck_torque},
         std::pair{"stribeck_velocity", &Settings::stribeck_velocity},
         std::pair{"lower", &Settings::lower},
         std::pair{"upper", &Settings::upper},
       }) {
    found.*member = vector(parameters, name);
  }
  return found;
}

}  // namespace

DrivePlant make_plant(
  std::string urdf_xml, std::vector<std::string> joints, const HardwareParameters & parameters)
{
  const auto n = static_cast<Eigen::Index>(joints.size());
  const auto gravity = vector(parameters, "gravity");
  const auto coupling = vector(parameters, "coupling");
  check_count("gravity", static_cast<std::size_t>(gravity.size()), 3);
  check_count(
    "coupling", static_cast<std::size_t>(coupling.size()), static_cast<std::size_t>(n * n));
  const MechanismDescription description{
    std::move(urdf_xml),
    std::move(joints),
    locked(parameters),
    gravity,
    Eigen::Map<const RowMajorMatrix>(coupling.data(), n, n),
    terms(parameters)};
  return {description, vector(parameters, "parameters"), settings(parameters)};
}

Eigen::VectorXd per_joint(
  const HardwareParameters & parameters, const std::string & name, std::size_t joints)
{
  auto values = vector(parameters, name);
  check_count(name, static_cast<std::size_t>(values.size()), joints);
  return values;
}

double control_rate(const HardwareParameters & parameters)
{
  return number(parameters, "control_rate");
}

}  // namespace dynid
