#pragma once

#include <hardware_interface/system_interface.hpp>
#include <memory>
#include <vector>

#include "dynid/drive_plant.hpp"
#include "injections.hpp"
#include "simulated_drive_state.hpp"
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
/// Where the tag has them, each joint also exports `status_word` (0x6041), `error_code` (0x603F)
/// and `mode_display` (0x6061), and takes `reset_fault`, as joints of ethercat_driver do; see
/// SimulatedDriveState. A drive that is not enabled ignores commands and holds; one that is not on
/// the bus yet reports zeros, whatever its position.
///
/// Faults and forces are injected by the topics and services of its node, see Injections. In a
/// fault states go on, and commands are ignored.
///
/// Everything about the robot is in the hardware parameters; see make_plant(). Besides, `home` is
/// where it begins [rad or m], `torque_factor` the torque per unit of effort, and
/// `operational_after` when each drive comes on the bus [s after activation]; left out: at once.
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

  /// Says which torque offsets the bus had in its last cycle, and ends with one of zeros.
  hardware_interface::CallbackReturn on_deactivate(
    const rclcpp_lifecycle::State & previous_state) override;

  /// Injects what was asked for, makes up for cycles that the manager skipped, and tells what the
  /// drives measured. No allocation, waiting or exception.
  hardware_interface::return_type read(
    const rclcpp::Time & time, const rclcpp::Duration & period) override;

  /// Runs a cycle of drives and bodies towards the targets. No allocation, waiting or exception.
  hardware_interface::return_type write(
    const rclcpp::Time & time, const rclcpp::Duration & period) override;

private:
  void lead_drives(double period) noexcept;
  void write_states() noexcept;

  struct Joint
  {
    hardware_interface::CommandInterface::SharedPtr target;
    hardware_interface::CommandInterface::SharedPtr torque_offset;
    hardware_interface::StateInterface::SharedPtr position;
    hardware_interface::StateInterface::SharedPtr velocity;
    hardware_interface::StateInterface::SharedPtr effort;
    // null where the tag does not have them
    hardware_interface::CommandInterface::SharedPtr reset_fault;
    hardware_interface::StateInterface::SharedPtr status_word;
    hardware_interface::StateInterface::SharedPtr error_code;
    hardware_interface::StateInterface::SharedPtr mode_display;
    SimulatedDriveState state;
  };

  std::unique_ptr<DrivePlant> plant_;
  std::unique_ptr<Injections> injections_;  // where there is a node for them
  TargetLine line_{0};
  std::vector<Joint> joints_;
  double rate_ = 0.0;  // [Hz]
  Eigen::VectorXd home_;
  Eigen::VectorXd torque_factor_;
  Eigen::VectorXd operational_after_;  // [s]
  Eigen::VectorXd hold_;               // where drives hold that are not enabled
  Eigen::VectorXd target_;
  Eigen::VectorXd torque_offset_;
};

}  // namespace dynid
