#pragma once

#include <Eigen/Core>
#include <functional>
#include <rclcpp/parameter_value.hpp>
#include <string>
#include <vector>

#include "dynid/mechanism.hpp"

namespace dynid
{

/// What a model.yaml says, as far as it makes a mechanism.
struct ModelParameters
{
  MechanismDescription description;
  Eigen::VectorXd parameters;
};

/// Gives the value of a parameter by its name, PARAMETER_NOT_SET where there is none.
using ParameterSource = std::function<rclcpp::ParameterValue(const std::string & name)>;

/// Reads the parameters model.… (docs/model-file.md). Throws std::invalid_argument with a whole
/// sentence where one is missing or of another type, where they contradict each other, where the
/// model is of other joints, or where its identification failed, unless that is wanted (`force`).
ModelParameters read_model(
  const ParameterSource & source, const std::vector<std::string> & joints, bool force);

}  // namespace dynid
