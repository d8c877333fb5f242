#include "law_parameters.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>

namespace dynid
{
namespace
{

using feedforward_controller::Params;

constexpr double infinity = std::numeric_limits<double>::infinity();

CollisionSettings collision_settings(const Params & params, double control_rate)
{
  const auto & given = params.collision;
  const std::vector<double> enable(
    given.torque_error_enable.begin(), given.torque_error_enable.end());
  const auto each = [&](const char * name, const std::vector<double> & values, double fallback) {
    return per_joint(params, std::string("collision.") + name, values, fallback);
  };
  CollisionSettings settings;
  settings.control_rate = control_rate;
  settings.torque_error_enable = each("torque_error_enable", enable, 0.0);
  settings.torque_error_time_constant =
    each("torque_error_time_constant", given.torque_error_time_constant, 0.0);
  settings.torque_error_max = each("torque_error_max", given.torque_error_max, infinity);
  settings.velocity_factor = each("velocity_factor", given.velocity_factor, 0.0);
  settings.acceleration_factor = each("acceleration_factor", given.acceleration_factor, 0.0);
  settings.reversal_boost = each("reversal_boost", given.reversal_boost, 0.0);
  settings.low_speed = each("low_speed", given.low_speed, 0.0);
  settings.acceleration_step = each("acceleration_step", given.acceleration_step, infinity);
  settings.boost_time = given.boost_time;
  settings.warn_fraction = given.warn_fraction;
  settings.debounce_time = given.debounce_time;
  settings.torque_threshold = each("torque_threshold", given.torque_threshold, infinity);
  settings.check(static_cast<Eigen::Index>(params.joints.size()));
  return settings;
}

CollisionReaction reaction(const Params & params)
{
  return params.collision.reaction == "hold" ? CollisionReaction::hold
                                             : CollisionReaction::decelerate;
}

Payload payload(const Params & params)
{
  const auto & i = params.payload.inertia;  // xx, xy, yy, xz, yz, zz
  Payload found;
  found.mass = params.payload.mass;
  found.centre = Eigen::Vector3d(params.payload.centre.data());
  found.inertia << i[0], i[1], i[3], i[1], i[2], i[4], i[3], i[4], i[5];
  found.check();
  return found;
}

template <typename Value>
bool take(Value & value, const char * name, const rclcpp::Parameter & parameter)
{
  const bool meant = parameter.get_name() == name;
  if (meant) {
    value = parameter.get_value<Value>();
  }
  return meant;
}

}  // namespace

void assign(Params & params, const rclcpp::Parameter & parameter)
{
  auto & collision = params.collision;
  auto & payload = params.payload;
  std::ignore =
    take(params.gain, "gain", parameter) || take(params.mode, "mode", parameter) ||
    take(collision.torque_error_enable, "collision.torque_error_enable", parameter) ||
    take(collision.torque_error_time_constant, "collision.torque_error_time_constant", parameter) ||
    take(collision.torque_error_max, "collision.torque_error_max", parameter) ||
    take(collision.velocity_factor, "collision.velocity_factor", parameter) ||
    take(collision.acceleration_factor, "collision.acceleration_factor", parameter) ||
    take(collision.reversal_boost, "collision.reversal_boost", parameter) ||
    take(collision.low_speed, "collision.low_speed", parameter) ||
    take(collision.acceleration_step, "collision.acceleration_step", parameter) ||
    take(collision.boost_time, "collision.boost_time", parameter) ||
    take(collision.warn_fraction, "collision.warn_fraction", parameter) ||
    take(collision.debounce_time, "collision.debounce_time", parameter) ||
    take(collision.torque_threshold, "collision.torque_threshold", parameter) ||
    take(collision.reaction, "collision.reaction", parameter) ||
    take(payload.mass, "payload.mass", parameter) ||
    take(payload.centre, "payload.centre", parameter) ||
    take(payload.inertia, "payload.inertia", parameter);
}

Eigen::VectorXd per_joint(
  const Params & params, const std::string & name, const std::vector<double> & values,
  double fallback)
{
  const auto joints = params.joints.size();
  if (values.empty()) {
    return Eigen::VectorXd::Constant(static_cast<Eigen::Index>(joints), fallback);
  }
  if (values.size() == 1) {
    return Eigen::VectorXd::Constant(static_cast<Eigen::Index>(joints), values[0]);
  }
  if (values.size() != joints) {
    throw std::invalid_argument(
      "The parameter '" + name + "' has " + std::to_string(values.size()) +
      " values, but must have 1 or " + std::to_string(joints) + ", one for each joint.");
  }
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(joints));
}

