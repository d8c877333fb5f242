#include "simulated_drive_state.hpp"

#include <cmath>

namespace dynid
{
namespace
{

constexpr double step_time = 0.01;  // [s] from one state to the next

}  // namespace

void SimulatedDriveState::start(double operational_after) noexcept
{
  state_ = operational_after > 0.0 ? DriveState::not_ready : DriveState::enabled;
  due_ = operational_after;
  error_ = 0.0;
  clears_ = false;
  raised_ = false;
}

void SimulatedDriveState::update(
  double period, bool failed, bool at_rest, double error, double reset) noexcept
{
  const bool raised = std::isfinite(reset) && reset != 0.0;
  const bool rises = raised && !raised_;
  raised_ = raised;
  clears_ = false;
  if (!present() || !failed) {
    if (has_fault(state_)) {  // cleared by another caller
      state_ = DriveState::switch_on_disabled;
      due_ = step_time;
    }
    advance(period);
    return;
  }
  error_ = error;
  clears_ = rises && state_ == DriveState::fault;
  state_ = at_rest ? DriveState::fault : DriveState::fault_reaction;
  if (clears_) {
    state_ = DriveState::switch_on_disabled;
    due_ = step_time;
    error_ = 0.0;
  }
}

/// Changes to the next state when it is due.
void SimulatedDriveState::advance(double period) noexcept
{
  due_ -= period;
  if (due_ > 0.0 || state_ == DriveState::enabled) {
    return;
  }
  due_ = step_time;
  switch (state_) {
    case DriveState::not_ready:
      state_ = DriveState::switch_on_disabled;
      break;
    case DriveState::switch_on_disabled:
      state_ = DriveState::ready_to_switch_on;
      break;
    case DriveState::ready_to_switch_on:
      state_ = DriveState::switched_on;
      break;
    default:
      state_ = DriveState::enabled;
      error_ = 0.0;
      break;
  }
}

double SimulatedDriveState::status_word() const noexcept
{
  // bits 4 (voltage) and 9 (remote) as drives on a bus have them
  switch (state_) {
    case DriveState::switch_on_disabled:
      return 0x0250;
    case DriveState::ready_to_switch_on:
      return 0x0231;
    case DriveState::switched_on:
      return 0x0233;
    case DriveState::enabled:
      return 0x0237;
    case DriveState::fault_reaction:
      return 0x021F;
    case DriveState::fault:
      return 0x0218;
    default:
      return 0x0000;
  }
}

}  // namespace dynid
