// Mechanisms with closed loops: the functions of a control cycle, and their results where the loops
// cannot be closed.

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "allocation_checks.hpp"
#include "control_under_test.hpp"
#include "dynid/batch.hpp"
#include "dynid/mechanism.hpp"
#include "refusals.hpp"

namespace
{

/// A crank of 0.2 m that lifts a slide of 3 kg by a rod: q_slide = 0.2 sin q + sqrt(l^2 - 0.04
/// cos^2).
const char * const press_urdf = R"(
<robot name="press">
  <link name="base"/>
  <link name="crank"><inertial><origin xyz=".1 0 0"/><mass value="2"/>
    <inertia ixx=".01" iyy=".02" izz=".02" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="rod"><inertial><origin xyz=".2 0 0"/><mass value="1"/>
    <inertia ixx=".001" iyy=".02" izz=".02" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="slide"><inertial><mass value="3"/>
    <inertia ixx=".01" iyy=".01" izz=".01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="drive" type="continuous"><parent link="base"/><child link="crank"/>
    <axis xyz="0 -1 0"/></joint>
  <joint name="pin" type="continuous"><parent link="crank"/><child link="rod"/>
    <origin xyz=".2 0 0"/><axis xyz="0 -1 0"/></joint>
  <joint name="guide" type="prismatic"><parent link="base"/><child link="slide"/>
    <axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
</robot>)";

dynid::LoopClosure joined(dynid::ClosureKind kind, double rod)
{
  dynid::LoopClosure closure;
  closure.kind = kind;
  closure.link_a = "rod";
  closure.link_b = "slide";
  closure.point_a = Eigen::Vector3d(rod, 0, 0);
  closure.axis_a = Eigen::Vector3d(0, 1, 0);
  closure.axis_b = Eigen::Vector3d(0, 2, 0);
  return closure;
}

dynid::MechanismDescription press(dynid::ClosureKind kind, double rod)
{
  dynid::MechanismDescription description;
  description.urdf_xml = press_urdf;
  description.joints = {"drive"};
  description.chain.passive = {"pin", "guide"};
  description.chain.start = {{"pin", 2.0}, {"guide", rod}};
  description.chain.closures = {joined(kind, rod)};
  description.payload_joint = "guide";
  description.terms = {
    {&dynid::term_kind("viscous"), 0}, {&dynid::term_kind("spring_stiffness"), 2}};
  return description;
}

/// Without the rod's body, only with its length.
dynid::MechanismDescription press_without_rod()
{
  auto description = press(dynid::ClosureKind::distance, 0.4);
  auto & closure = description.chain.closures.front();
  description.chain.passive = {"guide"};
  description.locked = {{"pin", 0.0}};
  description.terms.clear();
  closure.link_a = "crank";
  closure.point_a = Eigen::Vector3d(0.2, 0, 0);
  closure.length = 0.4;
  return description;
}

/// Two cranks on one base, 0.4 m apart, whose rods meet: two degrees of freedom in the plane.
const char * const five_bar_urdf = R"(
<robot name="five_bar">
  <link name="base"/>
  <link name="left_crank"><inertial><origin xyz=".1 0 0"/><mass value="2"/>
    <inertia ixx=".01" iyy=".02" izz=".02" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="right_crank"><inertial><origin xyz=".12 0 0"/><mass value="1.5"/>
    <inertia ixx=".01" iyy=".015" izz=".015" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="left_rod"><inertial><origin xyz=".25 0 0.02"/><mass value="1"/>
    <inertia ixx=".001" iyy=".02" izz=".02" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="right_rod"><inertial><origin xyz=".2 0 0"/><mass value=".8"/>
    <inertia ixx=".001" iyy=".012" izz=".012" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="left" type="continuous"><parent link="base"/><child link="left_crank"/>
    <origin xyz="-.2 0 0"/><axis xyz="0 -1 0"/></joint>
  <joint name="right" type="continuous"><parent link="base"/><child link="right_crank"/>
    <origin xyz=".2 0 0"/><axis xyz="0 -1 0"/></joint>
  <joint name="left_pin" type="continuous"><parent link="left_crank"/><child link="left_rod"/>
    <origin xyz=".3 0 0"/><axis xyz="0 -1 0"/></joint>
  <joint name="right_pin" type="continuous"><parent link="right_crank"/><child link="right_rod"/>
    <origin xyz=".3 0 0"/><axis xyz="0 -1 0"/></joint>
