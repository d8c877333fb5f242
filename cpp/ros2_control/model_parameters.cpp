#include "model_parameters.hpp"

#include <algorithm>
#include <stdexcept>

namespace dynid
{
namespace
{

const std::string prefix = "model.";
const std::string whole = "model.format";

ParameterEntry entry(const std::string & name, const rclcpp::ParameterValue & value)
{
  using Type = rclcpp::ParameterType;
  switch (value.get_type()) {
    case Type::PARAMETER_NOT_SET:
      return {};
    case Type::PARAMETER_BOOL:
      return value.get<bool>();
    case Type::PARAMETER_INTEGER:
      return value.get<std::int64_t>();
    case Type::PARAMETER_DOUBLE:
      return value.get<double>();
    case Type::PARAMETER_STRING:
      return value.get<std::string>();
    case Type::PARAMETER_BOOL_ARRAY:
      return value.get<std::vector<bool>>();
    case Type::PARAMETER_INTEGER_ARRAY:
      return value.get<std::vector<std::int64_t>>();
    case Type::PARAMETER_DOUBLE_ARRAY:
      return value.get<std::vector<double>>();
    case Type::PARAMETER_STRING_ARRAY:
      return value.get<std::vector<std::string>>();
    default:
      throw std::invalid_argument(
        "The parameter '" + name + "' has the type " + rclcpp::to_string(value.get_type()) +
        ", which does not occur in a model.yaml.");
  }
}

}  // namespace

bool is_model_parameter(const std::string & name) { return name.rfind(prefix, 0) == 0; }

ModelParameters changed_model(
  const ModelParameters & before, const std::vector<rclcpp::Parameter> & changed)
{
  const bool other = std::any_of(changed.begin(), changed.end(), [](const auto & parameter) {
    return parameter.get_name() == whole;
  });
  auto model = other ? ModelParameters{} : before;
  for (const auto & parameter : changed) {
    if (is_model_parameter(parameter.get_name())) {
      model[parameter.get_name()] = parameter.get_parameter_value();
    }
  }
  return model;
}

StoredModel read_model(
  const ModelParameters & parameters, const std::vector<std::string> & joints, bool force)
{
  const auto source = [&parameters](const std::string & name) {
    const auto found = parameters.find(prefix + name);
    return found == parameters.end() ? ParameterEntry{} : entry(found->first, found->second);
  };
  return read_model(source, joints, force);
}

Eigen::VectorXd model_error(const ModelParameters & parameters, std::size_t joints)
{
  const auto found = parameters.find("model.errors.rmse_torque");
  if (
    found == parameters.end() ||
    found->second.get_type() != rclcpp::ParameterType::PARAMETER_DOUBLE_ARRAY) {
    return {};
  }
  const auto & values = found->second.get<std::vector<double>>();
  if (values.size() != joints) {
    return {};
  }
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(joints));
}

}  // namespace dynid
