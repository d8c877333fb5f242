#pragma once

// The model of a pendulum as parameters of a controller, as model_publisher sets them.

#include <algorithm>
#include <rclcpp/parameter.hpp>
#include <string>
#include <vector>

#include "dynid/seal.hpp"
#include "dynid/sha256.hpp"

namespace
{

using Parameters = std::vector<rclcpp::Parameter>;

constexpr double weight = 2 * 9.81 / 2;  // torque of the pendulum while it is level [N m]

const char * const pendulum = R"(
<robot name="pendulum"><link name="base"/>
  <link name="bob"><inertial><mass value="2"/><origin xyz="0.5 0 0"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="axis" type="revolute"><parent link="base"/><child link="bob"/>
    <axis xyz="0 1 0"/><limit lower="-3" upper="3" velocity="9" effort="99"/></joint>
</robot>)";

/// The values of a parameter for the seal.
inline std::vector<dynid::SealedValue> sealed_values(
  const Parameters & all, const std::string & name)
{
  using Type = rclcpp::ParameterType;
  const auto found = std::find_if(
    all.begin(), all.end(), [&](const auto & parameter) { return parameter.get_name() == name; });
  const auto type = found == all.end() ? Type::PARAMETER_NOT_SET : found->get_type();
  if (type == Type::PARAMETER_INTEGER) {
    return {static_cast<double>(found->as_int())};
  }
  if (type == Type::PARAMETER_STRING) {
    return {found->as_string()};
  }
  if (type == Type::PARAMETER_DOUBLE_ARRAY) {
    const auto values = found->as_double_array();
    return std::vector<dynid::SealedValue>(values.begin(), values.end());
  }
  if (type == Type::PARAMETER_STRING_ARRAY) {
    const auto values = found->as_string_array();
    return std::vector<dynid::SealedValue>(values.begin(), values.end());
  }
  return {};
}

/// The parameters that model_publisher sets, including those that the controller does not read.
inline Parameters model(const std::string & status = "success", double mass = 2.0)
{
  const std::vector<double> parameters{mass, mass / 2, 0.0, 0.0,  0.01, 0.0,
                                       0.51, 0.0,      0.0, 0.51, 1.0};
  return {
    {"model.format", 1},
    {"model.robot", "pendulum"},
    {"model.status", status},
    {"model.created", "2026-01-31T12:00:00Z"},
    {"model.joints", std::vector<std::string>{"axis"}},
    {"model.gravity", std::vector<double>{0.0, 0.0, -9.81}},
    {"model.coupling", std::vector<double>{1.0}},
    {"model.terms.kinds", std::vector<std::string>{"coulomb"}},
    {"model.terms.joints", std::vector<std::string>{"axis"}},
    {"model.terms.sides", std::vector<std::string>{"joint"}},
    {"model.terms.smoothing", std::vector<double>{0.0}},
    {"model.terms.scale", std::vector<double>{0.0}},
    {"model.terms.dead_band", std::vector<double>{0.0}},
    {"model.parameters", parameters},
    {"model.errors.rmse", std::vector<double>{0.1}},
    {"model.urdf", pendulum}};
}

/// The same in format 2, sealed as dynid seals it.
inline Parameters sealed(double mass = 2.0, const std::string & edited_at = "")
{
  auto all = model("success", mass);
  all.front() = {"model.format", 2};
  all.emplace_back("model.urdf_sha256", dynid::sha256(pendulum));
  if (!edited_at.empty()) {
    all.emplace_back("model.edited_at", edited_at);
  }
  all.emplace_back("model.sha256", dynid::seal([&all](const std::string & name) {
                     return sealed_values(all, "model." + name);
                   }));
  return all;
}

}  // namespace