</robot>)";

const Eigen::Vector2d assembled{1.9, 1.2};

/// Without what moves its pins.
dynid::MechanismDescription open_five_bar()
{
  dynid::MechanismDescription description;
  description.urdf_xml = five_bar_urdf;
  description.joints = {"left", "right"};
  description.chain.passive = {"left_pin", "right_pin"};
  description.chain.assembled_at = {assembled[0], assembled[1]};
  description.chain.start = {{"left_pin", -1.0}, {"right_pin", 1.0}};
  return description;
}

dynid::Mechanism five_bar()
{
  auto description = open_five_bar();
  dynid::LoopClosure closure;
  closure.kind = dynid::ClosureKind::point;
  closure.link_a = "left_rod";
  closure.link_b = "right_rod";
  closure.point_a = closure.point_b = Eigen::Vector3d(0.5, 0, 0);
  description.chain.closures = {closure};
  description.payload_joint = "right_pin";
  description.terms = {
    {&dynid::term_kind("viscous"), 2},
    {&dynid::term_kind("rotor_inertia"), 1},
    {&dynid::term_kind("presliding"), 3}};
  description.terms[2].scale = 0.2;
  const dynid::Mechanism plain(description);
  Eigen::VectorXd parameters = plain.urdf_parameters();
  parameters.tail(3) << 0.7, 0.4, 1.1;
  return plain.with_parameters(parameters);
}

double height(double q, double rod)
{
  return 0.2 * std::sin(q) + std::sqrt(rod * rod - 0.04 * std::cos(q) * std::cos(q));
}

TEST(ClosedChain, PassiveJointsAndGravityAreThoseOfTheGeometry)
{
  for (const auto kind : {dynid::ClosureKind::point, dynid::ClosureKind::revolute}) {
    const dynid::Mechanism mechanism(press(kind, 0.4));
    auto workspace = mechanism.workspace();
    Eigen::VectorXd all(3);
    double worst = 0.0;
    for (double q = -7.0; q < 7.0; q += 0.3) {
      mechanism.spread(workspace, one(q), all);
      worst = std::max(worst, std::abs(all[2] - height(q, 0.4)));
    }
    EXPECT_LT(worst, 1e-12) << "passive joints are those of the geometry over several turns";
    Eigen::VectorXd tau(1);
    mechanism.gravity_torque(workspace, one(0.7), tau);
    const double step = 1e-6;
    const auto potential = [&](double q) {
      mechanism.spread(workspace, one(q), all);
      const double rod_angle = q + all[1];
      return 9.81 *
             (2 * 0.1 * std::sin(q) + 0.2 * std::sin(q) + 0.2 * std::sin(rod_angle) + 3 * all[2]);
    };
    const double expected = (potential(0.7 + step) - potential(0.7 - step)) / (2 * step);
    EXPECT_NEAR(tau[0], expected, 1e-7) << "gravity torque is the gradient of the potential";
  }
}

TEST(ClosedChain, ARodWithoutMassKeepsItsLength)
{
  const dynid::Mechanism mechanism(press_without_rod());
  auto workspace = mechanism.workspace();
  Eigen::VectorXd all(2);
  mechanism.spread(workspace, one(0.4), all);
  EXPECT_NEAR(all[1], height(0.4, 0.4), 1e-12) << "a distance is kept";
  Eigen::VectorXd fast(1);
  Eigen::VectorXd slow(1);
  // dT/dt = tau dq without gravity, by finite differences of the kinetic energy
  const double dq = 1.3;
  const double ddq = -0.8;
  dynid::RowMajorMatrix mass(1, 1);
  const auto energy = [&](double time) {
    mechanism.mass_matrix(workspace, one(0.4 + dq * time + ddq * time * time / 2), mass);
    const double velocity = dq + ddq * time;
    return mass(0, 0) * velocity * velocity / 2;
  };
  mechanism.inverse_dynamics(workspace, one(0.4), one(dq), one(ddq), fast);
  mechanism.gravity_torque(workspace, one(0.4), slow);
  const double power = (energy(1e-5) - energy(-1e-5)) / 2e-5;
  EXPECT_NEAR((fast[0] - slow[0]) * dq, power, 1e-6)
    << "and its power is the rate of the kinetic energy";
}

