#pragma once

#include <Eigen/Core>

#include "dynid/drive_clock.hpp"

namespace dynid
{

/// Converts targets at the times of a controller manager, which wakes late and skips cycles, to
/// targets at even times for a plant, half a cycle later. It interpolates linearly between two
/// targets. Where the next is late it extrapolates, and then reduces the difference smoothly.
///
/// Time is in cycles of the plant. Everything but the constructor is for control cycles: no
/// allocation or exception.
class TargetLine
{
public:
  static constexpr double longest_period = 100.0;  ///< cycles; the rest of a longer one is skipped

  explicit TargetLine(Eigen::Index joints);

  /// Restarts at a position (n,).
  void rest_at(const Eigen::VectorXd & position) noexcept;

  /// Advances by the time since the last targets; call it before give(). `even`: whether the next
  /// targets are for the drives' own cycles, as those of a ControlLaw; otherwise for this instant,
  /// as those of a trajectory controller. Returns the drives' own cycles in that time.
  int pass(double cycles, bool even) noexcept;

  /// Whether another cycle is due, besides the one that runs when the next targets arrive.
  [[nodiscard]] bool overdue() const noexcept { return lag_ + period_ >= 2.0; }

  /// Targets (n,) of this instant.
  void give(const Eigen::VectorXd & target) noexcept;

  /// Whether another cycle is due.
  [[nodiscard]] bool due() const noexcept { return lag_ >= 1.0; }

  /// The target (n,) of the next cycle.
  [[nodiscard]] const Eigen::VectorXd & next() noexcept;

private:
  DriveClock clock_;
  bool replaces_ = false;  // the next targets are for the same cycle as the last
  double period_ = 1.0;    // since the last targets
  double lag_ = 0.0;       // of the plant behind the last targets
  Eigen::VectorXd last_;
  Eigen::VectorXd slope_;       // per cycle
  Eigen::VectorXd correction_;  // decays to 0
  Eigen::VectorXd next_;
};

}  // namespace dynid
