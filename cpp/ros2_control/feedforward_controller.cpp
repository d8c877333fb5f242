#include "feedforward_controller.hpp"

#include <algorithm>
#include <hardware_interface/types/hardware_interface_type_values.hpp>
#include <pluginlib/class_list_macros.hpp>

namespace dynid
{
std::vector<const char *> FeedforwardController::command_kinds() const
{
  return {hardware_interface::HW_IF_POSITION, hardware_interface::HW_IF_EFFORT};
}

void FeedforwardController::make_law(Eigen::Index joints)
{
  const auto settings = law_settings(params_, rate_);
  law_ = std::make_unique<ControlLaw>(joints, settings);
  if (settings.elastic.enabled()) {
    RCLCPP_INFO(
      get_node()->get_logger(), "references of elastic joints are delayed by %.1f ms.",
      1e3 * settings.elastic.delay());
  }
  last_command_.setConstant(joints, nan);
  last_offset_.setZero(joints);
  fading_step_ = settings.feedforward.ramp_step();
}

bool FeedforwardController::start_law()
{
  if (feedback_.position.allFinite()) {
    law_->start(feedback_.position);
  }
  if (drives_) {
    fading_ = 0.0;
    run_law(1.0);
  }
  return true;
}

void FeedforwardController::apply(const LawRequest & request) noexcept
{
  law_->set_gain(request.gain);
  law_->set_mode(request.mode);
  law_->set_reaction(request.reaction);
  law_->set_collision(request.collision);
  law_->set_payload(request.payload);
}

void FeedforwardController::use(ControlModel * model, const Payload & payload) noexcept
{
  law_->use(model);
  law_->set_payload(payload);
}

/// A cycle of the control law, if the drives are ready.
void FeedforwardController::run_law(double cycles) noexcept
{
  if (!drives_) {
    law_->update(reference_, feedback_, cycles, drive_cycles_);
    return;
  }
  const auto phase = drives_->update(
    state_interfaces_, command_interfaces_, feedback_.position, reference_.position);
  if (phase == DrivePhase::waiting) {
    fading_ = 0.0;
    return;
  }
  if (phase != DrivePhase::running) {
    stop_law(phase, cycles);
    return;
  }
  if (drives_->gate().opened()) {
    law_->start(drives_->gate().hold());
  }
  law_->update(reference_, feedback_, cycles, drive_cycles_);
  fading_ = 1.0;
  last_offset_ = law_->torque_offset();
  last_command_ = law_->position_command();
  drives_->commanded(last_command_, true);
}

/// A cycle after a drive was lost: the law comes to rest without a reference. At rest it does not
/// run, because the torque of a drive in fault would be detected as a collision.
void FeedforwardController::stop_law(DrivePhase phase, double cycles) noexcept
{
  reference_.position.setConstant(nan);
  if (phase == DrivePhase::stopping) {
    law_->update(reference_, feedback_, cycles, drive_cycles_);
  }
  const bool at_rest = law_->position_command() == last_command_;
  last_command_ = law_->position_command();
  drives_->commanded(last_command_, at_rest);
  fading_ = std::max(0.0, fading_ - fading_step_);
}

/// The torque offset for the drive of a joint [N*m or N].
double FeedforwardController::torque_offset(Eigen::Index joint) const noexcept
{
  if (!drives_ || drives_->gate().phase() == DrivePhase::running) {
    return law_->torque_offset()[joint];
  }
  return drives_->gate().follows(joint) ? fading_ * last_offset_[joint] : 0.0;
}

const Eigen::VectorXd & FeedforwardController::torque_command() const noexcept
{
  return law_->torque_offset();
}

void FeedforwardController::write_commands() noexcept
{
  const auto n = params_.joints.size();
  for (std::size_t i = 0; i < n; ++i) {
    const auto j = static_cast<Eigen::Index>(i);
    write(i, drives_ ? drives_->gate().hold()[j] : law_->position_command()[j]);
    write(n + i, torque_offset(j));
  }
}

void FeedforwardController::write_last_commands() noexcept
{
  const auto n = params_.joints.size();
  for (std::size_t i = 0; i < n; ++i) {
    write(n + i, 0.0);  // the drives would otherwise keep the last offset
  }
}

}  // namespace dynid

PLUGINLIB_EXPORT_CLASS(
  dynid::FeedforwardController, controller_interface::ChainableControllerInterface)