TEST(ClosedChain, AJointBelowBothSidesOfALoopMovesNeither)
{
  for (const bool rod : {false, true}) {
    auto description = rod ? press_without_rod() : press(dynid::ClosureKind::revolute, 0.4);
    auto & urdf = description.urdf_xml;
    urdf.insert(urdf.find("</robot>"), R"(
  <link name="ground"/>
  <joint name="table" type="continuous"><parent link="ground"/><child link="base"/>
    <axis xyz="0.6 0 0.8"/></joint>)");
    description.joints = {"table", "drive"};
    description.terms.clear();
    const dynid::Mechanism mechanism(description);
    auto workspace = mechanism.workspace();
    const auto count = static_cast<Eigen::Index>(mechanism.moving_joints().size());
    Eigen::VectorXd all(count);
    mechanism.spread(workspace, Eigen::Vector2d(0.0, 0.4), all);
    const Eigen::VectorXd passive = all.tail(count - 2);
    mechanism.spread(workspace, Eigen::Vector2d(1.3, 0.4), all);
    EXPECT_LT((all.tail(count - 2) - passive).norm(), 1e-12);
    EXPECT_NEAR(all[count - 1], height(0.4, 0.4), 1e-12);
    Eigen::VectorXd torques = Eigen::VectorXd::Zero(count);
    torques.tail(count - 2).setOnes();
    Eigen::VectorXd projected(2);
    mechanism.project(workspace, Eigen::Vector2d(1.3, 0.4), torques, projected);
    EXPECT_NEAR(projected[0], 0.0, 1e-12) << "passive joints do not load it";
  }
}

TEST(ClosedChain, ControlCycleFunctionsAllocateNothingAndAgree)
{
  const dynid::Mechanism mechanism(press(dynid::ClosureKind::revolute, 0.4));
  auto workspace = mechanism.workspace();
  const Eigen::VectorXd q = one(0.3);
  const Eigen::VectorXd far = one(2.9);
  const Eigen::VectorXd dq = one(-0.5);
  const Eigen::VectorXd ddq = one(0.7);
  Eigen::VectorXd tau(1);
  Eigen::VectorXd expected(1);
  Eigen::VectorXd solved(1);
  Eigen::VectorXd gravity(1);
  Eigen::VectorXd momentum(1);
  Eigen::VectorXd gradient(1);
  dynid::RowMajorMatrix square(1, 1);
  dynid::RowMajorMatrix regressor(1, mechanism.parameter_count());
  expect_no_allocation("regressor", [&] { mechanism.regressor(workspace, q, dq, ddq, regressor); });
  expect_no_allocation(
    "a long way", [&] { mechanism.inverse_dynamics(workspace, far, dq, ddq, tau); });
  expect_no_allocation("torque", [&] { mechanism.inverse_dynamics(workspace, q, dq, ddq, tau); });
  expect_no_allocation("gravity_torque", [&] { mechanism.gravity_torque(workspace, q, gravity); });
  expect_no_allocation("mass_matrix", [&] { mechanism.mass_matrix(workspace, q, square); });
  expect_no_allocation("momentum", [&] {
    mechanism.momentum(workspace, q, dq, mechanism.parameters(), momentum, gradient);
  });
  EXPECT_NEAR(momentum[0], square(0, 0) * dq[0], 1e-12) << "momentum is M dq";
  expect_no_allocation(
    "coriolis_matrix", [&] { mechanism.coriolis_matrix(workspace, q, dq, square); });
  EXPECT_NEAR(gradient[0], square(0, 0) * dq[0] - gravity[0], 1e-12) << "C^T dq - gravity";
  expected.noalias() = regressor * mechanism.parameters();
  EXPECT_NEAR(expected[0], tau[0], 1e-12) << "regressor x parameters = RNEA, projected";
  bool accelerated = false;
  expect_no_allocation("forward_dynamics", [&] {
    accelerated = mechanism.forward_dynamics(workspace, q, dq, tau, solved);
  });
  EXPECT_TRUE(accelerated) << "forward dynamics is the inverse of inverse dynamics";
  EXPECT_NEAR(solved[0], ddq[0], 1e-9);
}

