#pragma once

#include <Eigen/Core>

#include "dynid/mechanism.hpp"

namespace dynid
{

/// A mechanism's parameters, those of dissipative terms replaced by 0.
[[nodiscard]] Eigen::VectorXd frictionless_parameters(const Mechanism & mechanism);

/// The parts of an open chain's torque, as other software takes them:
///
///     tau = inertia(q) ddq + coriolis(q, dq) + gravity(q) + friction(dq).
///
/// Springs and constant torques belong to gravity(), rotor inertias to inertia(). Functions
/// allocate; only one thread may use an object at a time. Vectors (n,) [rad or m; N*m or N]; they
/// throw std::invalid_argument, with a sentence for the user, where one has another size.
class DynamicsParts
{
public:
  /// Throws std::invalid_argument, with a sentence for the user, for a closed chain, where friction
  /// depends on more than the velocity, or where the parameters are not those of rigid bodies.
  explicit DynamicsParts(Mechanism mechanism);

  [[nodiscard]] Eigen::Index joint_count() const noexcept { return mechanism_.joint_count(); }
  [[nodiscard]] Eigen::MatrixXd inertia(const VectorIn & q) const;
  [[nodiscard]] Eigen::VectorXd coriolis(const VectorIn & q, const VectorIn & dq) const;
  [[nodiscard]] Eigen::VectorXd gravity(const VectorIn & q) const;
  [[nodiscard]] Eigen::VectorXd friction(const VectorIn & dq) const;

  /// The whole torque without friction.
  [[nodiscard]] Eigen::VectorXd torque(
    const VectorIn & q, const VectorIn & dq, const VectorIn & ddq) const;

private:
  [[nodiscard]] Eigen::VectorXd evaluate(
    const VectorIn & q, const VectorIn & dq, const VectorIn & ddq,
    const Eigen::VectorXd & parameters) const;

  Mechanism mechanism_;
  mutable Workspace workspace_;
  Eigen::VectorXd frictionless_;
  Eigen::VectorXd friction_;  // parameters of dissipative terms, all others are 0
  Eigen::VectorXd zero_;
};

}  // namespace dynid
