#pragma once

#include <Eigen/Core>

namespace dynid
{

/// Targets come at the instants of a controller manager, which wakes late and skips cycles; a plant
/// wants them at even ones, half a cycle behind. Between two targets lies a straight line. Where
/// the next is late the line goes on, and when it comes the plant is led over to it softly.
///
/// Time is in cycles of the plant. Everything but the constructor is for control cycles: no
/// allocation or exception.
class TargetLine
{
public:
  explicit TargetLine(Eigen::Index joints);

  /// Begins anew at a position (n,).
  void rest_at(const Eigen::VectorXd & position) noexcept;

  /// So much time has passed since the last targets, and the next are about to be given.
  void pass(double cycles) noexcept;

  /// Whether another cycle is due, beyond the one that is run when the next targets are there.
  [[nodiscard]] bool overdue() const noexcept { return lag_ + period_ >= 2.0; }

  /// Targets (n,) of this instant.
  void give(const Eigen::VectorXd & target) noexcept;

  /// Whether another cycle is due.
  [[nodiscard]] bool due() const noexcept { return lag_ >= 1.0; }

  /// The target (n,) of the next cycle.
  [[nodiscard]] const Eigen::VectorXd & next() noexcept;

private:
  double period_ = 1.0;  // since the last targets
  double lag_ = 0.0;     // of the plant behind the last targets
  Eigen::VectorXd last_;
  Eigen::VectorXd slope_;       // per cycle
  Eigen::VectorXd correction_;  // that fades away
  Eigen::VectorXd next_;
};

}  // namespace dynid
