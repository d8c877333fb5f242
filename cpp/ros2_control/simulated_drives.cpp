#include "simulated_drives.hpp"

#include <cmath>
#include <exception>
#include <pluginlib/class_list_macros.hpp>
#include <rclcpp/logging.hpp>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "plant_parameters.hpp"

namespace dynid
{
namespace
{

void put(const hardware_interface::StateInterface::SharedPtr & state, double value)
{
  // whoever holds the lock at this moment reads the value before
  std::ignore = state->set_value(value, false);
}

}  // namespace

using hardware_interface::CallbackReturn;
using hardware_interface::return_type;

CallbackReturn SimulatedDrives::on_init(
  const hardware_interface::HardwareComponentInterfaceParams & params)
{
  if (SystemInterface::on_init(params) != CallbackReturn::SUCCESS) {
    return CallbackReturn::ERROR;
  }
  const auto & info = get_hardware_info();
  const auto & parameters = info.hardware_parameters;
  std::vector<std::string> names;
  try {
    names.reserve(info.joints.size());
    for (const auto & joint : info.joints) {
      names.push_back(joint.name);
    }
    plant_ = std::make_unique<DrivePlant>(make_plant(info.original_xml, names, parameters));
    home_ = per_joint(parameters, "home", names.size());
    torque_factor_ = per_joint(parameters, "torque_factor", names.size());
    plant_->reset(home_);
    rate_ = control_rate(parameters);
    if (info.rw_rate > 0 && std::abs(rate_ - info.rw_rate) > 0.5) {
      throw std::invalid_argument(
        "The simulated drives are made for " + std::to_string(std::lround(rate_)) +
        " cycles per second, but are called " + std::to_string(info.rw_rate) +
        " times; make update_rate and control_rate equal.");
    }
  } catch (const std::exception & error) {
    RCLCPP_ERROR(get_logger(), "%s", error.what());
    return CallbackReturn::ERROR;
  }
  if (get_node()) {
    injections_ = std::make_unique<Injections>(get_node(), *plant_, std::move(names));
  }
  target_ = home_;
  torque_offset_ = Eigen::VectorXd::Zero(home_.size());
  line_ = TargetLine(home_.size());
  return CallbackReturn::SUCCESS;
}

CallbackReturn SimulatedDrives::on_configure(const rclcpp_lifecycle::State &)
{
  joints_.clear();
  try {
    for (const auto & joint : get_hardware_info().joints) {
      joints_.push_back(
        {get_command_interface_handle(joint.name + "/position"),
         get_command_interface_handle(joint.name + "/effort"),
         get_state_interface_handle(joint.name + "/position"),
         get_state_interface_handle(joint.name + "/velocity"),
         get_state_interface_handle(joint.name + "/effort")});
    }
  } catch (const std::exception & error) {
    RCLCPP_ERROR(
      get_logger(),
      "Every joint needs command interfaces position and effort, and state interfaces position, "
      "velocity and effort (%s).",
      error.what());
    return CallbackReturn::ERROR;
  }
  plant_->reset(home_);
  return CallbackReturn::SUCCESS;
}

CallbackReturn SimulatedDrives::on_activate(const rclcpp_lifecycle::State &)
{
  target_ = plant_->position();
  torque_offset_.setZero();
  plant_->reset(target_);
  line_.rest_at(target_);
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    std::ignore = joints_[i].target->set_value(target_[static_cast<Eigen::Index>(i)], true);
    std::ignore = joints_[i].torque_offset->set_value(0.0, true);
  }
  tell();
  return CallbackReturn::SUCCESS;
}

return_type SimulatedDrives::read(const rclcpp::Time &, const rclcpp::Duration & period)
{
  if (injections_) {
    injections_->pass_on(*plant_);
  }
  line_.pass(period.seconds() * rate_);
  if (get_lifecycle_id() == lifecycle_msgs::msg::State::PRIMARY_STATE_ACTIVE) {
    while (line_.overdue()) {
      plant_->step(line_.next(), torque_offset_);
    }
  }
  tell();
  return return_type::OK;
}

void SimulatedDrives::tell() noexcept
{
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const auto j = static_cast<Eigen::Index>(i);
    put(joints_[i].position, plant_->position()[j]);
    put(joints_[i].velocity, plant_->velocity()[j]);
    put(joints_[i].effort, plant_->torque()[j] / torque_factor_[j]);
  }
  if (injections_) {
    injections_->watch(*plant_);
  }
}

return_type SimulatedDrives::write(const rclcpp::Time &, const rclcpp::Duration &)
{
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const auto j = static_cast<Eigen::Index>(i);
    // what is not finite means that nobody commands it: the plant keeps the target before
    target_[j] = joints_[i].target->get_optional().value_or(target_[j]);
    torque_offset_[j] = joints_[i].torque_offset->get_optional().value_or(torque_offset_[j]);
  }
  line_.give(target_);
  while (line_.due()) {
    plant_->step(line_.next(), torque_offset_);
  }
  return return_type::OK;
}

}  // namespace dynid

PLUGINLIB_EXPORT_CLASS(dynid::SimulatedDrives, hardware_interface::SystemInterface)
