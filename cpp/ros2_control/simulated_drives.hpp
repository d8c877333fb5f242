#pragma once

#include <hardware_interface/system_interface.hpp>
#include <memory>
#include <vector>

#include "dynid/drive_plant.hpp"
#include "dynid/target_line.hpp"
#include "injections.hpp"
#include "simulated_drive_state.hpp"

namespace dynid
{

/// Simulated ros2_control hardware: DrivePlant with the interfaces of real drives in cyclic
/// synchronous position mode. Each joint takes a position [rad or m] and an effort, the torque
/// offset [N*m or N], and reports position, velocity and effort, in the unit and on the side of the
/// coupling of the profile's recordings.
///
/// Bodies and drives run in even time of their own, see TargetLine: a manager that is late or skips
/// cycles does not disturb the motion. The number of these cycles is the state `drive_cycles` of
/// the hardware: what a controller measures by itself includes pauses between read() and its
/// update.
///
/// Where the tag has them, each joint also exports `status_word` (0x6041), `error_code` (0x603F)
/// and `mode_display` (0x6061), and takes `reset_fault`, as joints of ethercat_driver do; see
/// SimulatedDriveState. A drive that is not enabled ignores commands and holds; one that is not on
/// the bus yet reports zeros at any position. `link_position` is that of an encoder at its link.
///
/// Faults and forces are injected by the topics and services of its node, see Injections. In a
/// fault states continue, and commands are ignored.
///
/// In torque mode (hardware parameter `mode`) a joint takes an effort alone, the drive's torque,
/// and the robot's own stop holds it while effort is not claimed or a drive is not enabled yet.
///
/// The hardware parameters describe the robot; see make_plant(). In addition, `home` is the start
/// position [rad or m], `torque_factor` the torque per unit of effort, and `operational_after` the
/// time at which each drive appears on the bus [s after activation]; if absent: at once.
class SimulatedDrives : public hardware_interface::SystemInterface
{
public:
  hardware_interface::CallbackReturn on_init(
    const hardware_interface::HardwareComponentInterfaceParams & params) override;

  std::vector<hardware_interface::InterfaceDescription>
  export_unlisted_state_interface_descriptions() override;

  /// Puts the robot to rest at home.
  hardware_interface::CallbackReturn on_configure(
    const rclcpp_lifecycle::State & previous_state) override;

  /// Lets the drives hold the robot where it is, without a fault.
  hardware_interface::CallbackReturn on_activate(
    const rclcpp_lifecycle::State & previous_state) override;

  /// In torque mode: follows the claims of efforts.
  hardware_interface::return_type perform_command_mode_switch(
    const std::vector<std::string> & start_interfaces,
    const std::vector<std::string> & stop_interfaces) override;

  /// Logs the torque offsets of the last cycle, and ends with a cycle of zero offsets.
  hardware_interface::CallbackReturn on_deactivate(
    const rclcpp_lifecycle::State & previous_state) override;

  /// Applies injections, runs the cycles that the manager skipped, and reports feedback. No
  /// allocation, waiting or exception.
  hardware_interface::return_type read(
    const rclcpp::Time & time, const rclcpp::Duration & period) override;

  /// Runs a cycle of drives and bodies towards the targets. No allocation, waiting or exception.
  hardware_interface::return_type write(
    const rclcpp::Time & time, const rclcpp::Duration & period) override;

private:
  void lead_drives(double period) noexcept;
  void switch_control() noexcept;
  void write_states() noexcept;

  struct Joint
  {
    hardware_interface::CommandInterface::SharedPtr target;  // null in torque mode
    hardware_interface::CommandInterface::SharedPtr torque_offset;
    hardware_interface::StateInterface::SharedPtr position;
    hardware_interface::StateInterface::SharedPtr velocity;
    hardware_interface::StateInterface::SharedPtr effort;
    // null where the tag does not have them
    hardware_interface::CommandInterface::SharedPtr reset_fault;
    hardware_interface::StateInterface::SharedPtr status_word;
    hardware_interface::StateInterface::SharedPtr error_code;
    hardware_interface::StateInterface::SharedPtr mode_display;
    hardware_interface::StateInterface::SharedPtr link_position;
    SimulatedDriveState state;
  };

  std::unique_ptr<DrivePlant> plant_;
  std::unique_ptr<Injections> injections_;  // where there is a node for them
  TargetLine line_{0};
  double cycles_ = 0.0;  // of the line
  hardware_interface::StateInterface::SharedPtr cycles_state_;
  std::vector<Joint> joints_;
  double rate_ = 0.0;  // [Hz]
  bool torque_mode_ = false;
  bool effort_claimed_ = false;
  Eigen::VectorXd home_;
  Eigen::VectorXd torque_factor_;
  Eigen::VectorXd operational_after_;  // [s]
  Eigen::VectorXd hold_;               // where drives hold that are not enabled
  Eigen::VectorXd target_;
  Eigen::VectorXd torque_offset_;
};

}  // namespace dynid
