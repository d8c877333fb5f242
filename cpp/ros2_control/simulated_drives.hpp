#pragma once

#include <hardware_interface/system_interface.hpp>
#include <optional>
#include <string>
#include <vector>

#include "dynid/drive_plant.hpp"

namespace dynid
{

/// ros2_control hardware without hardware: DrivePlant behind the interfaces of real drives in
/// cyclic synchronous position mode. Each joint takes a position [rad or m] and an effort, the
/// torque offset [N*m or N], and tells position, velocity and effort, in the unit and on the side
/// of the coupling that the profile's recordings have.
///
/// Everything about the robot is in the hardware parameters; see make_plant(). Besides, `home` is
/// where it begins [rad or m], and `torque_factor` the torque per unit of effort.
class SimulatedDrives : public hardware_interface::SystemInterface
{
public:
  hardware_interface::CallbackReturn on_init(
    const hardware_interface::HardwareComponentInterfaceParams & params) override;

  /// Puts the robot to rest at home.
  hardware_interface::CallbackReturn on_activate(
    const rclcpp_lifecycle::State & previous_state) override;

  /// Tells what the drives measured. No allocation or exception.
  hardware_interface::return_type read(
    const rclcpp::Time & time, const rclcpp::Duration & period) override;

  /// Runs one cycle of drives and bodies. No allocation or exception.
  hardware_interface::return_type write(
    const rclcpp::Time & time, const rclcpp::Duration & period) override;

private:
  void tell() noexcept;

  struct Interfaces
  {
    std::string position;
    std::string velocity;
    std::string effort;
  };

  std::optional<DrivePlant> plant_;
  Eigen::VectorXd home_;
  Eigen::VectorXd torque_factor_;
  Eigen::VectorXd target_;
  Eigen::VectorXd torque_offset_;
  std::vector<Interfaces> joints_;
};

}  // namespace dynid
