#pragma once

#include <Eigen/Core>

namespace dynid
{

/// Limits of a position command, (n,) each; empty or infinite: no limit.
struct CommandLimits
{
  Eigen::VectorXd position_min;      ///< [rad or m]
  Eigen::VectorXd position_max;      ///< [rad or m]
  Eigen::VectorXd velocity_max;      ///< [rad/s or m/s]
  Eigen::VectorXd acceleration_max;  ///< [rad/s^2 or m/s^2]

  /// Replaces each empty vector by n infinite limits.
  void fill(Eigen::Index drives);

  /// Throws std::invalid_argument, with a sentence for the user, where a value is invalid.
  void check(Eigen::Index drives) const;
};

}  // namespace dynid
