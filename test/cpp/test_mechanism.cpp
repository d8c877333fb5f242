// A mechanism and its joint terms against closed forms.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "dynid/mechanism.hpp"
#include "dynid/physical_consistency.hpp"
#include "planar_arm.hpp"
#include "refusals.hpp"

namespace
{

using dynid::JointTerm;
using dynid::Mechanism;
using dynid::MechanismDescription;
using Eigen::Vector2d;
using Eigen::VectorXd;

const Vector2d q{0.4, -1.1};
const Vector2d dq{0.7, -0.9};
const Vector2d ddq{-1.3, 2.1};

/// Every side, every use of a load, two memories, and a coupled motor.
std::vector<JointTerm> many_terms()
{
  auto load = joint_term("coulomb_load", 1);
  load.smoothing = 0.2;
  auto stop = joint_term("presliding", 0);
  stop.scale = 0.05;
  auto bristles = motor_term("lugre", 1);
  bristles.scale = 0.03;
  bristles.static_ratio = 0.4;
  bristles.stribeck_velocity = 0.8;
  return {
    joint_term("viscous", 0),
    load,
    stop,
    motor_term("rotor_inertia", 1),
    motor_term("viscous", 0),
    bristles,
    joint_term("spring_stiffness", 1),
    joint_term("offset", 0)};
}

const VectorXd term_parameters =
  (VectorXd(8) << 2.0, 0.1, 1.5, 0.02, 0.3, 0.7, 4.0, -0.6).finished();

Mechanism coupled_arm()
{
  auto description = planar_arm(many_terms());
  description.coupling = planar_coupling();
  const Mechanism plain(description);
  VectorXd parameters = plain.urdf_parameters();
  parameters.tail(8) = term_parameters;
  return plain.with_parameters(parameters);
}

std::string refusal(const MechanismDescription & description)
{
  return refusal_of([&] { const Mechanism mechanism(description); });
}

void expect_refused(const MechanismDescription & description, const std::string & part)
{
  const auto found = refusal(description);
  EXPECT_NE(found.find(part), std::string::npos) << found;
}

/// Joint and motor terms by hand, with contacts that moved from `before` to q.
Vector2d terms_by_hand(const Vector2d & before)
{
  const Eigen::Matrix2d to_motor = planar_coupling().inverse();
  const Vector2d motor = to_motor * q;
  const Vector2d motor_dq = to_motor * dq;
  const Vector2d motor_ddq = to_motor * ddq;
  const double load = std::abs(planar_gravity(q)[1]);
  const double stop = std::clamp(q[0] - before[0], -0.05, 0.05) / 0.05;
  const double way = motor[1] - (to_motor * before)[1];
  const double level = 0.03 * (1 + 0.4 * std::exp(-std::pow(motor_dq[1] / 0.8, 2)));
  const double end = std::copysign(level, way);
  const double bristles = (end - end * std::exp(-std::abs(way) / level)) / 0.03;
  Vector2d joints{2.0 * dq[0] + 1.5 * stop - 0.6, 0.1 * std::tanh(dq[1] / 0.2) * load + 4.0 * q[1]};
  const Vector2d motors{0.3 * motor_dq[0], 0.02 * motor_ddq[1] + 0.7 * bristles};
  return joints + to_motor.transpose() * motors;
}

TEST(Mechanism, TorqueIsThatOfTheClosedForm)
{
  const Mechanism mechanism(planar_arm());
  auto workspace = mechanism.workspace();
  VectorXd tau(2);
  mechanism.inverse_dynamics(workspace, q, dq, ddq, tau);
  EXPECT_LT((tau - planar_torque(q, dq, ddq)).norm(), 1e-12);
  mechanism.gravity_torque(workspace, q, tau);
  EXPECT_LT((tau - planar_gravity(q)).norm(), 1e-12);
  dynid::RowMajorMatrix square(2, 2);
  mechanism.mass_matrix(workspace, q, square);
  EXPECT_LT((square - planar_mass(q)).norm(), 1e-12);
  mechanism.coriolis_matrix(workspace, q, dq, square);
  EXPECT_LT((square - planar_coriolis(q, dq)).norm(), 1e-12);
}

TEST(Mechanism, TermsAddTheirTorqueAtJointsAndThroughTheCoupling)
{
  const auto mechanism = coupled_arm();
  const Vector2d before = q + Vector2d(-0.02, 0.03);
  auto workspace = mechanism.workspace();
  VectorXd tau(2);
  mechanism.inverse_dynamics(workspace, before, dq, ddq, tau);
  mechanism.inverse_dynamics(workspace, q, dq, ddq, tau);
  EXPECT_LT((tau - planar_torque(q, dq, ddq) - terms_by_hand(before)).norm(), 1e-12);

  mechanism.reset_memory(workspace);
  mechanism.term_torque(workspace, before, dq, ddq, tau);
  mechanism.term_torque(workspace, q, dq, ddq, tau);
  EXPECT_LT((tau - terms_by_hand(before)).norm(), 1e-12) << "terms alone";

  mechanism.reset_memory(workspace);
  mechanism.term_torque(workspace, q, dq, ddq, tau);
  EXPECT_LT((tau - terms_by_hand(q)).norm(), 1e-12) << "relaxed contacts";
}

TEST(Mechanism, RegressorTimesParametersIsTheTorque)
{
  const auto mechanism = coupled_arm();
  auto workspace = mechanism.workspace();
  auto other = mechanism.workspace();
  dynid::RowMajorMatrix regressor(2, mechanism.parameter_count());
  VectorXd tau(2);
  VectorXd own(2);
  const VectorXd parameters = 1.7 * mechanism.parameters();
  for (const double way : {0.0, 0.04, -0.1}) {
    const VectorXd at = q + Vector2d(way, -way);
    mechanism.regressor(workspace, at, dq, ddq, regressor);
    mechanism.torque(other, at, dq, ddq, parameters, tau);
    EXPECT_LT((regressor * parameters - tau).norm(), 1e-11);
  }
  for (Eigen::Index row = 0; row < 2; ++row) {
    for (Eigen::Index column = 0; column < regressor.cols(); ++column) {
      EXPECT_TRUE(mechanism.may_depend(row, column) || regressor(row, column) == 0.0);
    }
  }
  EXPECT_FALSE(mechanism.may_depend(1, 0)) << "the upper arm does not load the elbow";
  EXPECT_TRUE(mechanism.may_depend(0, 10));
  EXPECT_FALSE(mechanism.may_depend(1, 20)) << "a joint's own friction";
  EXPECT_TRUE(mechanism.may_depend(0, 23)) << "a motor that acts on both joints";
}

TEST(Mechanism, AdvancingIsMovingWithoutATorque)
{
  const auto mechanism = coupled_arm();
  auto advanced = mechanism.workspace();
  auto moved = mechanism.workspace();
  VectorXd tau(2);
  for (const double way : {0.0, 0.02, 0.05, 0.01}) {
    const VectorXd at = q + Vector2d(way, 2 * way);
    mechanism.advance(advanced, at, dq);
    mechanism.torque(moved, at, dq, ddq, mechanism.parameters(), tau);
  }
  ASSERT_EQ(advanced.presliding().size(), 2U);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(advanced.presliding()[k].deflection, moved.presliding()[k].deflection);
    EXPECT_NE(advanced.presliding()[k].deflection, 0.0);
  }
  mechanism.reset_memory(advanced);
  EXPECT_EQ(advanced.presliding()[1].deflection, 0.0);
  EXPECT_TRUE(std::isnan(advanced.presliding()[0].position));
}

