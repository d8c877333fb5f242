#pragma once

#include <inverse_dynamics_solver/exceptions.h>
#include <inverse_dynamics_solver/inverse_dynamics_solver.h>

#include <memory>
#include <string>

#include "dynid/dynamics_parts.hpp"

namespace dynid
{

/// An identified model for software that loads plugins of inverse_dynamics_solver. User
/// documentation: docs/ros2.md.
class IdentifiedSolver : public inverse_dynamics_solver::InverseDynamicsSolver
{
public:
  using Parameters = rclcpp::node_interfaces::NodeParametersInterface::ConstSharedPtr;
  using Vector = Eigen::VectorXd;

  /// Reads the parameters `<param_namespace>.model.…`, or `model.…` where there are none: those of
  /// a model.yaml, which has its own URDF, so `robot_description` is not used. Throws
  /// InvalidParameterValueException or ParameterUninitializedException, with a sentence for the
  /// user.
  void initialize(
    Parameters parameters = nullptr, const std::string & param_namespace = "",
    const std::string & robot_description = "") override;

  // They throw UninitializedException before initialize(), and std::invalid_argument for a vector
  // of another size than the joints of model.yaml have.
  Eigen::MatrixXd getInertiaMatrix(const Vector & q) const override;
  Vector getCoriolisVector(const Vector & q, const Vector & dq) const override;
  Vector getGravityVector(const Vector & q) const override;
  Vector getFrictionVector(const Vector & dq) const override;
  Vector getTorques(const Vector & q, const Vector & dq, const Vector & ddq) const override;

private:
  [[nodiscard]] const DynamicsParts & parts() const;

  std::unique_ptr<DynamicsParts> parts_;
};

}  // namespace dynid
