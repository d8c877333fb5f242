#pragma once

// dynid/SimulatedDrives of a pendulum, loaded and run as controller_manager does it.

#include <hardware_interface/component_parser.hpp>
#include <hardware_interface/system.hpp>
#include <hardware_interface/system_interface.hpp>
#include <lifecycle_msgs/msg/state.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <pluginlib/class_loader.hpp>
#include <rclcpp/clock.hpp>
#include <rclcpp/executors/single_threaded_executor.hpp>
#include <string>
#include <utility>
#include <vector>

namespace
{

using Parameters = std::map<std::string, std::string>;

/// Hardware parameters as dynid.control.ros2_control writes them, of a pendulum with exact feedback
/// and without locked joints.
Parameters pendulum_parameters()
{
  return {
    {"gravity", "0.0 0.0 -9.81"},
    {"coupling", "1.0"},
    {"term_kinds", "viscous"},
    {"term_joints", "0.0"},
    {"term_sides", "joint"},
    {"term_scales", "0.0"},
    {"term_static_ratios", "0.0"},
    {"term_stribeck_velocities", "0.0"},
    {"parameters", "2.0 1.0 0.0 0.0 0.01 0.0 0.51 0.0 0.0 0.51 0.5"},
    {"home", "0.3"},
    {"torque_factor", "2.0"},
    {"control_rate", "1000.0"},
    {"integration_rate", "1000.0"},
    {"command_delay", "0.001"},
    {"feedback_delay", "0.002"},
    {"motor_side", "0.0"},
    {"seed", "0.0"},
    {"bandwidth_hz", "16.0"},
    {"damping_ratio", "1.0"},
    {"integral_time", "0.05"},
    {"torque_max", "inf"},
    {"stop_deceleration", "10.0"},
    {"following_error", "0.5"},
    {"position_resolution", "0.0"},
    {"rated_torque", "0.0"},
    {"torque_noise", "0.0"},
    {"stribeck_torque", "0.0"},
    {"stribeck_velocity", "1.0"},
    {"lower", "-1.0"},
    {"upper", "1.0"}};
}

std::string description(const Parameters & parameters, bool with_effort = true)
{
  std::string text = R"(<robot name="pendulum"><link name="base"/>
  <link name="bob"><inertial><mass value="2"/><origin xyz="0.5 0 0"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="axis" type="revolute"><parent link="base"/><child link="bob"/>
    <axis xyz="0 1 0"/><limit lower="-3" upper="3" velocity="9" effort="99"/></joint>
  <ros2_control name="pendulum" type="system"><hardware>
    <plugin>dynid/SimulatedDrives</plugin>)";
  for (const auto & [name, value] : parameters) {
    text += "<param name=\"" + name + "\">" + value + "</param>";
  }
  text += R"(</hardware><joint name="axis"><command_interface name="position"/>)";
  text += with_effort ? R"(<command_interface name="effort"/>)" : "";
  return text + R"(<command_interface name="reset_fault"/>
    <state_interface name="position"/><state_interface name="velocity"/>
    <state_interface name="effort"/><state_interface name="status_word"/>
    <state_interface name="error_code"/><state_interface name="mode_display"/>
    <state_interface name="link_position"/>
    </joint></ros2_control></robot>)";
}

/// The plugin and its interfaces, in the lifecycle states that its callbacks return.
class DrivesUnderTest
{
public:
  using State = lifecycle_msgs::msg::State;

  /// With an executor the drives have a node.
  explicit DrivesUnderTest(
    const std::string & urdf, unsigned int rate = 1000,
    const rclcpp::Executor::SharedPtr & executor = nullptr)
  : loader_("hardware_interface", "hardware_interface::SystemInterface"),
    system_(
      std::unique_ptr<hardware_interface::HardwareComponentInterface>(
        loader_.createUnmanagedInstance("dynid/SimulatedDrives")))
  {
    hardware_interface::HardwareComponentParams params;
    params.hardware_info = hardware_interface::parse_control_resources_from_urdf(urdf).front();
    params.hardware_info.rw_rate = rate;
    params.clock = std::make_shared<rclcpp::Clock>(RCL_STEADY_TIME);
    params.executor = executor;
    if (system_.initialize(params).id() == State::PRIMARY_STATE_UNCONFIGURED) {
      states_ = system_.export_state_interfaces();
      commands_ = system_.export_command_interfaces();
    }
  }

  [[nodiscard]] bool initialised() const { return !states_.empty(); }
  bool configure() { return system_.configure().id() == State::PRIMARY_STATE_INACTIVE; }
  bool activate() { return system_.activate().id() == State::PRIMARY_STATE_ACTIVE; }
  void deactivate() { system_.deactivate(); }

  /// A cycle of the manager: read with the time since the previous one [s], then write.
  void cycle(double target, double torque_offset = 0.0, double period = 1e-3)
  {
    const auto measured = rclcpp::Duration::from_seconds(period);
    time_ += measured;
    system_.read(time_, measured);
    std::ignore = command("effort")->set_value(torque_offset);
    std::ignore = command("position")->set_value(target);
    system_.write(time_, measured);
  }

  /// As of the last read().
  [[nodiscard]] double state(const char * name) const
  {
    for (const auto & state : states_) {
      if (state->get_interface_name() == name) {
        return state->get_optional().value();
      }
    }
    throw std::out_of_range(name);
  }

  [[nodiscard]] const hardware_interface::CommandInterface::SharedPtr & command(
    const char * name) const
  {
    for (const auto & found : commands_) {
      if (found->get_interface_name() == name) {
        return found;
      }
    }
    throw std::out_of_range(name);
  }

private:
  pluginlib::ClassLoader<hardware_interface::SystemInterface> loader_;
  hardware_interface::System system_;
  std::vector<hardware_interface::StateInterface::ConstSharedPtr> states_;
  std::vector<hardware_interface::CommandInterface::SharedPtr> commands_;
  rclcpp::Time time_{0, 0, RCL_STEADY_TIME};
};

}  // namespace
