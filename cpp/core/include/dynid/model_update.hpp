#pragma once

#include <Eigen/Core>
#include <memory>
#include <vector>

#include "dynid/control_model.hpp"

namespace dynid
{

/// Parameters (p,) of a mechanism, found while the robot works, with their covariance (p, p).
struct ModelUpdate
{
  Eigen::VectorXd parameters;
  Eigen::MatrixXd covariance;
};

/// What may change while a robot works: the body that it carries, and its friction.
struct PlausibleChange
{
  double payload = 2.0;   ///< standard deviation of the mass carried [kg]
  double friction = 0.2;  ///< that of friction, springs and constant torques, over their value

  /// Throws std::invalid_argument, with a sentence for the user, where a value is invalid.
  void check() const;
};

/// Standard deviations (p,) by which a mechanism's parameters may change: `change`, and 1 % of
/// every body and rotor inertia. A term whose parameter is 0 does not change.
[[nodiscard]] Eigen::VectorXd plausible_deviations(
  const Mechanism & mechanism, const PlausibleChange & change);

/// The states at which the torques of two models are compared: within these limits (n,) each, all
/// finite, at the side of the commands [rad or m, per s, per s^2].
struct WorkspaceLimits
{
  Eigen::VectorXd position_min;
  Eigen::VectorXd position_max;
  Eigen::VectorXd velocity;
  Eigen::VectorXd acceleration;

  /// Throws std::invalid_argument, with a sentence for the user, where a value is invalid.
  void check(Eigen::Index drives) const;
};

struct ModelUpdateLimits
{
  double deviations = 3.0;            ///< k: standard deviations from the accepted model
  PlausibleChange change;             ///< in which these are
  Eigen::VectorXd torque_difference;  ///< of the updated and the accepted model (n,) [N*m or N]
  WorkspaceLimits workspace;

  /// Throws std::invalid_argument, with a sentence for the user, where a value is invalid.
  void check(Eigen::Index drives) const;
};

/// Decides outside the control cycle whether an update may be used in place of the accepted model.
///
/// With D the diagonal matrix of squared plausible_deviations(), P the update's covariance and x
/// its difference to the accepted parameters, an update must satisfy all of:
/// - values are finite, P is a covariance, and the parameters are physically consistent;
/// - |x_i| <= k sqrt((D + P)_ii) for each parameter, and x^T (D + P)^-1 x is at most the quantile
///   of the chi-squared distribution that a normal variable exceeds k standard deviations as
///   rarely as (approximation of Wilson and Hilferty, PNAS 1931);
/// - at each of a fixed set of states of the workspace, with W the regressor, the torque difference
///   plus k sqrt(diag(W P W^T)) is at most `torque_difference`. So a large P helps no update.
class ModelUpdateCheck
{
public:
  /// Arguments as those of ControlModel, of the accepted model. Throws std::invalid_argument with a
  /// sentence for the user.
  ModelUpdateCheck(
    MechanismDescription description, const VectorIn & parameters, const VectorIn & smoothing,
    bool motor_side, ModelUpdateLimits limits);

  /// The model of an update for control cycles. Throws std::invalid_argument, with a sentence for
  /// the user, where it must not be used.
  [[nodiscard]] std::unique_ptr<ControlModel> checked(const ModelUpdate & update);

  [[nodiscard]] const Mechanism & accepted() const noexcept { return mechanism_; }

private:
  struct State
  {
    Eigen::VectorXd q;
    Eigen::VectorXd dq;
    Eigen::VectorXd ddq;
    Eigen::VectorXd torque;  // of the accepted model (n,)
    RowMajorMatrix rows;     // its regressor at the side of the commands (n, p)
  };

  void make_states();
  void check_values(const ModelUpdate & update) const;
  void check_deviations(const ModelUpdate & update) const;
  void check_torque(const ModelUpdate & update, ControlModel & model) const;

  MechanismDescription description_;
  Mechanism mechanism_;
  Eigen::VectorXd smoothing_;
  bool motor_side_;
  ModelUpdateLimits limits_;
  Eigen::VectorXd variance_;  // plausible (p,)
  std::vector<State> states_;
};

}  // namespace dynid
