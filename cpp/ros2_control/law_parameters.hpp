#pragma once

#include <dynid/feedforward_controller_parameters.hpp>
#include <map>
#include <string>
#include <vector>

#include "dynid/control_law.hpp"
#include "dynid/torque_law.hpp"

namespace dynid
{

/// The parameters that can change while the controller runs.
struct LawRequest : declared::TorqueShare
{
  CollisionReaction reaction = CollisionReaction::decelerate;
  CollisionSettings collision;
  Payload payload;
};

// They throw std::invalid_argument with a sentence for the user.

/// The settings of the control law, at this many cycles per second [Hz].
ControlLawSettings law_settings(const feedforward_controller::Params & params, double control_rate);

/// The settings of a torque-controlled robot.
TorqueLawSettings torque_law_settings(
  const feedforward_controller::Params & params, double control_rate);

/// Refuses delays in control cycles, whose parameters had these names already.
void check_seconds(const std::map<std::string, rclcpp::ParameterValue> & given);

/// Refuses settings in control cycles, from parameter files of earlier versions.
void check_renamed(
  const std::map<std::string, rclcpp::ParameterValue> & given, double control_rate);

/// The joints whose gears' torque is compared, from 0.
std::vector<std::size_t> gear_joints(const feedforward_controller::Params & params);

LawRequest law_request(const feedforward_controller::Params & params, double control_rate);

/// Sets the field of `params` for a parameter that law_request() reads; ignores others.
void assign(feedforward_controller::Params & params, const rclcpp::Parameter & parameter);

/// One value for each joint (n,), from as many or from one for all; `fallback` where there is none.
Eigen::VectorXd per_joint(
  const feedforward_controller::Params & params, const std::string & name,
  const std::vector<double> & values, double fallback);

}  // namespace dynid
