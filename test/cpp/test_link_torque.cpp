// Collision detection by the torque in gears.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "allocation_checks.hpp"
#include "control_under_test.hpp"
#include "dynid/link_feedback.hpp"
#include "planar_arm.hpp"

namespace
{

using dynid::BlindReason;
using dynid::DetectionMethod;
using dynid::ElasticSettings;
using dynid::LinkFeedback;

constexpr double gear = 2000.0;      // [N m/rad]
constexpr double rubbing = 4.0;      // [N m] friction of the motor that no model has
constexpr double threshold = 0.5;    // [N m]
constexpr double speed = 1.0;        // [rad/s]
constexpr double cycle_time = 1e-3;  // [s]

ControlLawSettings gear_settings()
{
  auto settings = law_settings();
  settings.max_age = 0.02;
  settings.supervision.longest_blind = 0.01;
  settings.supervision.longest_blind_stop = 0.05;
  settings.collision.torque_error_max = one(threshold);
  settings.collision.low_speed = one(0.001);
  settings.elastic.stiffness = one(gear);
  settings.elastic.link_torque = one(1.0);
  return settings;
}

/// What bodies need, without the friction of the model.
double link_torque(double q) { return -weight * std::cos(q); }

enum class Measures
{
  encoder,
  sensor,
  nothing
};

/// A law whose robot moves evenly, with a contact torque at the link.
struct MovingLaw
{
  explicit MovingLaw(
    const ControlLawSettings & settings = gear_settings(), Measures given = Measures::encoder)
  : model(pendulum_model()), law(1, settings), measures(given)
  {
    law.use(&model);
    law.start(zero);
    step(10, 0.0);
  }

  void step(int cycles, double contact = 0.0, double reported = 0.0)
  {
    for (int k = 0; k < cycles; ++k, time += cycle_time) {
      const double q = speed * time;
      const double transmitted = link_torque(q) + contact;
      const double motor = q + transmitted / gear;
      auto measured = feedback(transmitted + rubbing, motor, speed);
      if (measures == Measures::encoder) {
        measured.link_position = one(q + reported);
      } else if (measures == Measures::sensor) {
        measured.link_torque = one(transmitted + reported);
      }
      law.update(reference(q, speed), measured);
    }
  }

