// dynid/IdentifiedSolver: a model.yaml behind the interface of inverse_dynamics_solver.

#include "identified_solver.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <pluginlib/class_loader.hpp>
#include <rclcpp/rclcpp.hpp>
#include <string>
#include <vector>

#include "planar_arm.hpp"

namespace
{

using dynid::IdentifiedSolver;
using Eigen::Vector2d;
using Eigen::VectorXd;
using Strings = std::vector<std::string>;

dynid::Mechanism identified_arm()
{
  const dynid::Mechanism mechanism(planar_arm(
    {joint_term("viscous", 0), joint_term("coulomb", 1), joint_term("rotor_inertia", 1)}));
  VectorXd parameters = mechanism.urdf_parameters();
  parameters.tail(3) << 0.7, 1.3, 0.2;
  return mechanism.with_parameters(parameters);
}

/// A node with the model as parameters below a prefix, as it has with a model.yaml.
rclcpp::Node::SharedPtr node_with_model(
  const std::string & prefix, const std::string & status = "success")
{
  const VectorXd parameters = identified_arm().parameters();
  const auto none = std::vector<double>{0.0, 0.0, 0.0};
  const std::vector<rclcpp::Parameter> model{
    {"model.format", 1},
    {"model.robot", "planar"},
    {"model.status", status},
    {"model.joints", Strings{"shoulder", "elbow"}},
    {"model.gravity", std::vector<double>{0.0, 0.0, -9.81}},
    {"model.coupling", std::vector<double>{1.0, 0.0, 0.0, 1.0}},
    {"model.terms.kinds", Strings{"viscous", "coulomb", "rotor_inertia"}},
    {"model.terms.joints", Strings{"shoulder", "elbow", "elbow"}},
    {"model.terms.sides", Strings{"joint", "joint", "joint"}},
    {"model.terms.smoothing", none},
    {"model.terms.scale", none},
    {"model.terms.dead_band", none},
    {"model.parameters", std::vector<double>(parameters.begin(), parameters.end())},
    {"model.urdf", planar_urdf}};
  rclcpp::NodeOptions options;
  options.automatically_declare_parameters_from_overrides(true);
  for (const auto & one : model) {
    options.append_parameter_override(prefix + one.get_name(), one.get_parameter_value());
  }
  return std::make_shared<rclcpp::Node>("solver_test", options);
}

class Solver : public testing::Test
{
protected:
  static void SetUpTestSuite() { rclcpp::init(0, nullptr); }
  static void TearDownTestSuite() { rclcpp::shutdown(); }
};

TEST_F(Solver, GivesTheTorqueOfTheModel)
{
  const auto mechanism = identified_arm();
  auto workspace = mechanism.workspace();
  for (const std::string prefix : {"", "solver."}) {
    IdentifiedSolver solver;
    solver.initialize(node_with_model(prefix)->get_node_parameters_interface(), "solver");
    double worst = 0.0;
    for (int k = 0; k < 100; ++k) {
      const Vector2d q = 3.0 * Vector2d::Random();
      const Vector2d dq = 2.0 * Vector2d::Random();
      const Vector2d ddq = 10.0 * Vector2d::Random();
      Vector2d tau;
      mechanism.inverse_dynamics(workspace, q, dq, ddq, tau);
      const auto [inertia, coriolis, gravity] = solver.getDynamicParameters(q, dq);
      const VectorXd friction = solver.getFrictionVector(dq);
      const VectorXd sum = inertia * ddq + coriolis + gravity + friction;
      const VectorXd two = solver.getTorques(q, dq, ddq) + friction;
      worst = std::max({worst, (sum - tau).norm() / tau.norm(), (two - tau).norm() / tau.norm()});
    }
    EXPECT_LT(worst, 1e-12);
    RecordProperty("largest_difference", std::to_string(worst));
    std::cout << "largest relative difference " << worst << "\n";
  }
}

TEST_F(Solver, RefusesAModelThatFailedOrIsAbsent)
{
  IdentifiedSolver solver;
  EXPECT_THROW(
    std::ignore = solver.getGravityVector(Vector2d::Zero()),
    inverse_dynamics_solver::UninitializedException);
  EXPECT_THROW(solver.initialize(), inverse_dynamics_solver::ParameterUninitializedException);
  EXPECT_THROW(
    solver.initialize(node_with_model("", "failed")->get_node_parameters_interface()),
    inverse_dynamics_solver::InvalidParameterValueException);
  EXPECT_THROW(
    std::ignore = solver.getGravityVector(Vector2d::Zero()),
    inverse_dynamics_solver::UninitializedException)
    << "and stays as it was";
}

TEST_F(Solver, IsLoadedByItsName)
{
  pluginlib::ClassLoader<inverse_dynamics_solver::InverseDynamicsSolver> loader(
    "inverse_dynamics_solver", "inverse_dynamics_solver::InverseDynamicsSolver");
  if (!loader.isClassAvailable("dynid/IdentifiedSolver")) {
    GTEST_SKIP() << "dynid is not installed where ROS 2 looks for packages";
  }
  const auto solver = loader.createSharedInstance("dynid/IdentifiedSolver");
  solver->initialize(node_with_model("")->get_node_parameters_interface());
  IdentifiedSolver direct;
  direct.initialize(node_with_model("")->get_node_parameters_interface());
  const Vector2d q(0.3, -0.8);
  EXPECT_EQ(solver->getGravityVector(q), direct.getGravityVector(q));
}

TEST_F(Solver, RefusesAVectorOfAnotherSize)
{
  IdentifiedSolver solver;
  solver.initialize(node_with_model("")->get_node_parameters_interface());
  EXPECT_THROW(std::ignore = solver.getGravityVector(VectorXd::Zero(3)), std::invalid_argument);
}

}  // namespace