TEST(Mechanism, RotorsArePartOfTheMassMatrixAndOfTheMomentum)
{
  const auto mechanism = coupled_arm();
  auto workspace = mechanism.workspace();
  const Vector2d rotor = planar_coupling().inverse().row(1).transpose();
  const Eigen::Matrix2d expected = planar_mass(q) + 0.02 * rotor * rotor.transpose();
  dynid::RowMajorMatrix mass(2, 2);
  mechanism.mass_matrix(workspace, q, mass);
  EXPECT_LT((mass - expected).norm(), 1e-12);
  VectorXd momentum(2);
  VectorXd gradient(2);
  mechanism.momentum(workspace, q, dq, mechanism.parameters(), momentum, gradient);
  EXPECT_LT((momentum - expected * dq).norm(), 1e-12);
  const Vector2d expected_gradient = planar_coriolis(q, dq).transpose() * dq - planar_gravity(q);
  EXPECT_LT((gradient - expected_gradient).norm(), 1e-12);
  VectorXd tau(2);
  VectorXd solved(2);
  mechanism.inverse_dynamics(workspace, q, dq, ddq, tau);
  mechanism.reset_memory(workspace);
  EXPECT_TRUE(mechanism.forward_dynamics(workspace, q, dq, tau, solved));
  EXPECT_LT((solved - ddq).norm(), 1e-10);
}

