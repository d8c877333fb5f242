#pragma once

#include "dynid/drive_state.hpp"

namespace dynid
{

/// The state machine of one simulated drive, as EcCiA402Drive operates a real one: absent from the
/// bus at first, then switched on step by step until it is enabled, and again after a fault has
/// been reset.
///
/// For control cycles: no allocation or exception.
class SimulatedDriveState
{
public:
  /// Restarts; the drive appears on the bus after this time [s], and is enabled at once where it is
  /// 0.
  void start(double operational_after) noexcept;

  /// One cycle [s]: whether the drive has a fault and is at rest, that fault's error code, and the
  /// command `reset_fault`, whose step away from 0 resets the fault.
  void update(double period, bool failed, bool at_rest, double error, double reset) noexcept;

  /// Whether its fault is to be cleared, in this cycle.
  [[nodiscard]] bool clears() const noexcept { return clears_; }
  /// Whether it is on the bus: otherwise all its data are 0.
  [[nodiscard]] bool present() const noexcept { return state_ != DriveState::not_ready; }
  /// Whether it follows commands.
  [[nodiscard]] bool enabled() const noexcept { return state_ == DriveState::enabled; }
  [[nodiscard]] double status_word() const noexcept;
  [[nodiscard]] double error_code() const noexcept { return present() ? error_ : 0.0; }
  /// 0x6061: cyclic synchronous position.
  [[nodiscard]] double mode_display() const noexcept { return present() ? 8.0 : 0.0; }

private:
  void advance(double period) noexcept;

  DriveState state_ = DriveState::not_ready;
  double due_ = 0.0;  // until the next state [s]
  double error_ = 0.0;
  bool clears_ = false;
  bool raised_ = false;  // whether reset_fault was not 0
};

}  // namespace dynid
