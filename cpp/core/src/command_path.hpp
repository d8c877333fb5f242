#pragma once

#include <Eigen/Core>

namespace dynid
{

/// The path of the command: the reference, or a smooth transition to it where it jumps or its
/// cycles are uneven. Vectors (n,) [rad or m]; for control cycles: no allocation, lock or
/// exception.
class CommandPath
{
public:
  /// `ramp_cycles` >= 1: duration of a transition to a reference. `tolerance` (n,): its longest
  /// distance.
  CommandPath(Eigen::Index drives, int ramp_cycles, Eigen::VectorXd tolerance);

  /// Stays at a position until there is a reference.
  void start(const Eigen::VectorXd & position) noexcept;

  /// Stays at a position until a reference is near again.
  void wait(const Eigen::VectorXd & position) noexcept
  {
    command_ = position;
    following_ = false;
  }

  /// One cycle with a finite reference. `step` (n,): its velocity times the cycle, used where the
  /// reference moves accordingly; may be any number. `cycles`: time since the last call. `jumped`:
  /// whether the reference jumped. `joins`: whether the command may start to follow it.
  void follow(
    const Eigen::VectorXd & reference, const Eigen::VectorXd & step, double cycles, bool jumped,
    bool joins = true) noexcept;

  /// Whether the command follows the reference.
  [[nodiscard]] bool following() const noexcept { return following_; }
  /// Whether it stopped following in this cycle because the distance would have become too large.
  [[nodiscard]] bool too_uneven() const noexcept { return too_uneven_; }
  [[nodiscard]] const Eigen::VectorXd & command() const noexcept { return command_; }
  /// Whether the command started to follow in this cycle, and its distance to the reference then.
  [[nodiscard]] bool joined() const noexcept { return joined_; }
  [[nodiscard]] const Eigen::VectorXd & join_offset() const noexcept { return join_offset_; }
  /// Whether a position is within the tolerance of the command.
  [[nodiscard]] bool near(const Eigen::VectorXd & position) const noexcept;

private:
  [[nodiscard]] double even_step(Eigen::Index i, double step, double cycles) const noexcept;
  void even_out(const Eigen::VectorXd & step, double cycles) noexcept;
  void catch_up() noexcept;
  void clear_skew() noexcept;

  double ramp_cycles_;
  Eigen::VectorXd tolerance_;
  bool following_ = false;
  bool joined_ = false;
  bool too_uneven_ = false;
  Eigen::VectorXd command_;
  Eigen::VectorXd reference_;    // the last
  Eigen::VectorXd join_offset_;  // command - reference when the reference was taken up
  double joining_ = 0.0;         // from 1 to 0 while that decays
  Eigen::VectorXd advance_;      // of the reference in this cycle
  Eigen::VectorXd even_;         // its advance in the last even cycle, or the estimate of it
  Eigen::VectorXd skew_;         // command - reference, from uneven cycles
  Eigen::VectorXd skew_rate_;    // change of that in a cycle
  bool skewed_ = false;          // whether there is any
};

}  // namespace dynid
