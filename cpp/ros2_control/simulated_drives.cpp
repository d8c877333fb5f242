#include "simulated_drives.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <pluginlib/class_list_macros.hpp>
#include <rclcpp/logging.hpp>
#include <sstream>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "plant_parameters.hpp"

namespace dynid
{
namespace
{

/// Error codes, 0x603F, of CiA402 and of manufacturers.
double error_code(const Fault & fault, int drive)
{
  if (fault.reason == FaultReason::following_error && fault.drive == drive) {
    return 0x8611;
  }
  return fault.reason == FaultReason::not_finite ? 0xFF01 : 0xFF00;
}

void put(const hardware_interface::StateInterface::SharedPtr & state, double value)
{
  if (!state) {
    return;
  }
  // a reader that holds the lock now gets the previous value
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
    operational_after_.setZero(home_.size());
    if (parameters.count("operational_after") != 0) {
      operational_after_ = per_joint(parameters, "operational_after", names.size());
    }
    plant_->reset(home_);
    rate_ = control_rate(parameters);
    torque_mode_ = commands_torque(parameters);
    if (info.rw_rate > 0 && std::abs(rate_ - info.rw_rate) > 0.5) {
      throw std::invalid_argument(
        "The simulated drives run at control_rate " + std::to_string(std::lround(rate_)) +
        " Hz, but the controller manager at " + std::to_string(info.rw_rate) +
        " Hz; make update_rate and control_rate equal.");
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
  hold_ = home_;
  line_ = TargetLine(home_.size());
  return CallbackReturn::SUCCESS;
}

std::vector<hardware_interface::InterfaceDescription>
SimulatedDrives::export_unlisted_state_interface_descriptions()
{
  hardware_interface::InterfaceInfo cycles;
  cycles.name = "drive_cycles";
  cycles.data_type = "double";
  return {{get_hardware_info().name, cycles}};
}

CallbackReturn SimulatedDrives::on_configure(const rclcpp_lifecycle::State &)
{
  joints_.clear();
  const auto state = [this](const std::string & name) {
    return has_state(name) ? get_state_interface_handle(name) : nullptr;
  };
  cycles_state_ = state(get_hardware_info().name + "/drive_cycles");
  try {
    for (const auto & joint : get_hardware_info().joints) {
      const auto reset = joint.name + "/reset_fault";
      joints_.push_back(
        {torque_mode_ ? nullptr : get_command_interface_handle(joint.name + "/position"),
         get_command_interface_handle(joint.name + "/effort"),
         get_state_interface_handle(joint.name + "/position"),
         get_state_interface_handle(joint.name + "/velocity"),
         get_state_interface_handle(joint.name + "/effort"),
         has_command(reset) ? get_command_interface_handle(reset) : nullptr,
         state(joint.name + "/status_word"),
         state(joint.name + "/error_code"),
         state(joint.name + "/mode_display"),
         state(joint.name + "/link_position"),
         {}});
    }
  } catch (const std::exception & error) {
    RCLCPP_ERROR(
      get_logger(),
      "Every joint needs command interfaces position and effort (effort alone in torque mode), and "
      "state interfaces position, velocity and effort (%s).",
      error.what());
    return CallbackReturn::ERROR;
  }
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    joints_[i].state.start(operational_after_[static_cast<Eigen::Index>(i)]);
  }
  plant_->reset(home_);
  return CallbackReturn::SUCCESS;
}

CallbackReturn SimulatedDrives::on_activate(const rclcpp_lifecycle::State &)
{
  target_ = plant_->position();
  torque_offset_.setZero();
  plant_->reset(target_);
  hold_ = target_;
  line_.rest_at(target_);
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const auto j = static_cast<Eigen::Index>(i);
    auto & joint = joints_[i];
    joint.state.start(operational_after_[j]);
    // a drive that is not on the bus has not reported its position
    const double first = joint.state.present() ? target_[j] : nan;
    if (joint.target) {
      std::ignore = joint.target->set_value(first, true);
    }
    std::ignore = joint.torque_offset->set_value(0.0, true);
    if (joint.reset_fault) {
      std::ignore = joint.reset_fault->set_value(0.0, true);
    }
  }
  effort_claimed_ = false;
  switch_control();
  write_states();
  return CallbackReturn::SUCCESS;
}

return_type SimulatedDrives::perform_command_mode_switch(
  const std::vector<std::string> & start_interfaces,
  const std::vector<std::string> & stop_interfaces)
{
  const auto has_effort = [this](const std::vector<std::string> & names) {
    const auto & joints = get_hardware_info().joints;
    return std::any_of(joints.begin(), joints.end(), [&names](const auto & joint) {
      return std::find(names.begin(), names.end(), joint.name + "/effort") != names.end();
    });
  };
  effort_claimed_ =
    has_effort(start_interfaces) || (effort_claimed_ && !has_effort(stop_interfaces));
  return return_type::OK;
}

/// In torque mode: between the robot's own stop and torques.
void SimulatedDrives::switch_control() noexcept
{
  const bool enabled = std::all_of(
    joints_.begin(), joints_.end(), [](const auto & joint) { return joint.state.enabled(); });
  if (torque_mode_ && !effort_claimed_) {
    plant_->stop_control();
  } else if (torque_mode_ && enabled) {
    plant_->start_control();
  }
}

CallbackReturn SimulatedDrives::on_deactivate(const rclcpp_lifecycle::State &)
{
  std::ostringstream offsets;
  for (Eigen::Index j = 0; j < torque_offset_.size(); ++j) {
    offsets << " " << torque_offset_[j];
  }
  RCLCPP_INFO(
    get_logger(), "the last cycle before deactivation had the torque offsets%s",
    offsets.str().c_str());
  torque_offset_.setZero();
  plant_->step(line_.next(), torque_offset_);
  return CallbackReturn::SUCCESS;
}

return_type SimulatedDrives::read(const rclcpp::Time &, const rclcpp::Duration & period)
{
  if (injections_) {
    injections_->apply(*plant_);
  }
  cycles_ += line_.pass(period.seconds() * rate_, effort_claimed_);  // by a feedforward controller
  if (get_lifecycle_id() == lifecycle_msgs::msg::State::PRIMARY_STATE_ACTIVE) {
    lead_drives(period.seconds());
    while (line_.overdue()) {
      plant_->step(line_.next(), torque_offset_);
    }
  }
  write_states();
  return return_type::OK;
}

/// A cycle [s] of the drives' state machines.
void SimulatedDrives::lead_drives(double period) noexcept
{
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const auto j = static_cast<Eigen::Index>(i);
    auto & joint = joints_[i];
    const bool failed = plant_->failed(j);
    if (failed) {
      hold_[j] = plant_->position()[j];
    }
    const auto reset = joint.reset_fault ? joint.reset_fault->get_optional() : std::nullopt;
    joint.state.update(
      period, failed, std::abs(plant_->velocity()[j]) <= speed_at_rest,
      error_code(plant_->fault(), static_cast<int>(j)), reset.value_or(0.0));
    if (joint.state.clears()) {
      plant_->inject(FaultCleared{static_cast<int>(j)});
    }
  }
}

