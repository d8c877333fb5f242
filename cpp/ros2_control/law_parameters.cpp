#include "law_parameters.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iomanip>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace dynid
{
namespace
{

using feedforward_controller::Params;

/// The name of its parameter.
std::string name_of(const Setting & setting)
{
  const std::string group = setting.group;
  return group.empty() ? setting.name : group + "." + setting.name;
}

// A declared setting from its parameter; they throw std::invalid_argument.

void read(const Params & /*params*/, const Setting & /*setting*/, double & member, double value)
{
  member = value;
}

void read(const Params & /*params*/, const Setting & /*setting*/, bool & member, bool value)
{
  member = value;
}

template <typename Value>
void read(
  const Params & params, const Setting & setting, Eigen::VectorXd & member,
  const std::vector<Value> & values)
{
  member = per_joint(params, name_of(setting), {values.begin(), values.end()}, setting.otherwise);
}

template <typename Choice, typename = std::enable_if_t<std::is_enum_v<Choice>>>
void read(
  const Params & /*params*/, const Setting & /*setting*/, Choice & member,
  const std::string & value)
{
  const auto names = choices(Choice());
  const auto found = std::find(names.begin(), names.end(), value);
  member = static_cast<Choice>(found - names.begin());
}

/// Reads all declared settings of a struct.
template <typename Settings>
void read_all(const Params & params, Settings & settings)
{
  Settings::visit(params, [&](const Setting & setting, const auto member, const auto & value) {
    read(params, setting, settings.*member, value);
  });
}

CollisionSettings collision_settings(const Params & params, double control_rate)
{
  CollisionSettings settings;
  settings.control_rate = control_rate;
  read_all(params, settings);
  settings.check(static_cast<Eigen::Index>(params.joints.size()));
  return settings;
}

/// Refuses to compare the torque of gears where it cannot be known.
void check_links(const Params & params, const ElasticSettings & settings)
{
  const auto & given = params.elastic;
  if (!settings.compares_gears() || !given.link_torque_interface.empty()) {
    return;
  }
  if (given.link_position_interface.empty()) {
    throw std::invalid_argument(
      "The parameter 'elastic.link_torque' needs 'elastic.link_position_interface' or "
      "'elastic.link_torque_interface', which name state interfaces of the joints.");
  }
  for (Eigen::Index i = 0; i < settings.link_torque.size(); ++i) {
    if (settings.link_torque[i] > 0.5 && !std::isfinite(settings.stiffness[i])) {
      throw std::invalid_argument(
        "The parameter 'elastic.link_torque' needs 'elastic.stiffness' of joint '" +
        params.joints[static_cast<std::size_t>(i)] + "', or 'elastic.link_torque_interface'.");
    }
  }
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
void take(Value & value, const std::string & name, const rclcpp::Parameter & parameter)
{
  if (parameter.get_name() == name) {
    value = parameter.get_value<Value>();
  }
}

/// Takes the parameter where it is that of a live setting of a struct.
template <typename Settings>
void take_declared(Params & params, const rclcpp::Parameter & parameter)
{
  Settings::visit(params, [&](const Setting & setting, const auto /*member*/, auto & value) {
    if (setting.live) {
      take(value, name_of(setting), parameter);
    }
  });
}

/// Refuses delays in whole cycles: their parameters have decimal points since they are in seconds.
template <typename Settings>
void check_delays(const std::map<std::string, rclcpp::ParameterValue> & given)
{
  for (const Setting & setting : Settings::all) {
    const auto name = name_of(setting);
    const auto found = given.find(name);
    if (
      name.find("_delay") != std::string::npos && found != given.end() &&
      found->second.get_type() == rclcpp::ParameterType::PARAMETER_INTEGER) {
      const auto cycles = static_cast<double>(found->second.get<std::int64_t>());
      std::ostringstream text;
      text << "The parameter '" << name << "' is in seconds, no longer in control cycles: write "
           << std::fixed << std::setprecision(4) << (cycles < 0.0 ? cycles : 1e-3 * cycles)
           << " in place of " << found->second.get<std::int64_t>() << " at 1000 Hz.";
      throw std::invalid_argument(text.str());
    }
  }
}

}  // namespace

void assign(Params & params, const rclcpp::Parameter & parameter)
{
  take_declared<LawRequest>(params, parameter);
  take_declared<CollisionSettings>(params, parameter);
  take_declared<ControlLawSettings>(params, parameter);
  take(params.payload.mass, "payload.mass", parameter);
  take(params.payload.centre, "payload.centre", parameter);
  take(params.payload.inertia, "payload.inertia", parameter);
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
  ControlLawSettings settings;
  read_all(params, settings);
  settings.feedforward.control_rate = control_rate;
  read_all(params, settings.feedforward);
  settings.collision = collision_settings(params, control_rate);
  read_all(params, settings.limits);
  read_all(params, settings.supervision);
  read_all(params, settings.model_monitor);
  read_all(params, settings.stiction);
  read_all(params, settings.elastic);
  check_links(params, settings.elastic);
  return settings;
}

TorqueLawSettings torque_law_settings(const Params & params, double control_rate)
{
  constexpr double rate_time = 0.05;     // [s] in which the torque may reach its limit
  constexpr double guiding_share = 0.1;  // of the torque limit
  TorqueLawSettings settings;
  settings.law = law_settings(params, control_rate);
  read_all(params, settings);
  if (params.torque_control.torque_rate_max.empty()) {
    settings.torque_rate_max = settings.law.feedforward.torque_max / rate_time;
  }
  if (params.torque_control.guiding_torque.empty()) {
    settings.guiding_torque = guiding_share * settings.law.feedforward.torque_max;
  }
  if (params.torque_control.stop_damping.empty()) {
    settings.stop_damping = settings.damping;
  }
  return settings;
}

void check_seconds(const std::map<std::string, rclcpp::ParameterValue> & given)
{
  check_delays<FeedforwardSettings>(given);
  check_delays<ControlLawSettings>(given);
  check_delays<TorqueLawSettings>(given);
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

std::vector<std::size_t> gear_joints(const Params & params)
{
  std::vector<std::size_t> found;
  const auto & compared = params.elastic.link_torque;
  for (std::size_t i = 0; i < params.joints.size() && !compared.empty(); ++i) {
    if (compared[std::min(i, compared.size() - 1)]) {
      found.push_back(i);
    }
  }
  return found;
}

LawRequest law_request(const Params & params, double control_rate)
{
  ControlLawSettings settings;
  read_all(params, settings);
  LawRequest request;
  read_all(params, request);
  request.reaction = settings.reaction;
  request.collision = collision_settings(params, control_rate);
  request.payload = payload(params);
  return request;
}

}  // namespace dynid
