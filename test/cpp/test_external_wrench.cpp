// External torque with its covariance, the link in contact, and wrenches.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "allocation_checks.hpp"
#include "dynid/contact_estimator.hpp"
#include "dynid/external_torque.hpp"
#include "planar_arm.hpp"

namespace
{

using dynid::ContactEstimator;
using dynid::ContactRegion;
using dynid::ContactSettings;
using dynid::ControlModel;
using dynid::ExternalTorqueObserver;
using dynid::TorqueUncertainty;
using Eigen::Matrix2d;
using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr double rate = 1000.0;  // [Hz]
constexpr double gain = 50.0;    // [1/s]

using Matrix6 = Eigen::Matrix<double, 6, 6>;

/// A link of length 0.3 m along x, with contacts of any direction.
ContactRegion region(const char * link, double middle)
{
  const Matrix3d points = Vector3d(0.0075, 1e-4, 1e-4).asDiagonal();
  Matrix6 any = Matrix6::Zero();
  any.topLeftCorner<3, 3>() = Matrix3d::Identity() / 3.0;
  any.bottomRightCorner<3, 3>() = (points.trace() * Matrix3d::Identity() - points) / 3.0;
  return {link, Vector3d(middle, 0.0, 0.0), points, {{1.0, any}}};
}

ContactEstimator arm_estimator(double threshold = 9.0)
{
  ContactSettings settings;
  settings.threshold = threshold;
  return {planar_arm(), false, {region("upper", 0.25), region("fore", 0.15)}, {"fore"}, settings};
}

TorqueUncertainty uncertainty(double friction_speed = 0.0)
{
  TorqueUncertainty found;
  found.constant = Vector2d(0.3, 0.4);
  found.per_speed = Vector2d(0.0, 0.5);
  found.low_speed = Vector2d::Constant(friction_speed);
  found.correlation = (Matrix2d() << 1.0, 0.5, 0.5, 1.0).finished();
  return found;
}

ControlModel arm_model(double friction = 0.0)
{
  auto description = planar_arm({joint_term("coulomb", 0)});
  const dynid::Mechanism mechanism(description);
  Eigen::VectorXd parameters = mechanism.urdf_parameters();
  parameters.tail<1>().setConstant(friction);
  return {description, parameters, Eigen::VectorXd::Constant(2, 0.01), false};
}

const Vector2d bent(0.3, 0.9);

/// Torque of a force in the vertical plane (x, z of the root) at a distance along the forearm.
Vector2d pushed(double distance, double x, double z)
{
  const double upper = bent[0];
  const double both = bent[0] + bent[1];
  const Vector2d elbow(0.5 * std::cos(upper), 0.5 * std::sin(upper));
  const Vector2d arm(distance * std::cos(both), distance * std::sin(both));
  const auto moment = [&](const Vector2d & lever) { return lever[0] * z - lever[1] * x; };
  return {moment(elbow + arm), moment(arm)};
}

TEST(ExternalTorque, FollowsATorqueThatTheDrivesDoNotExert)
{
  auto model = arm_model();
  ExternalTorqueObserver observer(2, uncertainty(), gain, rate);
  const Vector2d external(3.0, -2.0);
  const Vector2d rest = Vector2d::Zero();
  // held at rest by drives that compensate gravity and this torque
  const Vector2d tau = planar_gravity(bent) - external;
  for (int k = 0; k <= 20; ++k) {  // one time constant
    observer.update(model, bent, rest, tau);
  }
  const double share = 1.0 - std::pow(1.0 - gain / rate, 20);
  EXPECT_NEAR(observer.torque()[0], share * external[0], 1e-9);
  for (int k = 0; k < 1000; ++k) {
    observer.update(model, bent, rest, tau);
  }
  EXPECT_TRUE(observer.torque().isApprox(external, 1e-9)) << observer.torque();
}

TEST(ExternalTorque, BelongsToThePositionOfATimeConstantBefore)
{
  auto model = arm_model();
  ExternalTorqueObserver observer(2, uncertainty(), gain, rate);
  const Vector2d speed(1.0, -2.0);
  for (int k = 0; k <= 1000; ++k) {
    observer.update(model, bent + k / rate * speed, speed, Vector2d::Zero());
  }
  const double delay = 1.0 / gain - 1.0 / rate;  // of a low-pass that takes the newest position
  const Vector2d expected = bent + (1.0 - delay) * speed;
  EXPECT_TRUE(observer.position().isApprox(expected, 1e-9)) << observer.position();
}

TEST(ExternalTorque, IsMoreUncertainWithSpeedAndFrictionAtRest)
{
  auto model = arm_model(2.0);
  ExternalTorqueObserver observer(2, uncertainty(0.05), gain, rate);
  const Vector2d moving(1.0, 1.0);
  observer.update(model, bent, moving, planar_gravity(bent));
  Matrix2d expected;
  expected << 0.09, 0.5 * 0.3 * std::sqrt(0.41), 0.5 * 0.3 * std::sqrt(0.41), 0.41;
  EXPECT_TRUE(observer.covariance().isApprox(expected, 1e-12)) << observer.covariance();
  const Vector2d rest = Vector2d::Zero();
  observer.update(model, bent, rest, planar_gravity(bent));
  const double one_cycle = gain / rate * 2.0 / std::sqrt(3.0);
  EXPECT_NEAR(observer.covariance()(0, 0), 0.09 + one_cycle * one_cycle, 1e-12)
    << "behind the observer's low-pass";
  for (int k = 0; k < 1000; ++k) {
    observer.update(model, bent, rest, planar_gravity(bent));
  }
  EXPECT_NEAR(observer.covariance()(0, 0), 0.09 + 4.0 / 3.0, 1e-9) << "uniform within +-2 N m";
  EXPECT_NEAR(observer.covariance()(1, 1), 0.16, 1e-12) << "a joint without friction";
}

TEST(ExternalTorque, IsNotKnownWithoutFeedbackAndRecovers)
{
  auto model = arm_model();
  ExternalTorqueObserver observer(2, uncertainty(), gain, rate);
  const Vector2d rest = Vector2d::Zero();
  const Vector2d missing(0.0, std::numeric_limits<double>::quiet_NaN());
  observer.update(model, bent, rest, missing);
  EXPECT_TRUE(observer.torque().array().isNaN().all());
  auto estimator = arm_estimator();
  EXPECT_FALSE(estimator.update(bent, observer.torque(), observer.covariance()));
  EXPECT_FALSE(estimator.contact());
  EXPECT_EQ(estimator.region(), -1);
  EXPECT_TRUE(estimator.wrench(0).value.array().isNaN().all());
  EXPECT_TRUE(estimator.force(0).value.array().isNaN().all());
  observer.update(model, bent, rest, planar_gravity(bent));
  EXPECT_TRUE(observer.torque().isZero(1e-9));
}

TEST(Contact, IsFoundByTheUncertaintyAndNotByAFixedThreshold)
{
  auto estimator = arm_estimator();
  const Vector2d torque(2.0, 1.0);
  const Matrix2d small = 0.01 * Matrix2d::Identity();
  const Matrix2d large = 10.0 * Matrix2d::Identity();
  ASSERT_TRUE(estimator.update(bent, torque, small));
  EXPECT_TRUE(estimator.contact());
  EXPECT_NEAR(estimator.distance(), 500.0, 1e-9);
  ASSERT_TRUE(estimator.update(bent, torque, large));
  EXPECT_FALSE(estimator.contact());
  EXPECT_NEAR(estimator.probability().sum(), 1.0, 1e-12);
}

TEST(Contact, IsOnTheLinkWhoseJointsCarryTorque)
{
  auto estimator = arm_estimator();
  const Matrix2d covariance = 1e-4 * Matrix2d::Identity();
  ASSERT_TRUE(estimator.update(bent, pushed(0.2, 10.0, 20.0), covariance));
  EXPECT_EQ(estimator.region(), 1) << "the elbow carries torque";
  EXPECT_GT(estimator.probability()[1], 1.0 - 1e-9);
  ASSERT_TRUE(estimator.update(bent, Vector2d(5.0, 0.0), covariance));
  EXPECT_EQ(estimator.region(), 0) << "a force through the elbow's axis is improbable";
  ASSERT_TRUE(estimator.update(bent, Vector2d(5.0, 0.0), Matrix2d::Identity()));
  EXPECT_EQ(estimator.region(), -1) << "with a noise of 1 N m it is not";
  EXPECT_GT(estimator.probability()[0], 0.5);
}

TEST(Wrench, OfAKnownPointIsTheForceThatActs)
{
  auto estimator = arm_estimator();
  const Matrix2d covariance = 1e-4 * Matrix2d::Identity();
  const double both = bent[0] + bent[1];
  // at the frame's origin, the elbow: only the shoulder feels it
  ASSERT_TRUE(estimator.update(bent, pushed(0.0, 3.0, 4.0), covariance));
  const auto found = estimator.force_at_origin(0);
  EXPECT_TRUE(found.value.array().isNaN().any()) << "two components, one torque";
  EXPECT_TRUE(std::isinf(found.covariance.diagonal().maxCoeff()));
  // a contact on the forearm: the component along it has no lever about the elbow
  const Vector2d torque = pushed(0.15, -10.0 * std::sin(both), 10.0 * std::cos(both));
  ASSERT_TRUE(estimator.update(bent, torque, covariance));
  const auto force = estimator.force(1);
  EXPECT_TRUE(std::isnan(force.value[1])) << "across the arm's plane no joint feels it";
  EXPECT_TRUE(std::isinf(force.covariance(1, 1)));
  EXPECT_NEAR(force.value[2], 10.0, 2.0 * std::sqrt(force.covariance(2, 2)))
    << "the unknown point is part of the uncertainty";
  EXPECT_GT(std::sqrt(force.covariance(2, 2)), 1.0);
}

TEST(Wrench, DependsOnTheSideOfCoupledMotorsOnlyByTheirTorque)
{
  auto description = planar_arm();
  description.coupling = planar_coupling();
  const Matrix2d coupling = planar_coupling();
  const std::vector<ContactRegion> regions = {region("upper", 0.25), region("fore", 0.15)};
  ContactEstimator motors(description, true, regions, {"fore"}, {});
  ContactEstimator joints(description, false, regions, {"fore"}, {});
  const Vector2d torque = pushed(0.2, 10.0, 20.0);
  const Matrix2d covariance = (Matrix2d() << 0.04, 0.01, 0.01, 0.09).finished();
  ASSERT_TRUE(joints.update(bent, torque, covariance));
  ASSERT_TRUE(motors.update(
    coupling.inverse() * bent, coupling.transpose() * torque,
    coupling.transpose() * covariance * coupling));
  EXPECT_NEAR(motors.distance(), joints.distance(), 1e-9 * joints.distance());
  EXPECT_TRUE(motors.probability().isApprox(joints.probability(), 1e-9));
  EXPECT_NEAR(motors.force(1).value[2], joints.force(1).value[2], 1e-6);
}

TEST(Contact, RefusesSettingsByASentence)
{
  const auto make = [](const ContactRegion & one, const char * frame) {
    return ContactEstimator(planar_arm(), false, {one}, {frame}, {});
  };
  EXPECT_THROW(make(region("hand", 0.1), "fore"), std::invalid_argument) << "no such link";
  EXPECT_THROW(make(region("base", 0.1), "fore"), std::invalid_argument) << "does not move";
  EXPECT_THROW(make(region("fore", 0.1), "hand"), std::invalid_argument);
  auto negative = region("fore", 0.1);
  negative.kinds[0].wrench(0, 0) = -1.0;
  EXPECT_THROW(make(negative, "fore"), std::invalid_argument);
  auto wrong = uncertainty();
  wrong.correlation(0, 1) = 0.9;
  EXPECT_THROW(ExternalTorqueObserver(2, wrong, gain, rate), std::invalid_argument);
  EXPECT_THROW(ExternalTorqueObserver(2, uncertainty(), 2.0 * rate, rate), std::invalid_argument);
}

TEST(ExternalWrench, AllocatesNothingInACycle)
{
  auto model = arm_model(1.0);
  ExternalTorqueObserver observer(2, uncertainty(0.05), gain, rate);
  auto estimator = arm_estimator();
  const Vector2d rest = Vector2d::Zero();
  expect_no_allocation("ExternalTorqueObserver::update", [&] {
    observer.update(model, bent, rest, Vector2d(1.0, 2.0));
  });
  bool known = false;
  double sum = 0.0;
  expect_no_allocation("ContactEstimator::update", [&] {
    known = estimator.update(bent, observer.torque(), observer.covariance());
  });
  expect_no_allocation("wrench and forces", [&] {
    sum = estimator.wrench(0).covariance(3, 3) + estimator.force_at_origin(0).covariance(0, 0) +
          estimator.force(1).covariance(0, 0);
  });
  EXPECT_TRUE(known);
  EXPECT_GT(sum, 0.0);
}

/// Eight joints, as Eigen multiplies larger matrices in blocks of memory of its own.
TEST(ExternalWrench, AllocatesNothingWithManyJoints)
{
  std::string urdf = R"(<robot name="chain"><link name="l0"/>)";
  dynid::MechanismDescription description;
  for (int k = 1; k <= 8; ++k) {
    const auto number = std::to_string(k);
    const auto before = std::to_string(k - 1);
    const std::string axis = k % 2 == 0 ? "0 0 1" : "0 1 0";
    urdf += R"(<link name="l)" + number + R"("><inertial><mass value="1"/><inertia ixx="1")" +
            R"( iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="j)" +
            number + R"(" type="continuous"><parent link="l)" + before + R"("/><child link="l)" +
            number + R"("/><origin xyz="0.2 0 0.1"/><axis xyz=")" + axis + R"("/></joint>)";
    description.joints.push_back("j" + number);
  }
  description.urdf_xml = urdf + "</robot>";
  ContactEstimator estimator(
    description, false, {region("l3", 0.1), region("l8", 0.1)}, {"l8"}, {});
  const Eigen::VectorXd q = Eigen::VectorXd::LinSpaced(8, 0.1, 0.8);
  const Eigen::VectorXd torque = Eigen::VectorXd::LinSpaced(8, 1.0, -1.0);
  const Eigen::MatrixXd covariance = Eigen::MatrixXd::Identity(8, 8);
  bool known = false;
  expect_no_allocation(
    "ContactEstimator::update", [&] { known = estimator.update(q, torque, covariance); });
  EXPECT_TRUE(known);
  EXPECT_TRUE(estimator.wrench(0).value.allFinite()) << "eight joints determine all of it";
}

}  // namespace
