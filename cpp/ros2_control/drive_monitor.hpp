#pragma once

#include <controller_interface/controller_interface.hpp>
#include <dynid/drive_monitor_parameters.hpp>
#include <memory>

#include "drive_link.hpp"

namespace dynid
{

/// Publishes on /dynid/drives whether every drive is enabled, and resets faults, where there is no
/// FeedforwardController. It commands no motion; the node that does must subscribe to /dynid/drives
/// and wait. User documentation: docs/drives.md.
class DriveMonitor : public controller_interface::ControllerInterface
{
public:
  using CallbackReturn = controller_interface::CallbackReturn;
  using InterfaceConfiguration = controller_interface::InterfaceConfiguration;

  CallbackReturn on_init() override;
  InterfaceConfiguration command_interface_configuration() const override;
  InterfaceConfiguration state_interface_configuration() const override;
  CallbackReturn on_configure(const rclcpp_lifecycle::State & previous) override;
  CallbackReturn on_activate(const rclcpp_lifecycle::State & previous) override;
  CallbackReturn on_deactivate(const rclcpp_lifecycle::State & previous) override;
  controller_interface::return_type update(
    const rclcpp::Time & time, const rclcpp::Duration & period) override;

private:
  [[nodiscard]] DriveInterfaces names() const;

  std::shared_ptr<drive_monitor::ParamListener> listener_;
  drive_monitor::Params params_;
  std::unique_ptr<DriveLink> drives_;
  Eigen::VectorXd position_;
  Eigen::VectorXd no_reference_;
};

}  // namespace dynid
