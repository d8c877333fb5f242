#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "dynid/control_model.hpp"

namespace dynid
{

/// The mass matrix at the drives, one torque of the model in each cycle, and what follows from it.
/// Without a model, or where its mass matrix is not positive definite, given weights replace it.
/// Vectors (n,); for control cycles: no allocation, lock or exception.
class DriveInertia
{
public:
  /// Weights of squared speeds without a mass matrix, and the limits of torque.
  DriveInertia(const Eigen::VectorXd & weights, const Eigen::VectorXd & torque_max);

  /// Computes the matrix at a position, without a model (nullptr) nothing.
  void start(ControlModel * model, const VectorIn & position) noexcept;

  /// Begins a new matrix with the next cycle; the last one stays until it is complete.
  void restart() noexcept { next_ = 0; }

  /// Half a column at a position on the commanded motion, whose state of friction it shares.
  void update(ControlModel * model, const VectorIn & position) noexcept;

  [[nodiscard]] bool known() const noexcept { return known_; }
  /// Of a drive whose neighbours are at rest [kg m^2 or kg]; valid while known().
  [[nodiscard]] double of(Eigen::Index drive) const noexcept { return mass_(drive, drive); }

  /// Largest acceleration (n,) that torques within their limits can cause, against as much gravity
  /// and friction [rad/s^2 or m/s^2]; infinity unless known().
  [[nodiscard]] const Eigen::VectorXd & acceleration_max() const noexcept { return most_; }

  /// sqrt(dq^T M dq): a speed of the whole robot that braking never makes larger, while a joint's
  /// own speed can grow by the coupling of the bodies.
  [[nodiscard]] double norm(const Eigen::VectorXd & velocity) const noexcept;

private:
  void invert() noexcept;

  Eigen::VectorXd weights_;
  Eigen::VectorXd torque_max_;
  Eigen::MatrixXd columns_;  // as computed so far
  Eigen::MatrixXd mass_;
  Eigen::MatrixXd inverse_;
  Eigen::LLT<Eigen::MatrixXd> factor_;
  Eigen::VectorXd most_;
  Eigen::VectorXd acceleration_;
  Eigen::VectorXd torque_;
  Eigen::VectorXd zero_;
  Eigen::Index next_ = 0;  // half column
  bool known_ = false;
};

}  // namespace dynid
