#include "plant_parameters.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "dynid/term_lists.hpp"

namespace dynid
{
namespace
{

[[noreturn]] void refuse(const std::string & name, const std::string & why)
{
  throw std::invalid_argument("The hardware parameter '" + name + "' " + why);
}

const std::string & text(const HardwareParameters & parameters, const std::string & name)
{
  const auto found = parameters.find(name);
  if (found == parameters.end()) {
    refuse(name, "is missing; dynid's launch files write all of them into the URDF.");
  }
  return found->second;
}

std::vector<std::string> words(const std::string & text)
{
  std::istringstream stream(text);
  std::vector<std::string> found;
  for (std::string word; stream >> word;) {
    found.push_back(word);
  }
  return found;
}

/// The words of a list that is omitted where it is empty.
std::vector<std::string> list(const HardwareParameters & parameters, const std::string & name)
{
  return parameters.count(name) == 0 ? std::vector<std::string>() : words(parameters.at(name));
}

std::vector<double> numbers(const std::string & name, const std::vector<std::string> & words)
{
  std::vector<double> found;
  for (const auto & word : words) {
    double value = 0.0;
    const auto * const end = word.data() + word.size();
    // unlike streams, it reads infinity and ignores the locale
    const auto [stop, error] = std::from_chars(word.data(), end, value);
    if (error != std::errc() || stop != end) {
      refuse(name, "has '" + word + "', but must have numbers only.");
    }
    found.push_back(value);
  }
  return found;
}

Eigen::VectorXd vector(const HardwareParameters & parameters, const std::string & name)
{
  const auto values = numbers(name, words(text(parameters, name)));
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

double number(const HardwareParameters & parameters, const std::string & name)
{
  const auto values = vector(parameters, name);
  if (values.size() != 1) {
    refuse(name, "must be one number.");
  }
  return values[0];
}

/// Checks a whole number of 0 or more; up to some 2e9 it fits any integer type.
double whole_number(const std::string & name, double value)
{
  if (!(value >= 0.0 && value <= std::numeric_limits<int>::max()) || value != std::floor(value)) {
    refuse(name, "has " + std::to_string(value) + ", but must have whole numbers of 0 or more.");
  }
  return value;
}

void check_count(const std::string & name, std::size_t found, std::size_t expected)
{
  if (found != expected) {
    refuse(
      name,
      "has " + std::to_string(found) + " entries, but must have " + std::to_string(expected) + ".");
  }
}

std::vector<JointTerm> terms(const HardwareParameters & parameters)
{
  TermLists lists;
  lists.kinds = list(parameters, "term_kinds");
  lists.sides = list(parameters, "term_sides");
  for (const double joint : numbers("term_joints", list(parameters, "term_joints"))) {
    lists.joints.push_back(static_cast<int>(whole_number("term_joints", joint)));
  }
  const auto & shapes = term_shapes();
  for (std::size_t s = 0; s < shapes.size(); ++s) {
    const auto name = "term_" + std::string(shapes.at(s).plural);
    lists.shapes.at(s) = numbers(name, list(parameters, name));
    if (parameters.count(name) > 0) {
      check_count(name, lists.shapes.at(s).size(), lists.kinds.size());
    }
  }
  return joint_terms(lists, [&shapes](std::string_view name) {
    const auto shape = std::find_if(
      shapes.begin(), shapes.end(), [name](const TermShape & one) { return one.name == name; });
    const auto word = shape == shapes.end() ? name : shape->plural;
    return "The hardware parameter 'term_" + std::string(word) + "'";
  });
}

ClosedChainDescription closed_chain(const HardwareParameters & parameters)
{
  const auto values = [&](const char * name) { return numbers(name, list(parameters, name)); };
  ClosedChainLists lists;
  lists.passive_joints = list(parameters, "passive_joints");
  lists.passive_positions = values("passive_positions");
  lists.assembled_at = values("assembled_at");
  lists.closure_kinds = list(parameters, "closure_kinds");
  lists.closure_links = list(parameters, "closure_links");
  lists.closure_points = values("closure_points");
  lists.closure_axes = values("closure_axes");
  lists.closure_lengths = values("closure_lengths");
  return closed_chain(lists);
}

std::map<std::string, double> locked(const HardwareParameters & parameters)
{
  const auto names = list(parameters, "locked_joints");
  const auto positions = numbers("locked_positions", list(parameters, "locked_positions"));
  check_count("locked_positions", positions.size(), names.size());
  std::map<std::string, double> found;
  for (std::size_t i = 0; i < names.size(); ++i) {
    found[names[i]] = positions[i];
  }
  return found;
}

DriveMode mode(const HardwareParameters & parameters)
{
  const auto found = parameters.find("mode");
  if (found == parameters.end() || found->second == "position") {
    return DriveMode::position;
  }
  if (found->second != "torque" && found->second != "torque_and_gravity") {
    refuse(
      "mode", "is '" + found->second + "', but must be position, torque or torque_and_gravity.");
  }
  return found->second == "torque" ? DriveMode::torque : DriveMode::torque_and_gravity;
}

DrivePlantSettings settings(const HardwareParameters & parameters)
{
  DrivePlantSettings found;
  found.control_rate = number(parameters, "control_rate");
  found.integration_rate = number(parameters, "integration_rate");
  found.command_delay = number(parameters, "command_delay");
  found.feedback_delay = number(parameters, "feedback_delay");
  found.mode = mode(parameters);
  found.motor_side = number(parameters, "motor_side") != 0.0;
  found.seed = static_cast<std::uint64_t>(whole_number("seed", number(parameters, "seed")));
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
  for (const auto & [name, member] : {
         std::pair{"joint_stiffness", &Settings::joint_stiffness},
         std::pair{"joint_hardening", &Settings::joint_hardening},
         std::pair{"joint_damping", &Settings::joint_damping},
         std::pair{"joint_backlash", &Settings::joint_backlash},
         std::pair{"rotor_inertia", &Settings::rotor_inertia},
       }) {
    if (parameters.count("joint_stiffness") > 0) {  // absent: the joints are rigid
      found.*member = vector(parameters, name);
    }
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
    terms(parameters),
    closed_chain(parameters),
    {},
    false};
  return {description, vector(parameters, "parameters"), settings(parameters)};
}

Eigen::VectorXd per_joint(
  const HardwareParameters & parameters, const std::string & name, std::size_t joints)
{
  auto values = vector(parameters, name);
  check_count(name, static_cast<std::size_t>(values.size()), joints);
  return values;
}

bool commands_torque(const HardwareParameters & parameters)
{
  return mode(parameters) != DriveMode::position;
}

double control_rate(const HardwareParameters & parameters)
{
  return number(parameters, "control_rate");
}

}  // namespace dynid
