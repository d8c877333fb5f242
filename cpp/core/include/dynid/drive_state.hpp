#pragma once

#include <string>

namespace dynid
{

/// The states of a drive in CiA402's state machine. Only an enabled one follows its target.
enum class DriveState
{
  unknown,  ///< the status word is not finite or matches no state
  not_ready,
  switch_on_disabled,
  ready_to_switch_on,
  switched_on,
  enabled,
  quick_stop,
  fault_reaction,
  fault
};

/// Status of a drive as its state interfaces have it; NaN where the drive sends none.
struct DriveWords
{
  double status = 0.0;  ///< status word, 0x6041
  double error = 0.0;   ///< error code, 0x603F
};

/// The state that a status word (0x6041) encodes. For control cycles.
[[nodiscard]] DriveState drive_state(double status_word) noexcept;

/// Whether a drive in this state has a fault. For control cycles.
[[nodiscard]] bool has_fault(DriveState state) noexcept;

/// Whether a drive's own limits act (bit 11), so that torque or motion is not what was commanded.
/// For control cycles.
[[nodiscard]] bool is_limited(double status_word) noexcept;

/// Whether a drive reports a following error (bit 13, in cyclic synchronous position).
/// For control cycles.
[[nodiscard]] bool has_following_error(double status_word) noexcept;

/// "in fault (status word 0x2218, error code 0x8611, following error)".
[[nodiscard]] std::string describe(const DriveWords & words);

}  // namespace dynid
