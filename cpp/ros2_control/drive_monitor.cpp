#include "drive_monitor.hpp"

#include <hardware_interface/types/hardware_interface_type_values.hpp>
#include <pluginlib/class_list_macros.hpp>

namespace dynid
{

DriveMonitor::CallbackReturn DriveMonitor::on_init()
{
  try {
    listener_ = std::make_shared<drive_monitor::ParamListener>(get_node());
    params_ = listener_->get_params();
  } catch (const std::exception & error) {
    RCLCPP_ERROR(get_node()->get_logger(), "%s", error.what());
    return CallbackReturn::ERROR;
  }
  return CallbackReturn::SUCCESS;
}

DriveInterfaces DriveMonitor::names() const
{
  return {params_.status_interface, params_.error_interface, params_.reset_interface};
}

DriveMonitor::InterfaceConfiguration DriveMonitor::command_interface_configuration() const
{
  InterfaceConfiguration found{controller_interface::interface_configuration_type::INDIVIDUAL, {}};
  DriveLink::append_commands(names(), params_.joints, found.names);
  return found;
}

DriveMonitor::InterfaceConfiguration DriveMonitor::state_interface_configuration() const
{
  InterfaceConfiguration found{controller_interface::interface_configuration_type::INDIVIDUAL, {}};
  append_interfaces(hardware_interface::HW_IF_POSITION, params_.joints, found.names);
  DriveLink::append_states(names(), params_.joints, found.names);
  return found;
}

DriveMonitor::CallbackReturn DriveMonitor::on_configure(const rclcpp_lifecycle::State &)
{
  const auto n = static_cast<Eigen::Index>(params_.joints.size());
  position_.setConstant(n, nan);
  no_reference_ = position_;
  drives_ = std::make_unique<DriveLink>(params_.joints, names(), get_update_rate());
  drives_->offer(get_node());
  return CallbackReturn::SUCCESS;
}

DriveMonitor::CallbackReturn DriveMonitor::on_activate(const rclcpp_lifecycle::State &)
{
  drives_->start(state_interfaces_, command_interfaces_);
  return CallbackReturn::SUCCESS;
}

DriveMonitor::CallbackReturn DriveMonitor::on_deactivate(const rclcpp_lifecycle::State &)
{
  drives_->stop();
  return CallbackReturn::SUCCESS;
}

controller_interface::return_type DriveMonitor::update(
  const rclcpp::Time &, const rclcpp::Duration &)
{
  for (Eigen::Index i = 0; i < position_.size(); ++i) {
    const auto & state = state_interfaces_[static_cast<std::size_t>(i)];
    position_[i] = state.get_optional().value_or(position_[i]);
  }
  drives_->update(state_interfaces_, command_interfaces_, position_, no_reference_);
  // this controller commands no motion; whether the robot is at rest is supervised by the player
  drives_->commanded(position_, true);
  return controller_interface::return_type::OK;
}

}  // namespace dynid

PLUGINLIB_EXPORT_CLASS(dynid::DriveMonitor, controller_interface::ControllerInterface)
