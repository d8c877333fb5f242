#pragma once

#include <Eigen/Core>

#include "dynid/command_limits.hpp"
#include "dynid/mechanism.hpp"

namespace dynid
{

/// The last stage before position commands leave: whatever it is given, the command is finite, its
/// change in a cycle is within velocity_max dt, the change of that within acceleration_max dt^2,
/// and it is within the position limits, before which it always keeps its stopping distance
///
///     s + (s - A) + (s - 2 A) + ... <= distance,   s: change in a cycle, A = acceleration_max
///     dt^2.
///
/// A command that keeps all this passes bit for bit. One that does not is pursued as the limits
/// allow, with half of the acceleration to spare, so that the command meets it without overshoot.
/// Where a drive is outside of its position limits, they are where it is until it is led back.
/// dt is the nominal cycle: drives take a command in every cycle of theirs, however late it comes.
///
/// Vectors (n,) [rad or m]; for control cycles: no allocation, lock or exception.
class CommandGuard
{
public:
  /// With limits that pass check() and are filled.
  CommandGuard(Eigen::Index drives, const CommandLimits & limits, double control_rate);

  /// Begins, at rest at a position; where that is not finite, at the command before.
  void start(const VectorIn & position) noexcept;

  /// One cycle towards what is wanted.
  void follow(const VectorIn & wanted) noexcept;

  /// One cycle of a stop: goes where it is wanted as far as that makes the motion slower. Without
  /// `gently`, by as much as it takes; with it, within acceleration_max.
  void brake(const VectorIn & wanted, bool gently) noexcept;

  /// Forgets the last cycle, in favour of another one that is to be commanded in its place.
  void undo() noexcept;

  [[nodiscard]] const Eigen::VectorXd & command() const noexcept { return command_; }
  /// Change of the command in the last cycle, and that in the one before.
  [[nodiscard]] const Eigen::VectorXd & step() const noexcept { return step_; }
  [[nodiscard]] const Eigen::VectorXd & step_before() const noexcept { return step_before_; }
  [[nodiscard]] bool at_rest() const noexcept { return step_.isZero(0.0); }

  /// Whether the last cycle's command is what was wanted.
  [[nodiscard]] bool passed() const noexcept { return passed_; }

  /// The first drive for which a position is beyond its limits, and further out than the command;
  /// -1 where there is none.
  [[nodiscard]] int beyond(const VectorIn & position) const noexcept;

private:
  [[nodiscard]] double allowed(Eigen::Index i, double step, bool any_braking) const noexcept;
  [[nodiscard]] double pursuit(Eigen::Index i, double wanted) const noexcept;
  void move(Eigen::Index i, double step, double wanted) noexcept;

  CommandLimits limits_;
  Eigen::VectorXd fastest_;  // change of the command in a cycle
  Eigen::VectorXd hardest_;  // change of that in a cycle
  Eigen::VectorXd command_;
  Eigen::VectorXd step_;
  Eigen::VectorXd wanted_;  // in the last cycle, within the position limits
  bool passed_ = true;
  Eigen::VectorXd before_;  // command_, step_ and wanted_ of the cycle before
  Eigen::VectorXd step_before_;
  Eigen::VectorXd wanted_before_;
};

}  // namespace dynid
