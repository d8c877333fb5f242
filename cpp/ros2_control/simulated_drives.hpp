#pragma once

#include <hardware_interface/system_interface.hpp>
#include <memory>
#include <vector>

#include "dynid/drive_plant.hpp"
#include "injections.hpp"
#include "target_line.hpp"

namespace dynid
{

/// ros2_control hardware without hardware: DrivePlant behind the interfaces of real drives in
/// cyclic synchronous position mode. Each joint takes a position [rad or m] and an effort, the
/// torque offset [N*m or N], and tells position, velocity and effort, in the unit and on the side
/// of the coupling that the profile's recordings have.
///
/// Bodies and drives keep their own even time, see TargetLine: a manager that is late or skips
/// cycles does not shake the robot.
///
/// Faults and forces are injected by the topics and services of its node, see Injections. In a
/// fault states go on, and commands are ignored.
///
/// Everything about the robot is in the hardware parameters; see make_plant(). Besides, `home` is
/// where it begins [rad or m], and `torque_factor` the torque per unit of effort.
class SimulatedDrives : public hardware_interface::SystemInterface
{
public:
  hardware_interface::CallbackReturn on_init(
    const hardware_interface::HardwareComponentInterfaceParams & params) override;

  /// Puts the robot to rest at home.
  hardware_interface::CallbackReturn on_configure(
    const rclcpp_lifecycle::State & previous_state) override;

  /// Has the drives hold the robot where it is, without a fault.
  hardware_interface::CallbackReturn on_activate(
    const rclcpp_lifecycle::State & previous_state) override;

  /// Injects what was asked for, makes up for cycles that the manager skipped, and tells what the
  /// drives measured. No allocation, waiting or exception.
  hardware_interface::return_type read(
    const rclcpp::Time & time, const rclcpp::Duration & period) override;

  /// Runs a cycle of drives and bodies towards the targets. No allocation, waiting or exception.
  hardware_interface::return_type write(
    const rclcpp::Time & time, const rclcpp::Duration & period) override;

private:
  void tell() noexcept;

  struct Joint
  {
    hardware_interface::CommandInterface::SharedPtr target;
    hardware_interface::CommandInterface::SharedPtr torque_offset;
    hardware_interface::StateInterface::SharedPtr position;
    hardware_interface::StateInterface::SharedPtr velocity;
    hardware_interface::StateInterface::SharedPtr effort;
  };

  std::unique_ptr<DrivePlant> plant_;
  std::unique_ptr<Injections> injections_;  // where there is a node for them
  TargetLine line_{0};
  std::vector<Joint> joints_;
  double rate_ = 0.0;  // [Hz]
  Eigen::VectorXd home_;
  Eigen::VectorXd torque_factor_;
  Eigen::VectorXd target_;
  Eigen::VectorXd torque_offset_;
};

}  // namespace dynid