TEST(ClosedChain, TorqueAndInertiaOutOfReachAreNan)
{
  // the rod is shorter than the crank: it passes its dead centres only to one side
  auto description = press(dynid::ClosureKind::point, 0.15);
  description.chain.assembled_at = {1.6};
  description.chain.start = {{"pin", 0.0}, {"guide", 0.35}};
  const dynid::Mechanism mechanism(description);
  auto workspace = mechanism.workspace();
  const Eigen::VectorXd far = one(0.1);
  const Eigen::VectorXd still = one(0.0);
  Eigen::VectorXd tau(1);
  expect_no_allocation(
    "what is out of reach", [&] { mechanism.inverse_dynamics(workspace, far, still, still, tau); });
  EXPECT_TRUE(std::isnan(tau[0])) << "torque out of reach is NaN";
  dynid::RowMajorMatrix mass(1, 1);
  mechanism.mass_matrix(workspace, far, mass);
  EXPECT_TRUE(std::isnan(mass(0, 0))) << "and inertia";
  EXPECT_FALSE(mechanism.closed(workspace));
  const auto problem = mechanism.closure_problem(workspace, far);
  EXPECT_NE(problem.find("drive = 0.1"), std::string::npos) << "and the pose is named: " << problem;
  EXPECT_NE(problem.find("cannot be closed"), std::string::npos) << problem;
  mechanism.inverse_dynamics(workspace, one(1.5), still, still, tau);
  EXPECT_TRUE(std::isfinite(tau[0])) << "within reach it is finite again";
  EXPECT_TRUE(mechanism.closed(workspace));

  dynid::ControlModel model(description, mechanism.parameters(), one(0.01), false);
  dynid::Feedforward feedforward(1, law_settings(0).feedforward);
  feedforward.use(&model);
  double sent = 1.0;
  expect_no_allocation(
    "feedforward", [&] { sent = feedforward.update(far, still, still, 1.0)[0]; });
  EXPECT_EQ(sent, 0.0) << "a control cycle then sends no torque, and reports why";
  EXPECT_EQ(feedforward.inactive_reason(), dynid::InactiveReason::unreachable);
}

TEST(ClosedChain, MatricesOfAFiveBarLinkageAreThoseOfItsMotion)
{
  const auto mechanism = five_bar();
  auto workspace = mechanism.workspace();
  const Eigen::VectorXd q = assembled + Eigen::Vector2d(0.1, -0.2);
  const Eigen::VectorXd dq = Eigen::Vector2d(0.9, -0.6);
  const Eigen::VectorXd ddq = Eigen::Vector2d(-1.4, 2.2);
  dynid::RowMajorMatrix mass(2, 2);
  dynid::RowMajorMatrix ahead(2, 2);
  dynid::RowMajorMatrix behind(2, 2);
  dynid::RowMajorMatrix coriolis(2, 2);
  const double step = 1e-6;
  mechanism.mass_matrix(workspace, q + step * dq, ahead);
  mechanism.mass_matrix(workspace, q - step * dq, behind);
  mechanism.mass_matrix(workspace, q, mass);
  mechanism.coriolis_matrix(workspace, q, dq, coriolis);
  const Eigen::Matrix2d rate = (ahead - behind) / (2 * step);
  EXPECT_LT((rate - coriolis - coriolis.transpose()).norm(), 1e-7) << "dM/dt = C + C^T";
  EXPECT_GT(coriolis.norm(), 0.01);

  Eigen::VectorXd momentum(2);
  Eigen::VectorXd gradient(2);
  mechanism.momentum(workspace, q, dq, mechanism.parameters(), momentum, gradient);
  EXPECT_LT((momentum - mass * dq).norm(), 1e-12);
  Eigen::VectorXd gravity(2);
  mechanism.gravity_torque(workspace, q, gravity);
  EXPECT_LT((gradient - coriolis.transpose() * dq + gravity).norm(), 1e-10);

  Eigen::VectorXd tau(2);
  Eigen::VectorXd terms(2);
  mechanism.reset_memory(workspace);
  mechanism.inverse_dynamics(workspace, q, dq, ddq, tau);
  mechanism.reset_memory(workspace);
  mechanism.term_torque(workspace, q, dq, Eigen::VectorXd::Zero(2), terms);
  EXPECT_LT((tau - mass * ddq - coriolis * dq - gravity - terms).norm(), 1e-10);

  dynid::RowMajorMatrix regressor(2, mechanism.parameter_count());
  mechanism.reset_memory(workspace);
  mechanism.regressor(workspace, q, dq, ddq, regressor);
  EXPECT_LT((regressor * mechanism.parameters() - tau).norm(), 1e-11);
  Eigen::VectorXd solved(2);
  mechanism.reset_memory(workspace);
  EXPECT_TRUE(mechanism.forward_dynamics(workspace, q, dq, tau, solved));
  EXPECT_LT((solved - ddq).norm(), 1e-9);
}

