#pragma once

#include <Eigen/Core>

#include "dynid/command_limits.hpp"
#include "dynid/mechanism.hpp"

namespace dynid
{

/// The last stage of position commands: for any input, the command is finite, its change in a cycle
/// is within velocity_max dt, the change of that within acceleration_max dt^2, and it is within the
/// position limits, to which it always keeps its stopping distance
///
///     s + (s - A) + (s - 2 A) + ... <= distance,   s: change in a cycle, A = acceleration_max
///     dt^2.
///
/// An input that meets all this passes unchanged, bit for bit. Any other is approached within the
/// limits, with half of the acceleration in reserve, so that the command reaches it without
/// overshoot. Where a drive starts outside its position limits, it may move back but not further
/// out. dt is the nominal cycle, because drives take one command in each cycle of theirs.
///
/// Vectors (n,) [rad or m]; for control cycles: no allocation, lock or exception.
class CommandGuard
{
public:
  /// With limits that pass check() and are filled.
  CommandGuard(Eigen::Index drives, const CommandLimits & limits, double control_rate);

  /// Starts at rest at a position; at the previous command where the position is not finite.
  void start(const VectorIn & position) noexcept;

  /// One cycle towards the wanted position.
  void follow(const Eigen::VectorXd & wanted) noexcept;

  /// One cycle of a stop: moves towards the input as far as that makes the motion slower. Without
  /// `limited` with any deceleration, otherwise within acceleration_max.
  void brake(const Eigen::VectorXd & wanted, bool limited) noexcept;

  /// Cycles in which the drives moved on by themselves, with the last step and within the limits.
  void coast(int cycles) noexcept;

  /// Undoes the last cycle, so that another one can replace it.
  void undo() noexcept;

  [[nodiscard]] const Eigen::VectorXd & command() const noexcept { return command_; }
  /// Change of the command in the last cycle, and that in the one before.
  [[nodiscard]] const Eigen::VectorXd & step() const noexcept { return step_; }
  [[nodiscard]] const Eigen::VectorXd & step_before() const noexcept { return step_before_; }
  [[nodiscard]] bool at_rest() const noexcept { return step_.isZero(0.0); }

  /// Whether the last cycle's command equals its input.
  [[nodiscard]] bool passed() const noexcept { return passed_; }

  /// The first drive for which a position is beyond its limits, and further out than the command;
  /// -1 where there is none.
  [[nodiscard]] int beyond(const Eigen::VectorXd & position) const noexcept;

private:
  [[nodiscard]] double allowed(Eigen::Index i, double step, bool any_braking) const noexcept;
  [[nodiscard]] double pursuit(Eigen::Index i, double wanted) const noexcept;
  [[nodiscard]] bool passes(Eigen::Index i, double wanted) const noexcept;
  void approach(Eigen::Index i, double wanted) noexcept;
  void keep(Eigen::Index i) noexcept;
  [[nodiscard]] bool seems(
    Eigen::Index i, double step, double direct, double wanted) const noexcept;
  void move(Eigen::Index i, double step, double wanted) noexcept;

  CommandLimits limits_;
  Eigen::VectorXd fastest_;  // largest change of the command in a cycle
  Eigen::VectorXd hardest_;  // largest change of that in a cycle
  Eigen::VectorXd command_;
  Eigen::VectorXd step_;
  Eigen::VectorXd wanted_;  // in the last cycle, within the position limits
  bool passed_ = true;
  Eigen::VectorXd before_;  // command_, step_ and wanted_ of the cycle before
  Eigen::VectorXd step_before_;
  Eigen::VectorXd wanted_before_;
};

}  // namespace dynid
