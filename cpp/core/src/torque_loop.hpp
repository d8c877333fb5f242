#pragma once

#include <Eigen/Core>

#include "dynid/torque_law.hpp"

namespace dynid
{

/// The control loops of a TorqueLaw and the limits of its command. Vectors (n,); for control
/// cycles: no allocation, lock or exception.
class TorqueLoop
{
public:
  /// With settings that pass check().
  explicit TorqueLoop(const TorqueLawSettings & settings);

  /// Begins at a finite torque, within torque_max, without control errors.
  void start(const VectorIn & torque) noexcept;

  /// Forgets past control errors, and keeps the command.
  void relax() noexcept { integral_.setZero(); }

  /// One cycle of the loops around a finite torque of the model, towards a position and velocity
  /// (2 n). A drive whose position or velocity is not finite has no control error.
  void follow(const VectorIn & model, const VectorIn & target, const Feedback & feedback) noexcept;

  /// One cycle with a damping torque around a finite holding torque; none where the velocity is not
  /// finite.
  void damp(const VectorIn & holding, const VectorIn & velocity) noexcept;

  /// One cycle of a finite torque.
  void exert(const VectorIn & torque) noexcept;

  [[nodiscard]] const Eigen::VectorXd & command() const noexcept { return command_; }

private:
  double send(Eigen::Index i, double demand) noexcept;

  double period_;  // [s]
  Eigen::VectorXd stiffness_;
  Eigen::VectorXd damping_;
  Eigen::VectorXd integral_gain_;
  Eigen::VectorXd integral_max_;
  Eigen::VectorXd stop_damping_;
  Eigen::VectorXd torque_max_;
  Eigen::VectorXd largest_step_;  // of the command in a cycle
  Eigen::VectorXd integral_;      // torque
  Eigen::VectorXd command_;
};

}  // namespace dynid
