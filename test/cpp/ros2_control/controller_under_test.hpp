#pragma once

// dynid/FeedforwardController or another plugin like it, loaded and run as controller_manager does
// it, with plain numbers as references and drives.

#include <controller_interface/chainable_controller_interface.hpp>
#include <lifecycle_msgs/msg/state.hpp>
#include <memory>
#include <pluginlib/class_loader.hpp>
#include <rclcpp/executors/single_threaded_executor.hpp>
#include <string>
#include <utility>
#include <vector>

namespace
{

using rclcpp::Parameter;
using Parameters = std::vector<Parameter>;

class ControllerUnderTest
{
public:
  using State = lifecycle_msgs::msg::State;

  ControllerUnderTest(
    std::vector<std::string> joints, Parameters parameters, unsigned int rate = 1000,
    const std::string & plugin = "dynid/FeedforwardController")
  : joints_(std::move(joints)),
    loader_("controller_interface", "controller_interface::ChainableControllerInterface"),
    controller_(loader_.createUniqueInstance(plugin))
  {
    parameters.emplace_back("joints", joints_);
    controller_interface::ControllerInterfaceParams params;
    params.controller_name = "feedforward_controller";
    params.update_rate = rate;
    params.controller_manager_update_rate = rate;
    params.node_options = controller_->define_custom_node_options();
    params.node_options.parameter_overrides(parameters);
    initialised_ = controller_->init(params) == controller_interface::return_type::OK;
    if (initialised_) {
      executor_.add_node(controller_->get_node()->get_node_base_interface());
    }
  }

  ~ControllerUnderTest()
  {
    if (initialised_) {
      controller_->release_interfaces();
    }
  }
  ControllerUnderTest(const ControllerUnderTest &) = delete;
  ControllerUnderTest & operator=(const ControllerUnderTest &) = delete;

  [[nodiscard]] bool initialised() const { return initialised_; }

  bool configure() { return controller_->configure().id() == State::PRIMARY_STATE_INACTIVE; }

  /// Activates it with drives at rest at a position, and references by interfaces or by topic.
  bool activate(double position = 0.0, bool chained = true)
  {
    references_ = controller_->export_reference_interfaces();
    states_.clear();
    commands_.clear();
    std::vector<hardware_interface::LoanedCommandInterface> commands;
    std::vector<hardware_interface::LoanedStateInterface> states;
    for (const auto & name : controller_->command_interface_configuration().names) {
      const auto [joint, kind] = split(name);
      commands_.push_back(std::make_shared<hardware_interface::CommandInterface>(joint, kind));
      std::ignore = commands_.back()->set_value(0.0, true);
      commands.emplace_back(commands_.back(), nullptr);
    }
    for (const auto & name : state_names()) {
      const auto [joint, kind] = split(name);
      states_.push_back(std::make_shared<hardware_interface::StateInterface>(joint, kind));
      std::ignore = states_.back()->set_value(kind == "position" ? position : 0.0, true);
      states.emplace_back(states_.back(), nullptr);
    }
    controller_->assign_interfaces(std::move(commands), std::move(states));
    controller_->set_chained_mode(chained);
    return controller_->get_node()->activate().id() == State::PRIMARY_STATE_ACTIVE;
  }

  void deactivate() { controller_->get_node()->deactivate(); }

  /// A cycle of the manager, which reads and writes numbers without allocation.
  bool update(std::int64_t milliseconds = 1)
  {
    const auto period = rclcpp::Duration::from_nanoseconds(milliseconds * 1'000'000);
    time_ += period;
    return controller_->update(time_, period) == controller_interface::return_type::OK;
  }

  void set_reference(std::size_t joint, double position, double velocity, double acceleration)
  {
    const auto n = joints_.size();
    std::ignore = references_[joint]->set_value(position, true);
    std::ignore = references_[n + joint]->set_value(velocity, true);
    std::ignore = references_[2 * n + joint]->set_value(acceleration, true);
  }

  void measure(std::size_t joint, double position, double velocity, double effort)
  {
    const auto n = joints_.size();
    std::ignore = states_[joint]->set_value(position, true);
    std::ignore = states_[n + joint]->set_value(velocity, true);
    std::ignore = states_[2 * n + joint]->set_value(effort, true);
  }

  /// Sets the status of a drive, where the controller has claimed it: by the last states.
  void set_status(std::size_t joint, double status_word, double error_code = 0.0)
  {
    const auto n = joints_.size();
    std::ignore = states_[states_.size() - 2 * n + joint]->set_value(status_word, true);
    std::ignore = states_[states_.size() - n + joint]->set_value(error_code, true);
  }

  /// Sets the counter of the drives' cycles, where the controller has claimed it.
  void set_drive_cycles(double counted)
  {
    std::ignore = states_[3 * joints_.size()]->set_value(counted, true);
  }

  /// Sets a state of this name, where the controller has claimed it.
  void set_state(const std::string & name, double value)
  {
    const auto names = state_names();
    for (std::size_t k = 0; k < names.size(); ++k) {
      if (names[k] == name) {
        std::ignore = states_[k]->set_value(value, true);
      }
    }
  }

  [[nodiscard]] std::vector<std::string> state_names() const
  {
    return controller_->state_interface_configuration().names;
  }

  [[nodiscard]] double reset_command(std::size_t joint = 0) const
  {
    return commands_[2 * joints_.size() + joint]->get_optional().value();
  }

  [[nodiscard]] double position(std::size_t joint = 0) const
  {
    return commands_[joint]->get_optional().value();
  }
  [[nodiscard]] double torque_offset(std::size_t joint = 0) const
  {
    return commands_[joints_.size() + joint]->get_optional().value();
  }

  /// Of a plugin that commands torque alone.
  [[nodiscard]] double torque(std::size_t joint = 0) const
  {
    return commands_[joint]->get_optional().value();
  }

  /// The reason of a refusal; empty where the parameters were set.
  std::string set(const Parameters & parameters)
  {
    return controller_->get_node()->set_parameters_atomically(parameters).reason;
  }

  [[nodiscard]] std::shared_ptr<rclcpp_lifecycle::LifecycleNode> node()
  {
    return controller_->get_node();
  }
  [[nodiscard]] rclcpp::Executor & executor() { return executor_; }
  [[nodiscard]] const rclcpp::Time & time() const { return time_; }
  [[nodiscard]] const std::vector<hardware_interface::CommandInterface::SharedPtr> & references()
    const
  {
    return references_;
  }

private:
  static std::pair<std::string, std::string> split(const std::string & name)
  {
    const auto slash = name.rfind('/');
    return {name.substr(0, slash), name.substr(slash + 1)};
  }

  std::vector<std::string> joints_;
  pluginlib::ClassLoader<controller_interface::ChainableControllerInterface> loader_;
  pluginlib::UniquePtr<controller_interface::ChainableControllerInterface> controller_;
  bool initialised_ = false;
  rclcpp::executors::SingleThreadedExecutor executor_;
  std::vector<hardware_interface::CommandInterface::SharedPtr> references_;
  std::vector<hardware_interface::CommandInterface::SharedPtr> commands_;
  std::vector<hardware_interface::StateInterface::SharedPtr> states_;
  rclcpp::Time time_{1, 0, RCL_ROS_TIME};
};

}  // namespace
