#include "identified_solver.hpp"

#include <pluginlib/class_list_macros.hpp>
#include <rclcpp/parameter.hpp>
#include <stdexcept>
#include <vector>

#include "model_parameters.hpp"

namespace dynid
{
namespace
{

/// The parameters model.… below a prefix, without it.
ModelParameters find_model(
  const rclcpp::node_interfaces::NodeParametersInterface & node, const std::string & prefix)
{
  ModelParameters found;
  const auto names = node.list_parameters({prefix + "model"}, 0).names;
  for (const auto & parameter : node.get_parameters(names)) {
    found[parameter.get_name().substr(prefix.size())] = parameter.get_parameter_value();
  }
  return found;
}

StoredModel read(const ModelParameters & parameters)
{
  const auto joints = parameters.find("model.joints");
  const bool listed = joints != parameters.end() &&
                      joints->second.get_type() == rclcpp::ParameterType::PARAMETER_STRING_ARRAY;
  if (!listed) {
    throw std::invalid_argument("The parameter 'model.joints' is not a list of names.");
  }
  return read_model(parameters, joints->second.get<std::vector<std::string>>(), false);
}

}  // namespace

void IdentifiedSolver::initialize(
  Parameters parameters, const std::string & param_namespace, const std::string &)
{
  parts_.reset();
  ModelParameters model;
  if (parameters) {
    model = find_model(*parameters, param_namespace.empty() ? "" : param_namespace + ".");
    if (model.empty()) {
      model = find_model(*parameters, "");
    }
  }
  if (model.empty()) {
    throw inverse_dynamics_solver::ParameterUninitializedException(
      "'model.…': load a model.yaml of dynid as parameters of this node");
  }
  try {
    parts_ = std::make_unique<DynamicsParts>(read(model).mechanism);
  } catch (const std::invalid_argument & error) {
    throw inverse_dynamics_solver::InvalidParameterValueException(error.what());
  }
}

const DynamicsParts & IdentifiedSolver::parts() const
{
  if (!parts_) {
    throw inverse_dynamics_solver::UninitializedException();
  }
  return *parts_;
}

Eigen::MatrixXd IdentifiedSolver::getInertiaMatrix(const Vector & q) const
{
  return parts().inertia(q);
}
Eigen::VectorXd IdentifiedSolver::getCoriolisVector(const Vector & q, const Vector & dq) const
{
  return parts().coriolis(q, dq);
}
Eigen::VectorXd IdentifiedSolver::getGravityVector(const Vector & q) const
{
  return parts().gravity(q);
}
Eigen::VectorXd IdentifiedSolver::getFrictionVector(const Vector & dq) const
{
  return parts().friction(dq);
}
Eigen::VectorXd IdentifiedSolver::getTorques(
  const Vector & q, const Vector & dq, const Vector & ddq) const
{
  return parts().torque(q, dq, ddq);
}

}  // namespace dynid

PLUGINLIB_EXPORT_CLASS(dynid::IdentifiedSolver, inverse_dynamics_solver::InverseDynamicsSolver)
