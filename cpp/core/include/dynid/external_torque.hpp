#pragma once

#include <Eigen/Core>

#include "dynid/momentum_observer.hpp"

namespace dynid
{

/// Standard deviations (n,) and correlations (n, n) of the torque that a MomentumObserver finds
/// without contact: errors of the model and noise of the sensors, behind the observer's low-pass.
///
/// With v the velocity, the standard deviation of a drive is sqrt(constant^2 + (per_speed v)^2).
/// While |v| <= low_speed, dry friction may have any value between those of the two directions, so
/// that friction / sqrt(3), of a uniform distribution, is added behind the same low-pass.
struct TorqueUncertainty
{
  Eigen::VectorXd constant;     ///< [N*m or N]
  Eigen::VectorXd per_speed;    ///< [N*m*s/rad or N*s/m]
  Eigen::VectorXd low_speed;    ///< [rad/s or m/s]
  Eigen::MatrixXd correlation;  ///< of the errors without that of friction at rest

  /// Throws std::invalid_argument, with a sentence for the user, where a value is invalid.
  void check(Eigen::Index drives) const;
};

/// The external torque with its covariance, by the momentum observer.
class ExternalTorqueObserver
{
public:
  /// gain [1/s] of the observer, at most control_rate [Hz]. Throws std::invalid_argument, with a
  /// sentence for the user.
  ExternalTorqueObserver(
    Eigen::Index drives, const TorqueUncertainty & uncertainty, double gain, double control_rate);

  // For control cycles: no allocation, lock or exception.

  /// Clears the state; the next cycle is the first.
  void restart() noexcept;

  /// One cycle: from measured motion and torque (n,). Where one is not finite, the observer
  /// restarts and the results are NaN.
  void update(
    ControlModel & model, const VectorIn & q, const VectorIn & dq, const VectorIn & tau) noexcept;

  // of the last cycle, on the side of the drives' commands
  [[nodiscard]] const Eigen::VectorXd & torque() const noexcept { return torque_; }  ///< (n,)
  [[nodiscard]] const Eigen::MatrixXd & covariance() const noexcept { return covariance_; }

  /// Position behind the same low-pass (n,) [rad or m]: where the robot was when the torque acted
  /// that torque() shows, up to first order in time.
  [[nodiscard]] const Eigen::VectorXd & position() const noexcept { return position_; }

private:
  TorqueUncertainty uncertainty_;
  MomentumObserver observer_;
  double kept_;  // share that the low-pass keeps in a cycle
  bool begun_ = false;
  Eigen::VectorXd torque_;
  Eigen::VectorXd position_;
  Eigen::MatrixXd covariance_;
  Eigen::VectorXd deviation_;
  Eigen::VectorXd friction_;
  Eigen::VectorXd at_rest_;  // standard deviation of friction at rest, behind the low-pass
};

}  // namespace dynid