ControlLawSettings law_settings(const Params & params, double control_rate)
{
  const auto each = [&](const char * name, const std::vector<double> & values, double fallback) {
    return per_joint(params, name, values, fallback);
  };
  ControlLawSettings settings;
  settings.feedforward.control_rate = control_rate;
  settings.feedforward.additive_torque_delay = static_cast<int>(params.additive_torque_delay);
  settings.feedforward.ramp_time = params.ramp_time;
  settings.feedforward.torque_max = each("torque_max", params.torque_max, 0.0);
  settings.feedforward.position_jump = each("position_jump", params.position_jump, infinity);
  settings.feedforward.acceleration_jump =
    each("acceleration_jump", params.acceleration_jump, infinity);
  settings.collision = collision_settings(params, control_rate);
  settings.torque_error_delay = static_cast<int>(params.torque_error_delay);
  settings.method = params.collision.method == "momentum" ? DetectionMethod::momentum
                                                          : DetectionMethod::torque_error;
  settings.observer_gain = params.collision.observer_gain;
  settings.reaction = reaction(params);
  settings.deceleration = each("collision.deceleration", params.collision.deceleration, 0.0);
  settings.reference_tolerance = each("reference_tolerance", params.reference_tolerance, 0.0);
  settings.limits.position_min = each("position_min", params.position_min, -infinity);
  settings.limits.position_max = each("position_max", params.position_max, infinity);
  settings.limits.velocity_max = each("velocity_max", params.velocity_max, infinity);
  settings.limits.acceleration_max = each("acceleration_max", params.acceleration_max, infinity);
  settings.max_age = params.max_age;
  settings.extrapolation_time = params.extrapolation_time;
  settings.model_check.enabled = params.model_check;
  settings.supervision = {params.longest_blind, params.longest_blind_stop};
  return settings;
}

TorqueLawSettings torque_law_settings(const Params & params, double control_rate)
{
  constexpr double rate_time = 0.05;  // [s] in which the torque may reach its limit
  const auto & given = params.torque_control;
  const auto each = [&](const char * name, const std::vector<double> & values, double fallback) {
    return per_joint(params, std::string("torque_control.") + name, values, fallback);
  };
  TorqueLawSettings settings;
  settings.law = law_settings(params, control_rate);
  settings.gravity = given.gravity == "by_robot" ? GravityBy::robot : GravityBy::controller;
  settings.compensation = given.compensation == "gravity"      ? Compensation::gravity
                          : given.compensation == "rigid_body" ? Compensation::rigid_body
                                                               : Compensation::full;
  settings.feedback_delay = static_cast<int>(given.feedback_delay);
  settings.stiffness = each("stiffness", given.stiffness, 0.0);
  settings.damping = each("damping", given.damping, 0.0);
  settings.integral_gain = each("integral_gain", given.integral_gain, 0.0);
  settings.integral_max = each("integral_max", given.integral_max, 0.0);
  settings.torque_rate_max = given.torque_rate_max.empty()
                               ? settings.law.feedforward.torque_max / rate_time
                               : each("torque_rate_max", given.torque_rate_max, infinity);
  settings.position_error_max = each("position_error_max", given.position_error_max, infinity);
  settings.speed_max = each("speed_max", given.speed_max, infinity);
  settings.stop_damping =
    given.stop_damping.empty() ? settings.damping : each("stop_damping", given.stop_damping, 0.0);
  settings.stop_speed = each("stop_speed", given.stop_speed, infinity);
  settings.stop_time = given.stop_time;
  return settings;
}

void check_renamed(const std::map<std::string, rclcpp::ParameterValue> & given, double control_rate)
{
  const auto refuse = [](const std::string & old, const std::string & now, double seconds) {
    std::ostringstream text;
    text << "The parameter '" << old << "', in control cycles, was replaced by '" << now
         << "', in seconds: set " << now << " to " << seconds << " instead.";
    throw std::invalid_argument(text.str());
  };
  const auto filter = given.find("collision.torque_error_filter");
  if (filter != given.end()) {
    double factor = 0.0;
    if (filter->second.get_type() == rclcpp::ParameterType::PARAMETER_DOUBLE_ARRAY) {
      const auto & factors = filter->second.get<std::vector<double>>();
      factor = factors.empty() ? 0.0 : factors.front();
    }
    const double cycles = factor > 0.0 && factor < 1.0 ? -1.0 / std::log(factor) : 0.0;
    refuse(filter->first, "collision.torque_error_time_constant", cycles / control_rate);
  }
  const auto debounce = given.find("collision.debounce");
  if (debounce != given.end()) {
    const bool whole = debounce->second.get_type() == rclcpp::ParameterType::PARAMETER_INTEGER;
    const double cycles = whole ? static_cast<double>(debounce->second.get<std::int64_t>()) : 3.0;
    refuse(debounce->first, "collision.debounce_time", cycles / control_rate);
  }
}

LawRequest law_request(const Params & params, double control_rate)
{
  LawRequest request;
  request.gain = params.gain;
  request.mode =
    params.mode == "semi_static" ? FeedforwardMode::semi_static : FeedforwardMode::full;
  request.reaction = reaction(params);
  request.collision = collision_settings(params, control_rate);
  request.payload = payload(params);
  return request;
}

}  // namespace dynid