TEST(Mechanism, ASemiStaticOneHasWeightButNoInertia)
{
  auto description = planar_arm({joint_term("rotor_inertia", 0), joint_term("viscous", 0)});
  description.semi_static = true;
  const Mechanism plain(description);
  VectorXd parameters = plain.urdf_parameters();
  parameters.tail(2) << 5.0, 3.0;
  const auto mechanism = plain.with_parameters(parameters);
  auto workspace = mechanism.workspace();
  VectorXd tau(2);
  mechanism.inverse_dynamics(workspace, q, dq, ddq, tau);
  EXPECT_LT((tau - planar_gravity(q) - Vector2d(3.0 * dq[0], 0.0)).norm(), 1e-12);
  VectorXd momentum(2);
  VectorXd gradient(2);
  mechanism.momentum(workspace, q, dq, mechanism.parameters(), momentum, gradient);
  EXPECT_EQ(momentum.norm(), 0.0);
  EXPECT_LT((gradient + planar_gravity(q)).norm(), 1e-12);
  EXPECT_THROW(mechanism.require_inertia(), std::invalid_argument);
  EXPECT_NO_THROW(mechanism.require_rigid_bodies());
}

TEST(Mechanism, LargestDryFrictionIsThatOfTheWorseDirection)
{
  auto description = planar_arm(
    {joint_term("coulomb_positive", 0), joint_term("coulomb_negative", 0),
     joint_term("coulomb_load", 1), motor_term("coulomb", 1), joint_term("viscous", 0)});
  description.coupling = planar_coupling();
  const Mechanism plain(description);
  VectorXd parameters = plain.urdf_parameters();
  parameters.tail(5) << 1.0, 2.5, 0.2, 0.8, 9.0;
  const auto mechanism = plain.with_parameters(parameters);
  auto workspace = mechanism.workspace();
  VectorXd tau(2);
  mechanism.inverse_dynamics(workspace, q, dq, ddq, tau);
  mechanism.dry_friction(workspace, tau);
  const Vector2d rotor = planar_coupling().inverse().row(1).transpose().cwiseAbs();
  const double load = std::abs(planar_gravity(q)[1]);
  EXPECT_LT((tau - Vector2d(2.5, 0.2 * load) - 0.8 * rotor).norm(), 1e-12);
}

TEST(Mechanism, NamesAndUnitsFollowTheJoints)
{
  auto description = planar_arm(
    {joint_term("viscous", 0), motor_term("viscous", 1), joint_term("rotor_inertia", 1)});
  auto urdf = description.urdf_xml;
  const std::string type = R"(name="elbow" type="continuous")";
  urdf.replace(urdf.find(type), type.size(), R"(name="elbow" type="prismatic")");
  urdf.insert(
    urdf.find("</joint>\n</robot>"), R"(<limit lower="-1" upper="1" effort="1" velocity="1"/>)");
  description.urdf_xml = urdf;
  const Mechanism mechanism(description);
  const auto & names = mechanism.parameter_names();
  const auto & units = mechanism.parameter_units();
  ASSERT_EQ(names.size(), 23U);
  const std::vector<std::string> bodies{"M2",  "MX2", "MY2", "MZ2", "XX2",
                                        "XY2", "YY2", "XZ2", "YZ2", "ZZ2"};
  EXPECT_EQ(std::vector<std::string>(names.begin() + 10, names.begin() + 20), bodies);
  EXPECT_EQ(names[20], "Fv1");
  EXPECT_EQ(names[21], "Fvm2");
  EXPECT_EQ(names[22], "Ia2");
  EXPECT_EQ(units[0], "kg");
  EXPECT_EQ(units[3], "kg*m");
  EXPECT_EQ(units[9], "kg*m^2");
  EXPECT_EQ(units[20], "N*m*s/rad");
  EXPECT_EQ(units[21], "N*s/m") << "at a prismatic joint";
  EXPECT_EQ(units[22], "kg");
  EXPECT_EQ(mechanism.payload_body(), 1) << "of the last joint, unless another is named";
}

TEST(Mechanism, RefusesDescriptionsThatContradictThemselves)
{
  auto description = planar_arm();
  description.coupling = Eigen::MatrixXd::Identity(3, 3);
  expect_refused(description, "3 x 3, but must be 2 x 2");
  description.coupling = (Eigen::Matrix2d() << 1.0, 2.0, 2.0, 4.0).finished();
  expect_refused(description, "singular");
  description.coupling = Eigen::Matrix2d::Identity();
  description.coupling(0, 1) = std::numeric_limits<double>::quiet_NaN();
  expect_refused(description, "coupling matrix has an entry that is not a finite");
  description = planar_arm();
  description.gravity[2] = std::numeric_limits<double>::infinity();
  expect_refused(description, "Gravity");
  description = planar_arm();
  description.payload_joint = "wrist";
  expect_refused(description, "'wrist'");
  expect_refused(planar_arm({joint_term("viscous", 2)}), "'viscous' of joint 3 has no joint");
  expect_refused(planar_arm({motor_term("viscous", -1)}), "has no motor: there are 2");
  expect_refused(planar_arm({motor_term("coulomb_load", 0)}), "put it at a joint");
  expect_refused(planar_arm({joint_term("viscous", 0), joint_term("viscous", 0)}), "given twice");
  EXPECT_EQ(refusal(planar_arm({joint_term("viscous", 0), motor_term("viscous", 0)})), "");
}