void SimulatedDrives::write_states() noexcept
{
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const auto j = static_cast<Eigen::Index>(i);
    const auto & joint = joints_[i];
    const double present = joint.state.present() ? 1.0 : 0.0;
    put(joint.position, present * plant_->position()[j]);
    put(joint.velocity, present * plant_->velocity()[j]);
    put(joint.effort, present * plant_->torque()[j] / torque_factor_[j]);
    put(joint.status_word, joint.state.status_word());
    put(joint.error_code, joint.state.error_code());
    put(joint.mode_display, joint.state.mode_display());
    put(joint.link_position, present * plant_->link_position()[j]);
  }
  put(cycles_state_, cycles_);
  if (injections_) {
    injections_->watch(*plant_);
  }
}

return_type SimulatedDrives::write(const rclcpp::Time &, const rclcpp::Duration &)
{
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const auto j = static_cast<Eigen::Index>(i);
    const auto & joint = joints_[i];
    if (!joint.state.enabled()) {
      target_[j] = hold_[j];
      torque_offset_[j] = 0.0;
      continue;
    }
    // a value that is not finite means no command: the previous target stays
    const double target =
      joint.target ? joint.target->get_optional().value_or(target_[j]) : target_[j];
    const double offset = joint.torque_offset->get_optional().value_or(torque_offset_[j]);
    target_[j] = std::isfinite(target) ? target : target_[j];
    torque_offset_[j] = std::isfinite(offset) ? offset : 0.0;
  }
  switch_control();
  line_.give(target_);
  while (line_.due()) {
    plant_->step(line_.next(), torque_offset_);
  }
  return return_type::OK;
}

}  // namespace dynid

PLUGINLIB_EXPORT_CLASS(dynid::SimulatedDrives, hardware_interface::SystemInterface)
