#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <std_msgs/msg/bool.hpp>
#include <vector>

#include "dynid/torque_law.hpp"
#include "law_controller.hpp"

namespace dynid
{

/// The ros2_control plugin of TorqueLaw, for robots with effort commands alone; parameters, model,
/// references, topics and services are those of FeedforwardController. User documentation:
/// docs/torque-control.md.
///
/// After a damped stop it returns an error, by which controller_manager deactivates it and releases
/// the effort interfaces: the hardware's own stop holds the robot then. With `after_stop: hold` the
/// damped torque holds it until ~/reset, unless the stop has failed. The error also follows where
/// the drives' torque limits do not permit to start.
///
/// The robot can be guided by hand while ~/guide is true: an enabling switch, whose message must be
/// repeated within 0.2 s. Otherwise it is released: a damped stop, after which it follows again.
///
/// With status words, the damped torque acts until every drive is enabled and after one was lost;
/// drives without a status word count as not measured.
class TorqueController : public LawController
{
public:
  CallbackReturn on_configure(const rclcpp_lifecycle::State & previous) override;
  CallbackReturn on_cleanup(const rclcpp_lifecycle::State & previous) override;
  CallbackReturn on_deactivate(const rclcpp_lifecycle::State & previous) override;

protected:
  std::vector<const char *> command_kinds() const override;
  void make_law(Eigen::Index joints) override;
  bool start_law() override;
  void apply(const LawRequest & request) noexcept override;
  void use(ControlModel * model, const Payload & payload) noexcept override;
  void run_law(double cycles) noexcept override;
  ResetReport reset_law() noexcept override;
  const ControlLaw & law() const noexcept override { return law_->law(); }
  const Eigen::VectorXd & torque_command() const noexcept override;
  void write_commands() noexcept override;
  void write_last_commands() noexcept override;
  return_type update_and_write_commands(
    const rclcpp::Time & time, const rclcpp::Duration & period) override;

private:
  void report_start() const;
  void on_guide(const std_msgs::msg::Bool & message);
  void take_guide() noexcept;
  void wait_for_drives(double cycles) noexcept;

  std::unique_ptr<TorqueLaw> law_;
  TorqueStart start_;    // the last one
  bool begins_ = false;  // not started since the activation, for want of a position
  Eigen::VectorXd reference_tolerance_;
  rclcpp::Subscription<std_msgs::msg::Bool>::SharedPtr guide_in_;
  std::atomic<std::int64_t> guide_until_{0};  // [ns] of the steady clock
  bool guide_wanted_ = false;                 // in the last cycle
  GuideStart guide_start_;                    // the last that was refused
  std::atomic<bool> guide_refused_{false};    // and not reported yet
};

}  // namespace dynid
