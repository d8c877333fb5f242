#pragma once

#include <Eigen/Core>

namespace dynid
{

/// The path of a command that follows a reference: the reference, or a smooth transition to it
/// where it jumps or its cycles are uneven. Vectors (n,) [rad or m]; for control cycles: no
/// allocation, lock or exception.
class CommandPath
{
public:
  /// `ramp_cycles` >= 1: duration of a transition to a reference. `catch_up_cycles` >= 1: that of
  /// catching up after uneven cycles. `tolerance` (n,): the longest distance of either.
  CommandPath(Eigen::Index drives, int ramp_cycles, int catch_up_cycles, Eigen::VectorXd tolerance);

  /// Stays at a position.
  void rest_at(const Eigen::VectorXd & position) noexcept { command_ = position; }

  /// Whether a position is within the tolerance of the command.
  [[nodiscard]] bool near(const Eigen::VectorXd & position) const noexcept;

  /// Starts to follow a finite reference that is near.
  void join(const Eigen::VectorXd & reference) noexcept;

  /// One cycle later, with a finite reference. `step` (n,): its velocity times the cycle, used
  /// where the reference moves accordingly; may be any number. `cycles`: time since the last call.
  /// `coasted` (n,): distance by which the drives moved on by themselves meanwhile. False where the
  /// distance from the reference became too large.
  [[nodiscard]] bool advance(
    const Eigen::VectorXd & reference, const Eigen::VectorXd & step, double cycles,
    const Eigen::VectorXd & coasted) noexcept;

  [[nodiscard]] const Eigen::VectorXd & command() const noexcept { return command_; }

  /// Velocity and acceleration (n,) of the command beyond those of the reference while it catches
  /// up after uneven cycles, per cycle and per cycle^2.
  [[nodiscard]] const Eigen::VectorXd & extra_step() const noexcept { return skew_rate_; }
  [[nodiscard]] const Eigen::VectorXd & extra_change() const noexcept { return skew_change_; }

  /// Distance of the command from the reference when it started to follow.
  [[nodiscard]] const Eigen::VectorXd & join_offset() const noexcept { return join_offset_; }

private:
  void compare(const Eigen::VectorXd & step, double cycles) noexcept;
  [[nodiscard]] double even_step(Eigen::Index i, double step, double cycles) const noexcept;
  void even_out(
    const Eigen::VectorXd & step, double cycles, const Eigen::VectorXd & coasted) noexcept;
  void compose() noexcept;
  void catch_up() noexcept;
  void clear_skew() noexcept;

  double ramp_cycles_;
  double catch_up_step_;  // 1 / time constant, in cycles
  Eigen::VectorXd tolerance_;
  Eigen::VectorXd command_;
  Eigen::VectorXd reference_;    // the last
  Eigen::VectorXd join_offset_;  // command - reference when the reference was taken up
  double joining_ = 0.0;         // from 1 to 0 while that decays
  Eigen::VectorXd advance_;      // of the reference in this cycle
  Eigen::VectorXd even_;         // its advance in the last even cycle, or the estimate of it
  Eigen::VectorXd differs_;      // way by the reference's velocities - its advance, fading
  Eigen::VectorXd moved_;        // that way
  Eigen::VectorXd skew_;         // command - reference, from uneven cycles
  Eigen::VectorXd skew_rate_;    // change of that in a cycle
  Eigen::VectorXd skew_change_;  // change of that by catching up
  bool skewed_ = false;          // whether there is any
};

}  // namespace dynid
