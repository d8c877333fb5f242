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

  /// Stays where it is until a reference is near again.
  void wait() noexcept { following_ = false; }

  /// One cycle with a finite reference, `step` (n,) being the way that its velocity goes in a
  /// cycle. `cycles`: time since the last one. `jumped`: whether the reference did.
  void follow(
    const VectorIn & reference, const VectorIn & step, double cycles, bool jumped) noexcept;

  /// Whether the command goes with the reference.
  [[nodiscard]] bool following() const noexcept { return following_; }
  [[nodiscard]] const Eigen::VectorXd & command() const noexcept { return command_; }
  /// Whether a reference was taken up in this cycle, and how far from the command it was then.
  [[nodiscard]] bool joined() const noexcept { return joined_; }
  [[nodiscard]] const Eigen::VectorXd & beside() const noexcept { return beside_; }
  /// Whether a position is within the tolerance of the command.
  [[nodiscard]] bool near(const VectorIn & position) const noexcept;

private:
  void even_out(const VectorIn & step) noexcept;
  void make_up() noexcept;
  void forget_skew() noexcept;

  double ramp_cycles_;
  Eigen::VectorXd tolerance_;
  bool following_ = false;
  bool joined_ = false;
  Eigen::VectorXd command_;
  Eigen::VectorXd reference_;  // the last
  Eigen::VectorXd beside_;     // command - reference when the reference was taken up
  double joining_ = 0.0;       // from 1 to 0 while that vanishes
  Eigen::VectorXd advance_;    // of the reference in this cycle
  Eigen::VectorXd skew_;       // command - reference, from uneven cycles
  Eigen::VectorXd skew_rate_;  // change of that in a cycle
  bool skewed_ = false;        // whether there is any
};

}  // namespace dynid