TEST(Mechanism, RefusesShapesThatAKindDoesNotTake)
{
  auto term = joint_term("presliding", 0);
  expect_refused(planar_arm({term}), "needs a scale above 0");
  term.scale = 0.1;
  term.smoothing = 0.1;
  expect_refused(planar_arm({term}), "smoothing velocity, which its kind does not use");
  term.smoothing = 0.0;
  term.dead_band = -0.1;
  expect_refused(planar_arm({term}), "dead band that is not 0 or above");
  auto bristles = joint_term("lugre", 0);
  bristles.scale = 0.1;
  bristles.static_ratio = 0.1;
  expect_refused(planar_arm({bristles}), "a static ratio and a Stribeck velocity above 0");
  bristles.stribeck_velocity = 0.1;
  EXPECT_EQ(refusal(planar_arm({bristles})), "");
}

TEST(Mechanism, RefusesParametersThatItCannotUse)
{
  const Mechanism mechanism(planar_arm());
  const VectorXd good = mechanism.parameters();
  EXPECT_THROW(static_cast<void>(mechanism.with_parameters(good.head(19))), std::invalid_argument);
  VectorXd parameters = good;
  parameters[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(static_cast<void>(mechanism.with_parameters(parameters)), std::invalid_argument);
  const auto problem = [&](const VectorXd & values) {
    return refusal_of([&] { mechanism.with_parameters(values).require_rigid_bodies(); });
  };
  EXPECT_EQ(problem(good), "");
  parameters = good;
  parameters[10] = 0.0;
  EXPECT_NE(problem(parameters).find("Body 2 has first moments but no mass"), std::string::npos);
  parameters.segment<3>(11).setZero();
  EXPECT_EQ(problem(parameters), "");
  auto massless = mechanism.with_parameters(parameters);
  auto workspace = massless.workspace();
  dynid::RowMajorMatrix mass(2, 2);
  massless.mass_matrix(workspace, q, mass);
  // about the joint's origin: all that is left of the forearm
  EXPECT_NEAR(mass(1, 1), parameters[16], 1e-12);
}

TEST(PhysicalConsistency, NamesTheBodyOrTheTermThatCannotBe)
{
  const Mechanism mechanism(planar_arm({joint_term("viscous", 1), joint_term("offset", 0)}));
  VectorXd parameters = mechanism.parameters();
  parameters.tail(2) << 1.0, -3.0;
  EXPECT_EQ(dynid::physical_problem(mechanism, parameters), "");
  const auto with = [&](Eigen::Index index, double value) {
    VectorXd changed = parameters;
    changed[index] = value;
    return dynid::physical_problem(mechanism, changed);
  };
  EXPECT_NE(with(0, -1.0).find("body at joint 'shoulder'"), std::string::npos);
  EXPECT_NE(with(11, 1.0).find("body at joint 'elbow'"), std::string::npos) << "first moment";
  EXPECT_NE(with(19, 1.0).find("body at joint 'elbow'"), std::string::npos) << "triangle";
  EXPECT_NE(with(15, 0.2).find("body at joint 'elbow'"), std::string::npos) << "product";
  EXPECT_NE(with(20, -1.0).find("'Fv2' (viscous) is -1"), std::string::npos);
  EXPECT_EQ(with(20, -1e-10), "") << "rounding";
  EXPECT_THROW(
    static_cast<void>(dynid::physical_problem(mechanism, parameters.head(5))),
    std::invalid_argument);
}

TEST(PhysicalConsistency, PseudoInertiaHasItsBlocks)
{
  Eigen::Matrix<double, 10, 1> body;
  body << 2.0, 0.1, 0.2, 0.3, 1.0, 0.01, 2.0, 0.02, 0.03, 2.5;
  const Eigen::Matrix4d expected = (Eigen::Matrix4d() << 1.75, -0.01, -0.02, 0.1,  //
                                    -0.01, 0.75, -0.03, 0.2,                       //
                                    -0.02, -0.03, 0.25, 0.3,                       //
                                    0.1, 0.2, 0.3, 2.0)
                                     .finished();
  EXPECT_LT((dynid::pseudo_inertia(body) - expected).norm(), 1e-15);
}

}  // namespace
