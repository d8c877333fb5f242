#include "simulated_drives.hpp"

#include <cmath>
#include <exception>
#include <pluginlib/class_list_macros.hpp>
#include <rclcpp/logging.hpp>
#include <stdexcept>

#include "plant_parameters.hpp"

namespace dynid
{

using hardware_interface::CallbackReturn;
using hardware_interface::return_type;

CallbackReturn SimulatedDrives::on_init(
  const hardware_interface::HardwareComponentInterfaceParams & params)
{
  if (SystemInterface::on_init(params) != CallbackReturn::SUCCESS) {
    return CallbackReturn::ERROR;
  }
  const auto & info = get_hardware_info();
  try {
    std::vector<std::string> names;
    for (const auto & joint : info.joints) {
      names.push_back(joint.name);
      joints_.push_back(
        {joint.name + "/position", joint.name + "/velocity", joint.name + "/effort"});
    }
    plant_ = make_plant(info.original_xml, names, info.hardware_parameters);
    home_ = per_joint(info.hardware_parameters, "home", names.size());
    torque_factor_ = per_joint(info.hardware_parameters, "torque_factor", names.size());
    plant_->reset(home_);
    const double rate = control_rate(info.hardware_parameters);
    if (info.rw_rate > 0 && std::abs(rate - info.rw_rate) > 0.5) {
      throw std::invalid_argument(
        "The simulated drives are made for " + std::to_string(rate) +
        " cycles per second, but are called " + std::to_string(info.rw_rate) +
        " times; make update_rate and control_rate equal.");
    }
  } catch (const std::exception & error) {
    RCLCPP_ERROR(get_logger(), "%s", error.what());
    return CallbackReturn::ERROR;
  }
  target_ = home_;
  torque_offset_ = Eigen::VectorXd::Zero(home_.size());
  return CallbackReturn::SUCCESS;
}

CallbackReturn SimulatedDrives::on_activate(const rclcpp_lifecycle::State &)
{
  plant_->reset(home_);
  target_ = home_;
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    set_command(joints_[i].position, home_[static_cast<Eigen::Index>(i)]);
    set_command(joints_[i].effort, 0.0);
  }
  tell();
  return CallbackReturn::SUCCESS;
}

return_type SimulatedDrives::read(const rclcpp::Time &, const rclcpp::Duration &)
{
  tell();
  return return_type::OK;
}

void SimulatedDrives::tell() noexcept
{
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const auto j = static_cast<Eigen::Index>(i);
    set_state(joints_[i].position, plant_->position()[j]);
    set_state(joints_[i].velocity, plant_->velocity()[j]);
    set_state(joints_[i].effort, plant_->torque()[j] / torque_factor_[j]);
  }
}

return_type SimulatedDrives::write(const rclcpp::Time &, const rclcpp::Duration &)
{
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const auto j = static_cast<Eigen::Index>(i);
    // what is not finite means that nobody commands it: the plant keeps the target before
    target_[j] = get_command<double>(joints_[i].position);
    torque_offset_[j] = get_command<double>(joints_[i].effort);
  }
  plant_->step(target_, torque_offset_);
  return return_type::OK;
}

}  // namespace dynid

PLUGINLIB_EXPORT_CLASS(dynid::SimulatedDrives, hardware_interface::SystemInterface)
