#pragma once

#include <Eigen/Core>
#include <map>
#include <rclcpp/parameter.hpp>
#include <string>
#include <vector>

#include "dynid/stored_model.hpp"

namespace dynid
{

/// A model as parameters model.…, by their full names.
using ModelParameters = std::map<std::string, rclcpp::ParameterValue>;

[[nodiscard]] bool is_model_parameter(const std::string & name);

/// The model parameters after a change: a change with model.format is a whole model and replaces
/// all entries; others change single entries.
[[nodiscard]] ModelParameters changed_model(
  const ModelParameters & before, const std::vector<rclcpp::Parameter> & changed);

/// read_model() of these parameters.
[[nodiscard]] StoredModel read_model(
  const ModelParameters & parameters, const std::vector<std::string> & joints, bool force);

/// The r.m.s. torque error (n,) that a model had in its identification [N*m or N]; empty where it
/// is not known.
[[nodiscard]] Eigen::VectorXd model_error(const ModelParameters & parameters, std::size_t joints);

}  // namespace dynid