  ControlModel model;
  ControlLaw law;
  Measures measures;
  double time = 0.0;
};

TEST(LinkTorque, FindsAContactThatTheMotorsFrictionHides)
{
  MovingLaw robot;
  robot.step(300);
  EXPECT_LT(std::abs(robot.law.torque_error()[0]), 1e-9)
    << "links need neither the friction of the model nor that of the motor";
  EXPECT_FALSE(robot.law.latched());
  EXPECT_EQ(robot.law.supervision().blind_time()[0], 0.0);
  robot.step(5, 1.5 * threshold);
  EXPECT_EQ(robot.law.detector().collision().cause, CollisionCause::torque_error);
  EXPECT_NEAR(robot.law.detector().collision().value, -1.5 * threshold, 1e-9);

  auto by_motor = gear_settings();
  by_motor.elastic.link_torque = zero;
  MovingLaw other(by_motor);
  other.step(5);
  EXPECT_TRUE(other.law.latched()) << "by its motor the same robot cannot be watched so closely";
}

TEST(LinkTorque, OfASensorNeedsNoStiffness)
{
  auto settings = gear_settings();
  settings.elastic.stiffness = {};
  MovingLaw robot(settings, Measures::sensor);
  robot.step(300);
  EXPECT_LT(std::abs(robot.law.torque_error()[0]), 1e-9);
  robot.step(5, 1.5 * threshold);
  EXPECT_EQ(robot.law.detector().collision().cause, CollisionCause::torque_error);
}

TEST(LinkTorque, IsComparedWithTheMeasuredMotionOfLinks)
{
  auto settings = gear_settings();
  settings.method = DetectionMethod::momentum;
  for (const auto measures : {Measures::encoder, Measures::sensor}) {
    MovingLaw robot(settings, measures);
    robot.step(300);
    EXPECT_LT(std::abs(robot.law.torque_error()[0]), 0.02);
    EXPECT_FALSE(robot.law.latched());
    robot.step(200, 2.0 * threshold);
    EXPECT_EQ(robot.law.detector().collision().cause, CollisionCause::torque_error);
  }
}

TEST(LinkTorque, MissingAtTheLinkIsPublishedAndStopsTheRobot)
{
  MovingLaw robot;
  robot.step(300);
  robot.step(10, 0.0, nan);
  EXPECT_EQ(robot.law.supervision().reason(0), BlindReason::bad_sample);
  EXPECT_NEAR(robot.law.supervision().blind_time()[0], 0.010, 1e-9);
  EXPECT_FALSE(robot.law.latched()) << "for a short time";
  robot.step(1);
  EXPECT_EQ(robot.law.supervision().blind_time()[0], 0.0);
  EXPECT_LT(std::abs(robot.law.torque_error()[0]), 1e-9) << "and continues after a gap";
  robot.step(30, 0.0, nan);
  EXPECT_EQ(robot.law.detector().collision().cause, CollisionCause::no_torque);
}

TEST(LinkTorque, ThatNothingMeasuresStopsTheRobot)
{
  MovingLaw robot(gear_settings(), Measures::nothing);
  robot.step(30);
  EXPECT_EQ(robot.law.detector().collision().cause, CollisionCause::no_torque);
}

TEST(LinkTorque, OfAnEncoderThatRepeatsTheMotorsIsNotEvaluated)
{
  auto settings = gear_settings();
  settings.collision.torque_error_max = one(100.0);  // nothing else would notice
  ControlLaw law(1, settings);
  auto model = pendulum_model();
  law.use(&model);
  law.start(zero);
  for (int k = 0; k < 100; ++k) {
    const double q = 1e-3 * k;
    auto measured = feedback(link_torque(q) + 1e-6 * k, q, speed);
    measured.link_position = one(q);
    law.update(reference(q, speed), measured);
  }
  EXPECT_EQ(law.detector().collision().cause, CollisionCause::blind);
  EXPECT_EQ(law.detector().collision().reason, BlindReason::constant_torque);
}

TEST(LinkTorque, OfCoupledMotorsIsNotKnown)
{
  auto description = planar_arm({joint_term("viscous", 0)});
  description.coupling = planar_coupling();
  const dynid::Mechanism mechanism(description);
  const Eigen::VectorXd smoothing = Eigen::Vector2d(0.01, 0.01);
  ControlModel model(description, mechanism.urdf_parameters(), smoothing, false);
  const Eigen::VectorXd q = Eigen::Vector2d(0.1, 0.2);
  Eigen::VectorXd tau(2);
  model.supervised_torque(q, q, q, tau);
  EXPECT_TRUE(tau.allFinite());
  model.supervise_gears(Eigen::Vector2d(1.0, 0.0));
  model.supervised_torque(q, q, q, tau);
  EXPECT_TRUE(tau.array().isNaN().all());
  model.supervise_gears(Eigen::Vector2d::Zero());
  model.supervised_torque(q, q, q, tau);
  EXPECT_TRUE(tau.allFinite());
}

TEST(LinkTorque, OfTheModelLeavesOutMotorsOfSupervisedGearsOnly)
{
  auto description = planar_arm(
    {joint_term("viscous", 0), joint_term("rotor_inertia", 0), joint_term("spring_stiffness", 0),
     joint_term("rotor_inertia", 1)});
  const dynid::Mechanism mechanism(description);
  Eigen::VectorXd parameters = mechanism.urdf_parameters();
  parameters.tail(4) << 3.0, 0.7, 5.0, 0.2;
  ControlModel model(description, parameters, Eigen::Vector2d(0.01, 0.01), false);
  model.supervise_gears(Eigen::Vector2d(1.0, 0.0));
  const Eigen::Vector2d q(0.3, -0.4);
  const Eigen::Vector2d dq(0.5, 0.6);
  const Eigen::Vector2d ddq(-0.7, 0.8);
  Eigen::VectorXd tau(2);
  model.supervised_torque(q, dq, ddq, tau);
  const Eigen::Vector2d rigid = planar_torque(q, dq, ddq);
  EXPECT_NEAR(tau[0], rigid[0] + 5.0 * q[0], 1e-12);
  EXPECT_NEAR(tau[1], rigid[1] + 0.2 * ddq[1], 1e-12);
  Eigen::VectorXd momentum(2);
  Eigen::VectorXd bias(2);
  model.momentum(q, dq, momentum, bias);
  const Eigen::Vector2d expected = planar_mass(q) * dq + Eigen::Vector2d(0.0, 0.2 * dq[1]);
  EXPECT_LT((momentum - expected).norm(), 1e-12);
  const Eigen::Vector2d bias_expected =
    planar_gravity(q) + Eigen::Vector2d(5.0 * q[0], 0.0) - planar_coriolis(q, dq).transpose() * dq;
  EXPECT_LT((bias - bias_expected).norm(), 1e-12);
  model.inertia_torque(q, ddq, tau);
  EXPECT_LT((tau - planar_mass(q) * ddq - Eigen::Vector2d(0.0, 0.2 * ddq[1])).norm(), 1e-12);
}

// --- feedback ---------------------------------------------------------------------------------

ElasticSettings encoders(double backlash = 0.0, double damping = 0.0, double delay = 0.0)
{
  ElasticSettings settings;
  settings.stiffness = one(gear);
  settings.backlash = one(backlash);
  settings.damping = one(damping);
  settings.link_torque = one(1.0);
  settings.link_delay = one(delay);
  return settings;
}

dynid::Feedback both(double motor, double link)
{
  auto found = feedback(0.0, motor);
  found.link_position = one(link);
  return found;
}

TEST(LinkFeedback, HasTheTorqueOfTeethThatTouch)
{
  LinkFeedback links(1, encoders(2e-3, 10.0), 1000.0);
  EXPECT_EQ(links.update(both(0.9e-3, 0.0), 1.0).torque[0], 0.0) << "none within the backlash";
  EXPECT_NEAR(links.update(both(3e-3, 0.0), 1.0).torque[0], gear * 2e-3 + 10.0 * 2.1, 1e-9);
  EXPECT_NEAR(links.update(both(-4e-3, 0.0), 2.0).torque[0], -gear * 3e-3 - 10.0 * 3.5, 1e-9);
}

TEST(LinkFeedback, HardensWithLoad)
{
  auto settings = encoders();
  settings.hardening = one(1e8);
  LinkFeedback links(1, settings, 1000.0);
  EXPECT_NEAR(links.update(both(5e-3, 0.0), 1.0).torque[0], 5e-3 * gear + 12.5, 1e-9);
  auto measured = feedback(0.0, 0.5);
  measured.link_torque = one(5e-3 * gear + 12.5);
  EXPECT_NEAR(links.update(measured, 1.0).position[0], 0.495, 1e-12);
}

TEST(LinkFeedback, ReadsEncodersInTheirUnitAndTime)
{
  auto settings = encoders(0.0, 0.0, 2.5e-3);
  settings.link_factor = one(-2.0);
  settings.link_offset = one(0.1);
  LinkFeedback links(1, settings, 1000.0);
  for (int k = 0; k < 20; ++k) {
    const double link = 1e-3 * (k - 2.5);  // of the motor 2.5 cycles before
    const auto & found = links.update(both(1e-3 * k, (link - 0.1) / -2.0), 1.0);
    if (k > 3) {
      EXPECT_NEAR(found.torque[0], 0.0, 1e-9);
      EXPECT_NEAR(found.position[0], link, 1e-12);
      EXPECT_NEAR(found.velocity[0], 1.0, 1e-9);
    }
  }
  EXPECT_NEAR(links.update(both(0.023, (0.0205 - 0.1) / -2.0), 4.0).torque[0], 0.0, 1e-9)
    << "and where a cycle was late";
}

TEST(LinkFeedback, OfASensorFindsTheLinkBehindTheGear)
{
  LinkFeedback links(1, encoders(), 1000.0);
  auto measured = feedback(0.0, 0.5, 2.0);
  measured.link_torque = one(20.0);
  std::ignore = links.update(measured, 1.0);
  measured.link_torque = one(22.0);
  const auto & found = links.update(measured, 1.0);
  EXPECT_EQ(found.torque[0], 22.0);
  EXPECT_NEAR(found.position[0], 0.5 - 22.0 / gear, 1e-12);
  EXPECT_NEAR(found.velocity[0], 2.0 - 2000.0 / gear, 1e-9);
}

TEST(LinkFeedback, LeavesOtherJointsAsTheyAre)
{
  ElasticSettings settings;
  settings.stiffness = Eigen::Vector2d(gear, infinity);
  settings.link_torque = Eigen::Vector2d(1.0, 0.0);
  LinkFeedback links(2, settings, 1000.0);
  dynid::Feedback measured{
    Eigen::Vector2d(0.1, 0.2), Eigen::Vector2d(0.3, 0.4), Eigen::Vector2d(5.0, 6.0)};
  measured.link_position = Eigen::Vector2d(0.1, nan);
  const auto & found = links.update(measured, 1.0);
  EXPECT_EQ(found.torque, Eigen::Vector2d(0.0, 6.0));
  EXPECT_EQ(found.position, Eigen::Vector2d(0.1, 0.2));
  EXPECT_EQ(found.velocity, Eigen::Vector2d(0.3, 0.4)) << "that of the motor at first";
  LinkFeedback none(2, {}, 1000.0);
  EXPECT_EQ(&none.update(measured, 1.0), &measured);
}

TEST(LinkTorque, CyclesDoNotAllocate)
{
  auto settings = gear_settings();
  settings.elastic.link_delay = one(2.5e-3);
  settings.collision.torque_error_max = one(infinity);
  for (const auto method : {DetectionMethod::torque_error, DetectionMethod::momentum}) {
    settings.method = method;
    auto model = pendulum_model();
    ControlLaw law(1, settings);
    law.start(zero);
    const auto still = reference(0.0);
    auto measured = both(0.0, -0.005);
    expect_no_allocation("a model", [&] { law.use(&model); });
    expect_no_allocation("a cycle", [&] { law.update(still, measured); });
    measured.link_position = one(nan);
    expect_no_allocation("a missing link", [&] { law.update(still, measured); });
  }
}

}  // namespace