TEST(ClosedChain, TorquesOfPassiveJointsDoTheSameWorkAtTheActuatedOnes)
{
  const auto mechanism = five_bar();
  auto workspace = mechanism.workspace();
  const Eigen::VectorXd q = assembled + Eigen::Vector2d(-0.2, 0.3);
  const Eigen::VectorXd torques = Eigen::Vector4d(1.0, -2.0, 3.0, 4.0);
  Eigen::VectorXd projected(2);
  mechanism.project(workspace, q, torques, projected);
  const double step = 1e-6;
  Eigen::VectorXd ahead(4);
  Eigen::VectorXd behind(4);
  for (Eigen::Index joint = 0; joint < 2; ++joint) {
    const Eigen::VectorXd way = step * Eigen::Vector2d::Unit(joint);
    mechanism.spread(workspace, q + way, ahead);
    mechanism.spread(workspace, q - way, behind);
    EXPECT_NEAR(projected[joint], torques.dot(ahead - behind) / (2 * step), 1e-7);
    EXPECT_NEAR(ahead[joint], (q + way)[joint], 0.0);
  }
}

TEST(ClosedChain, FrictionOfAPassiveJointMovesWithIt)
{
  const auto mechanism = five_bar();
  auto workspace = mechanism.workspace();
  auto advanced = mechanism.workspace();
  const Eigen::VectorXd still = Eigen::VectorXd::Zero(2);
  Eigen::VectorXd tau(2);
  Eigen::VectorXd first(4);
  Eigen::VectorXd last(4);
  const Eigen::VectorXd end = assembled + Eigen::Vector2d(0.05, 0.02);
  mechanism.spread(workspace, assembled, first);
  mechanism.spread(workspace, end, last);
  for (const Eigen::VectorXd & q : {Eigen::VectorXd(assembled), end}) {
    mechanism.term_torque(workspace, q, still, still, tau);
    mechanism.advance(advanced, q, still);
  }
  ASSERT_NEAR(workspace.presliding()[0].deflection, last[3] - first[3], 1e-12);
  EXPECT_NEAR(advanced.presliding()[0].deflection, workspace.presliding()[0].deflection, 1e-12);
  Eigen::VectorXd expected(2);
  mechanism.project(
    workspace, end, Eigen::Vector4d(0, 0, 0, 1.1 * (last[3] - first[3]) / 0.2), expected);
  EXPECT_LT((tau - expected).norm(), 1e-12);
}

