#pragma once

#include <Eigen/Core>

#include "dynid/mechanism.hpp"

namespace dynid
{

/// What the drives are commanded: the reference, and where that is somewhere else or comes
/// unevenly, a smooth way to it. Vectors (n,) [rad or m]; for control cycles: no allocation, lock
/// or exception.
class CommandPath
{
public:
  /// `ramp_cycles` >= 1: in which the command gets to a reference elsewhere. `tolerance` (n,): how
  /// far away that may be.
  CommandPath(Eigen::Index drives, int ramp_cycles, Eigen::VectorXd tolerance);

  /// Stays at a position until there is a reference.
  void start(const VectorIn & position) noexcept;

  /// Stays at a position until a reference is near again.
  void wait(const VectorIn & position) noexcept
  {
    command_ = position;
    following_ = false;
  }

  /// One cycle with a finite reference, `step` (n,) being the way that its velocity goes in a
  /// cycle: any number, it is believed where the reference goes that way. `cycles`: time since the
  /// last one. `jumped`: whether the reference did. `joins`: whether it may be taken up.
  void follow(
    const VectorIn & reference, const VectorIn & step, double cycles, bool jumped,
    bool joins = true) noexcept;

  /// Whether the command goes with the reference.
  [[nodiscard]] bool following() const noexcept { return following_; }
  /// Whether it ceased to in this cycle because the command would have got too far from it.
  [[nodiscard]] bool too_uneven() const noexcept { return too_uneven_; }
  [[nodiscard]] const Eigen::VectorXd & command() const noexcept { return command_; }
  /// Whether a reference was taken up in this cycle, and how far from the command it was then.
  [[nodiscard]] bool joined() const noexcept { return joined_; }
  [[nodiscard]] const Eigen::VectorXd & beside() const noexcept { return beside_; }
  /// Whether a position is within the tolerance of the command.
  [[nodiscard]] bool near(const VectorIn & position) const noexcept;

private:
  [[nodiscard]] double even_step(Eigen::Index i, double step, double cycles) const noexcept;
  void even_out(const VectorIn & step, double cycles) noexcept;
  void make_up() noexcept;
  void forget_skew() noexcept;

  double ramp_cycles_;
  Eigen::VectorXd tolerance_;
  bool following_ = false;
  bool joined_ = false;
  bool too_uneven_ = false;
  Eigen::VectorXd command_;
  Eigen::VectorXd reference_;  // the last
  Eigen::VectorXd beside_;     // command - reference when the reference was taken up
  double joining_ = 0.0;       // from 1 to 0 while that vanishes
  Eigen::VectorXd advance_;    // of the reference in this cycle
  Eigen::VectorXd even_;       // its advance in the last even cycle, or what was taken for it
  Eigen::VectorXd skew_;       // command - reference, from uneven cycles
  Eigen::VectorXd skew_rate_;  // change of that in a cycle
  bool skewed_ = false;        // whether there is any
};

}  // namespace dynid
