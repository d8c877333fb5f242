#include "torque_controller.hpp"

#include <chrono>
#include <cmath>
#include <hardware_interface/types/hardware_interface_type_values.hpp>
#include <pluginlib/class_list_macros.hpp>

namespace dynid
{
namespace
{

constexpr std::chrono::milliseconds enabled_for(200);  // by one message of ~/guide

std::int64_t steady_time(std::chrono::nanoseconds later = {})
{
  const auto now = std::chrono::steady_clock::now().time_since_epoch() + later;
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

}  // namespace

std::vector<const char *> TorqueController::command_kinds() const
{
  return {hardware_interface::HW_IF_EFFORT};
}

void TorqueController::make_law(Eigen::Index joints)
{
  const auto settings = torque_law_settings(params_, rate_);
  law_ = std::make_unique<TorqueLaw>(joints, settings);
  reference_tolerance_ = settings.law.reference_tolerance;
}

TorqueController::CallbackReturn TorqueController::on_configure(
  const rclcpp_lifecycle::State & previous)
{
  const auto answer = LawController::on_configure(previous);
  if (answer == CallbackReturn::SUCCESS) {
    guide_in_ = get_node()->create_subscription<std_msgs::msg::Bool>(
      "~/guide", rclcpp::SystemDefaultsQoS(),
      [this](const std_msgs::msg::Bool & message) { on_guide(message); });
  }
  return answer;
}

TorqueController::CallbackReturn TorqueController::on_cleanup(
  const rclcpp_lifecycle::State & previous)
{
  guide_in_.reset();
  return LawController::on_cleanup(previous);
}

void TorqueController::on_guide(const std_msgs::msg::Bool & message)
{
  guide_until_ = message.data ? steady_time(enabled_for) : 0;
  if (guide_refused_.exchange(false)) {
    const JointNames joints{params_.joints, std::vector<bool>(params_.joints.size(), false)};
    RCLCPP_ERROR(get_node()->get_logger(), "%s", describe(guide_start_, joints).c_str());
  }
}

/// Begins or ends hand guiding, once for each time that its switch is pressed.
void TorqueController::take_guide() noexcept
{
  const bool wanted = steady_time() < guide_until_.load(std::memory_order_relaxed);
  if (wanted && !guide_wanted_ && !guide_refused_.load(std::memory_order_acquire)) {
    guide_start_ = law_->guide();
    guide_refused_.store(!guide_start_.done(), std::memory_order_release);
  } else if (!wanted && law_->phase() == TorquePhase::guided) {
    law_->stop();
  }
  guide_wanted_ = wanted;
}

bool TorqueController::start_law()
{
  guide_until_ = 0;
  guide_wanted_ = false;
  take_requests();
  if (drives_) {
    begins_ = true;
    run_law(1.0);
    return true;
  }
  start_ = law_->start(feedback_.position);
  report_start();
  return start_.done();
}

void TorqueController::report_start() const
{
  if (!start_.done()) {
    const JointNames joints{params_.joints, std::vector<bool>(params_.joints.size(), false)};
    RCLCPP_ERROR(get_node()->get_logger(), "%s", describe(start_, joints).c_str());
  }
}

TorqueController::CallbackReturn TorqueController::on_deactivate(
  const rclcpp_lifecycle::State & previous)
{
  if (drives_) {
    report_start();  // which the cycle could not
  }
  return LawController::on_deactivate(previous);
}

void TorqueController::apply(const LawRequest & request) noexcept
{
  law_->set_collision(request.collision);
  law_->set_payload(request.payload);
}

void TorqueController::use(ControlModel * model, const Payload & payload) noexcept
{
  law_->use(model);
  law_->set_payload(payload);
}

void TorqueController::run_law(double cycles) noexcept
{
  take_guide();
  if (!drives_) {
    law_->update(reference_, feedback_, cycles);
    return;
  }
  const auto phase = drives_->update(
    state_interfaces_, command_interfaces_, feedback_.position, reference_.position);
  const auto & hold = drives_->gate().hold();
  // a bus fills the data of a drive that it has lost with zeros
  for (auto * values : {&feedback_.position, &feedback_.velocity, &feedback_.torque}) {
    *values = hold.array().isFinite().select(*values, nan);
  }
  if (phase != DrivePhase::running) {
    wait_for_drives(cycles);
  } else {
    if (drives_->gate().opened()) {
      start_ = law_->start(feedback_.position);
    }
    law_->update(reference_, feedback_, cycles);
  }
  drives_->commanded(feedback_.position, law_->settled());
}

/// A cycle of the damped torque, as soon as every drive's position is known.
void TorqueController::wait_for_drives(double cycles) noexcept
{
  if (begins_) {
    start_ = law_->start(feedback_.position);
    begins_ = !start_.done();
  }
  law_->stop();
  law_->update(reference_, feedback_, cycles);
}

ResetReport TorqueController::reset_law() noexcept
{
  if (law_->phase() != TorquePhase::stopping && law_->phase() != TorquePhase::stopped) {
    return {};
  }
  if (!law_->settled()) {
    return {ResetAnswer::moving, -1, 0.0};
  }
  for (Eigen::Index j = 0; j < feedback_.position.size(); ++j) {
    const double distance = std::abs(reference_.position[j] - feedback_.position[j]);
    if (distance > reference_tolerance_[j]) {
      return {ResetAnswer::reference_away, static_cast<int>(j), distance};
    }
  }
  const bool started = law_->start(feedback_.position).done();
  return {started ? ResetAnswer::done : ResetAnswer::nothing_latched, -1, 0.0};
}

const Eigen::VectorXd & TorqueController::torque_command() const noexcept
{
  return law_->torque_command();
}

void TorqueController::write_commands() noexcept
{
  for (std::size_t i = 0; i < params_.joints.size(); ++i) {
    write(i, law_->torque_command()[static_cast<Eigen::Index>(i)]);
  }
}

void TorqueController::write_last_commands() noexcept
{
  for (std::size_t i = 0; i < params_.joints.size(); ++i) {
    write(i, law_->holding_torque()[static_cast<Eigen::Index>(i)]);
  }
}

TorqueController::return_type TorqueController::update_and_write_commands(
  const rclcpp::Time & time, const rclcpp::Duration & period)
{
  const auto answer = LawController::update_and_write_commands(time, period);
  if (start_.answer == TorqueStartAnswer::torque) {
    return return_type::ERROR;
  }
  // drives that are waited for, or were lost, are no reason: ~/reset_fault follows
  const bool ready = !drives_ || drives_->gate().phase() == DrivePhase::running;
  const bool holds = params_.torque_control.after_stop == "hold" && !law_->stop_failed();
  const bool ends = ready && law_->stopped() && !holds;
  return ends ? return_type::ERROR : answer;
}

}  // namespace dynid

PLUGINLIB_EXPORT_CLASS(dynid::TorqueController, controller_interface::ChainableControllerInterface)
