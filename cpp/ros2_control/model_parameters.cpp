#include "model_parameters.hpp"

#include <algorithm>
#include <stdexcept>

namespace dynid
{
namespace
{

// 2 adds what only other readers use: covariance, and a seal
constexpr int oldest_format = 1;
constexpr int newest_format = 2;

template <typename Value>
Value get(const ParameterSource & source, const std::string & name)
{
  const auto found = source("model." + name);
  if (found.get_type() == rclcpp::ParameterType::PARAMETER_NOT_SET) {
    throw std::invalid_argument(
      "The parameter 'model." + name +
      "' is missing; set all of a model.yaml at once, as model_publisher does.");
  }
  try {
    return found.get<Value>();
  } catch (const rclcpp::ParameterTypeException &) {
    throw std::invalid_argument(
      "The parameter 'model." + name + "' has the type " + rclcpp::to_string(found.get_type()) +
      ", which is not the one in a model.yaml.");
  }
}

/// A parameter that models of earlier releases do not have.
template <typename Value>
Value get_or(const ParameterSource & source, const std::string & name, Value otherwise)
{
  const bool there = source("model." + name).get_type() != rclcpp::ParameterType::PARAMETER_NOT_SET;
  return there ? get<Value>(source, name) : otherwise;
}

/// A list that a model.yaml leaves out where it is empty.
template <typename Value>
std::vector<Value> list(const ParameterSource & source, const std::string & name)
{
  return get_or<std::vector<Value>>(source, name, {});
}

void check_count(const std::string & name, std::size_t found, std::size_t expected)
{
  if (found != expected) {
    throw std::invalid_argument(
      "The parameter 'model." + name + "' has " + std::to_string(found) +
      " entries, but must have " + std::to_string(expected) + ".");
  }
}

Eigen::VectorXd vector(const std::vector<double> & values)
{
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

std::string joined(const std::vector<std::string> & names)
{
  std::string text;
  for (const auto & name : names) {
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

ClosedChainDescription closed_chain(const ParameterSource & source)
{
  ClosedChainLists lists;
  lists.passive_joints = list<std::string>(source, "passive_joints");
  lists.passive_positions = list<double>(source, "passive_positions");
  lists.assembled_at = list<double>(source, "assembled_at");
  lists.closure_kinds = list<std::string>(source, "closure_kinds");
  lists.closure_links = list<std::string>(source, "closure_links");
  lists.closure_points = list<double>(source, "closure_points");
  lists.closure_axes = list<double>(source, "closure_axes");
  lists.closure_lengths = list<double>(source, "closure_lengths");
  return closed_chain(lists);
}

std::vector<JointTerm> terms(
  const ParameterSource & source, const std::vector<std::string> & joints)
{
  const auto kinds = list<std::string>(source, "terms.kinds");
  const auto at = list<std::string>(source, "terms.joints");
  const auto sides = list<std::string>(source, "terms.sides");
  const auto smoothing = list<double>(source, "terms.smoothing");
  const auto scale = list<double>(source, "terms.scale");
  const auto dead_band = list<double>(source, "terms.dead_band");
  // left out where no term takes them
  const std::vector<double> none(kinds.size(), 0.0);
  const auto static_ratio = get_or(source, "terms.static_ratio", none);
  const auto stribeck_velocity = get_or(source, "terms.stribeck_velocity", none);
  check_count("terms.joints", at.size(), kinds.size());
  check_count("terms.sides", sides.size(), kinds.size());
  check_count("terms.smoothing", smoothing.size(), kinds.size());
  check_count("terms.scale", scale.size(), kinds.size());
  check_count("terms.dead_band", dead_band.size(), kinds.size());
  check_count("terms.static_ratio", static_ratio.size(), kinds.size());
  check_count("terms.stribeck_velocity", stribeck_velocity.size(), kinds.size());
  std::vector<JointTerm> found(kinds.size());
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const auto joint = std::find(joints.begin(), joints.end(), at[i]);
    if (joint == joints.end()) {
      throw std::invalid_argument(
        "The parameter 'model.terms.joints' has '" + at[i] + "', which is no joint of the model.");
    }
    const auto side = sides[i] == "motor" ? TermSide::motor : TermSide::joint;
    found[i] = {
      &term_kind(kinds[i]),
      static_cast<int>(joint - joints.begin()),
      side,
      smoothing[i],
      scale[i],
      dead_band[i],
      static_ratio[i],
      stribeck_velocity[i]};
  }
  return found;
}

}  // namespace

ModelParameters read_model(
  const ParameterSource & source, const std::vector<std::string> & joints, bool force)
{
  const auto format = get<std::int64_t>(source, "format");
  if (format < oldest_format || format > newest_format) {
    throw std::invalid_argument(
      "The model has format " + std::to_string(format) + ", but this controller reads formats " +
      std::to_string(oldest_format) + " to " + std::to_string(newest_format) +
      "; identify again with this release.");
  }
  if (get<std::string>(source, "status") != "success" && !force) {
    throw std::invalid_argument(
      "The model's identification failed; identify again, or set 'force' to use it all the same.");
  }
  ModelParameters model;
  auto & description = model.description;
  description.joints = get<std::vector<std::string>>(source, "joints");
  if (description.joints != joints) {
    throw std::invalid_argument(
      "The model is of the joints " + joined(description.joints) + ", but the controller has " +
      joined(joints) + ".");
  }
  const auto n = joints.size();
  const auto gravity = get<std::vector<double>>(source, "gravity");
  const auto coupling = get<std::vector<double>>(source, "coupling");
  const auto locked = list<std::string>(source, "locked_joints");
  const auto positions = list<double>(source, "locked_positions");
  check_count("gravity", gravity.size(), 3);
  check_count("coupling", coupling.size(), n * n);
  check_count("locked_positions", positions.size(), locked.size());
  description.urdf_xml = get<std::string>(source, "urdf");
  description.gravity = vector(gravity);
  description.coupling = Eigen::Map<const RowMajorMatrix>(
    coupling.data(), static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(n));
  for (std::size_t i = 0; i < locked.size(); ++i) {
    description.locked[locked[i]] = positions[i];
  }
  description.chain = closed_chain(source);
  description.payload_joint = get_or<std::string>(source, "payload_joint", "");
  description.semi_static = get_or<bool>(source, "semi_static", false);
  auto moving = joints;
  moving.insert(moving.end(), description.chain.passive.begin(), description.chain.passive.end());
  description.terms = terms(source, moving);
  model.parameters = vector(get<std::vector<double>>(source, "parameters"));
  return model;
}

}  // namespace dynid