TEST(ClosedChain, ALongWayEndsOnTheBranchOfShortOnes)
{
  const auto mechanism = five_bar();
  auto there = mechanism.workspace();
  auto at_once = mechanism.workspace();
  const Eigen::Vector2d way(0.9, 1.6);
  Eigen::VectorXd all(4);
  for (int k = 0; k <= 400; ++k) {
    mechanism.spread(there, assembled + k / 400.0 * way, all);
    ASSERT_TRUE(mechanism.closed(there)) << k;
  }
  Eigen::VectorXd found(4);
  mechanism.spread(at_once, assembled + way, found);
  EXPECT_LT((found - all).norm(), 1e-9);
  mechanism.spread(at_once, assembled, found);
  mechanism.spread(at_once, assembled + way, found);
  EXPECT_LT((found - all).norm(), 1e-9) << "and back and forth";
  Eigen::VectorXd far = assembled;
  far[0] += 1e9;
  mechanism.spread(at_once, far, found);
  EXPECT_FALSE(mechanism.closed(at_once)) << "farther than any way is followed";
  mechanism.spread(at_once, assembled + way, found);
  EXPECT_LT((found - all).norm(), 1e-9) << "the next position is closed again";
}

TEST(ClosedChain, ArraysNameTheSampleThatIsOutOfReach)
{
  const auto mechanism = five_bar();
  dynid::RowMajorMatrix q(3, 2);
  q << assembled.transpose(), 0.0, 3.14159, assembled.transpose();
  q.row(1) << 3.14159, 0.0;  // both cranks outward: the rods do not meet
  const dynid::Samples samples(q.data(), 3, 2);
  EXPECT_EQ(dynid::batch::reachable(mechanism, samples), (std::vector<bool>{true, false, true}));
  dynid::RowMajorMatrix out(3, 4);
  const auto text = refusal_of([&] { dynid::batch::spread(mechanism, samples, out.data()); });
  EXPECT_NE(text.find("Sample 1: at left = 3.14159, right = 0"), std::string::npos) << text;
}

/// The five-bar linkage cut open, with pins that follow the left crank and each other.
dynid::MechanismDescription geared()
{
  auto description = open_five_bar();
  description.chain.closures.resize(2);
  for (auto & closure : description.chain.closures) {
    closure.kind = dynid::ClosureKind::gear;
  }
  description.chain.closures[0].link_a = "left_rod";
  description.chain.closures[0].link_b = "left_crank";
  description.chain.closures[0].length = -0.5;
  description.chain.closures[1].link_a = "right_rod";
  description.chain.closures[1].link_b = "left_rod";
  description.chain.closures[1].length = 2.0;
  return description;
}

TEST(ClosedChain, AGearKeepsItsRatioAndTheOffsetOfItsStart)
{
  const dynid::Mechanism mechanism(geared());
  auto workspace = mechanism.workspace();
  Eigen::VectorXd all(4);
  mechanism.spread(workspace, assembled + Eigen::Vector2d(0.3, -0.2), all);
  EXPECT_NEAR(all[2], -1.0 - 0.5 * 0.3, 1e-13);
  EXPECT_NEAR(all[3], 1.0 + 2.0 * (-0.5 * 0.3), 1e-13);
}

TEST(ClosedChain, RefusesChainsThatCannotBeClosed)
{
  const auto point = [](double rod = 0.4) { return press(dynid::ClosureKind::point, rod); };
  auto unknown = point();
  unknown.chain.closures.front().link_b = "nothing";
  auto few = point();
  few.chain.closures.front() = press_without_rod().chain.closures.front();
  auto actuated = point();
  actuated.joints = {"drive", "guide"};
  actuated.chain.passive = {"pin"};
  actuated.chain.assembled_at = {0.0, height(0.0, 0.4)};
  actuated.payload_joint = "";
  actuated.terms.pop_back();
  auto still = geared();
  still.chain.closures[0].length = 0.0;
  auto same = geared();
  same.chain.closures[0].link_b = "base";
  const std::vector<std::pair<dynid::MechanismDescription, const char *>> cases{
    {unknown, "'nothing'"},     {point(0.05), "cannot be assembled"},
    {few, "conditions"},        {actuated, "constrain the actuated"},
    {still, "ratio that is 0"}, {same, "different joints"}};
  for (const auto & [description, why] : cases) {
    const auto found = refusal_of([&one = description] { const dynid::Mechanism mechanism(one); });
    EXPECT_NE(found.find(why), std::string::npos) << found;
  }
}

}  // namespace
