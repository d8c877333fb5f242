#pragma once

#include <Eigen/Core>

#include "command_guard.hpp"
#include "command_path.hpp"
#include "dynid/control_law.hpp"
#include "law_state.hpp"
#include "stop_motion.hpp"

namespace dynid
{

/// The commanded motion of a ControlLaw and its LawState: it follows a reference within the limits,
/// waits for one that is near, and comes to rest for a stop. Vectors (n,); for control cycles: no
/// allocation, lock or exception.
class CommandedMotion
{
public:
  /// `checked` settings, with their limits filled.
  CommandedMotion(Eigen::Index drives, const ControlLawSettings & checked);

  /// Rests at a position, or the last where it is not finite, and waits for a reference.
  void rest_at(const VectorIn & position, InactiveReason reason) noexcept;

  /// Moves on as the drives did without a command in so many cycles; false where it is at rest.
  bool coast(int cycles) noexcept;

  /// One cycle with a reference whose position is finite, and which jumped, or moved on in so many
  /// cycles; nullptr: without one. True where it begins to follow it.
  bool follow(const Reference * given, bool jumped, double cycles) noexcept;

  /// Begins a stop from the command of the cycle before, and its velocity; or holds it at once.
  void stop(bool at_once) noexcept;

  /// One cycle of a stop, with the position of the reference.
  void come_to_rest(const Eigen::VectorXd & given) noexcept;

  /// Ends a stop, if the robot is at rest and the reference near.
  ResetReport reset() noexcept;

  [[nodiscard]] LawState state() const noexcept { return state_; }
  /// Why it waits, and the drive that could not follow, or -1.
  [[nodiscard]] InactiveReason why() const noexcept { return why_; }
  [[nodiscard]] int limited() const noexcept { return limited_; }

  /// Differences of the position commands.
  [[nodiscard]] const Reference & motion() const noexcept { return motion_; }
  [[nodiscard]] const Eigen::VectorXd & position() const noexcept { return guard_.command(); }
  /// Whether it follows its path, without being held back by a limit.
  [[nodiscard]] bool on_path() const noexcept
  {
    return state_ == LawState::following && guard_.passed();
  }
  [[nodiscard]] const CommandPath & path() const noexcept { return path_; }

private:
  void change(LawEvent event) noexcept { state_ = next_state(state_, event); }
  bool join() noexcept;
  void follow_path() noexcept;
  void leave(InactiveReason why, int drive = -1) noexcept;
  void brake(bool limited) noexcept;
  void update_motion() noexcept;

  double rate_;  // [Hz]
  Eigen::VectorXd tolerance_;
  Eigen::VectorXd deceleration_;        // of a stop
  Eigen::VectorXd guard_deceleration_;  // of others: what the guard allows
  LawState state_ = LawState::waiting;
  InactiveReason why_ = InactiveReason::none;
  int limited_ = -1;
  CommandPath path_;
  CommandGuard guard_;
  StopMotion stop_motion_;
  Eigen::VectorXd reference_;       // the last that was finite
  Eigen::VectorXd reference_step_;  // its velocity times the cycle
  Eigen::VectorXd coasted_;         // by the drives alone since the last command
  Reference motion_;
};

/// Whether a command comes to rest on its path for this reason before it follows again.
[[nodiscard]] bool ends_in_rest(InactiveReason reason) noexcept;

}  // namespace dynid
