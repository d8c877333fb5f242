// The simulated robot with elastic joints.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "allocation_checks.hpp"
#include "planar_arm.hpp"
#include "simulated_robots.hpp"

namespace
{

using dynid::DriveMode;

constexpr double rotor = 0.2;  // [kg m^2]

struct Gear
{
  double stiffness = 5000.0;
  double damping = 0.0;
  double backlash = 0.0;
  double hardening = 0.0;
};

DrivePlantSettings elastic(Eigen::Index n, const Gear & gear, double rate = 1000.0)
{
  auto settings = plain(n);
  settings.integration_rate = rate;
  settings.mode = DriveMode::torque;
  settings.command_delay = settings.feedback_delay = 0.0;
  settings.joint_stiffness = VectorXd::Constant(n, gear.stiffness);
  settings.joint_hardening = VectorXd::Constant(n, gear.hardening);
  settings.joint_damping = VectorXd::Constant(n, gear.damping);
  settings.joint_backlash = VectorXd::Constant(n, gear.backlash);
  settings.rotor_inertia = VectorXd::Constant(n, rotor);
  settings.bandwidth_hz.setConstant(1.0);  // one step in a cycle suffices
  return settings;
}

/// The pendulum with viscous friction and a rotor inertia term, which is not the motor's.
DrivePlant viscous_pendulum(const DrivePlantSettings & settings, double viscous, double g = 9.81)
{
  dynid::MechanismDescription description;
  description.urdf_xml = pendulum_urdf;
  description.joints = {"axis"};
  description.gravity = {0.0, 0.0, -g};
  description.terms = {joint_term("rotor_inertia", 0), joint_term("viscous", 0)};
  VectorXd parameters = dynid::Mechanism(description).urdf_parameters();
  parameters.tail(2) << 0.7, viscous;
  return {description, parameters, settings};
}

double bent(const Gear & gear, double deflection)
{
  return deflection - std::clamp(deflection, -gear.backlash / 2, gear.backlash / 2);
}

// --- integration ------------------------------------------------------------------------------

class AnyGear : public testing::TestWithParam<Gear>
{
};

TEST_P(AnyGear, ConservesEnergyWithoutDampingAndFriction)
{
  const auto gear = GetParam();
  auto plant = pendulum(elastic(1, gear), 0.0, 0.0);
  plant.reset(zero);
  for (int k = 0; k < 20; ++k) {
    plant.step(zero, one(k < 10 ? 40.0 : -25.0));
  }
  const auto energy = [&] {
    const auto & truth = plant.truth();
    const double e = bent(gear, truth.motor_position[0] - truth.position[0]);
    return rotor / 2 * std::pow(truth.motor_velocity[0], 2) +
           inertia / 2 * std::pow(truth.velocity[0], 2) + gear.stiffness / 2 * e * e +
           gear.hardening / 4 * std::pow(e, 4);
  };
  const double before = energy();
  double worst = 0.0;
  for (int k = 0; k < 20000; ++k) {
    plant.step(zero, zero);
    worst = std::max(worst, std::abs(energy() - before));
  }
  EXPECT_GT(before, 0.01);
  EXPECT_LT(worst, 1e-6 * before) << "whatever the stiffness, energy neither grows nor is lost";
}

INSTANTIATE_TEST_SUITE_P(
  ElasticPlant, AnyGear,
  testing::Values(
    Gear{50.0}, Gear{5e3}, Gear{5e6}, Gear{5e9}, Gear{50.0, 0.0, 0.01}, Gear{5e3, 0.0, 1e-3},
    Gear{5e6, 0.0, 1e-3}, Gear{5e9, 0.0, 1e-4}, Gear{50.0, 0.0, 0.0, 1e4},
    Gear{5e3, 0.0, 0.0, 1e10}, Gear{5e3, 0.0, 1e-3, 1e10}));

/// Error of motor and link after 0.2 s against Runge and Kutta's method with tiny steps.
double error_at(double rate)
{
  const Gear gear{2000.0, 3.0};
  constexpr double viscous = 2.0;
  constexpr double torque = 8.0;
  auto plant = viscous_pendulum(elastic(1, gear, rate), viscous);
  plant.reset(one(0.3));
  using State = Eigen::Vector4d;  // motor, link, and their velocities
  State state(0.3, plant.truth().position[0], 0.0, 0.0);
  const auto rates = [&](const State & x) {
    const double spring = gear.stiffness * (x[0] - x[1]) + gear.damping * (x[2] - x[3]);
    return State(
      x[2], x[3], (torque - viscous * x[2] - spring) / rotor,
      (spring + weight * std::cos(x[1])) / inertia);
  };
  constexpr double step = 1e-5;
  for (int k = 0; k < 20000; ++k) {
    const State a = rates(state);
    const State b = rates(state + step / 2 * a);
    const State c = rates(state + step / 2 * b);
    const State d = rates(state + step * c);
    state += step / 6 * (a + 2 * b + 2 * c + d);
  }
  for (int k = 0; k < 200; ++k) {
    plant.step(zero, one(torque));
  }
  const auto & truth = plant.truth();
  return std::hypot(truth.motor_position[0] - state[0], truth.position[0] - state[1]);
}

TEST(ElasticPlant, HalfTheStepHasAQuarterOfTheError)
{
  const std::array errors{error_at(1000.0), error_at(2000.0), error_at(4000.0)};
  EXPECT_LT(errors[0], 1e-4);
  EXPECT_GT(errors[2], 1e-10) << "errors are those of the steps";
  EXPECT_NEAR(errors[0] / errors[1], 4.0, 0.4);
  EXPECT_NEAR(errors[1] / errors[2], 4.0, 0.4);
}

TEST(ElasticPlant, TheRotorCountsOnceAsTheMotors)
{
  auto plant = viscous_pendulum(elastic(1, {1e9, 1e4}), 0.0, 0.0);
  plant.reset(zero);
  for (int k = 0; k < 100; ++k) {
    plant.step(zero, one(2.0));
  }
  const auto & truth = plant.truth();
  EXPECT_NEAR(rotor * truth.motor_velocity[0] + inertia * truth.velocity[0], 2.0 * 0.1, 1e-12);
  EXPECT_NEAR(truth.velocity[0], 2.0 / (inertia + rotor) * 0.1, 1e-4) << "hardly bent";
}

// --- rest and friction ------------------------------------------------------------------------

TEST(ElasticPlant, RestsBentByTheLoadUntilSomethingMovesIt)
{
  const auto description = planar_arm();
  const VectorXd parameters = dynid::Mechanism(description).urdf_parameters();
  for (const auto mode : {DriveMode::position, DriveMode::torque_and_gravity}) {
    for (const auto & gear :
         {Gear{800.0}, Gear{3e4, 5.0, 1e-3}, Gear{1e10}, Gear{800.0, 1.0, 1e-3, 1e7}}) {
      auto settings = elastic(2, gear);
      settings.mode = mode;
      DrivePlant plant(description, parameters, settings);
      const Eigen::Vector2d at(0.4, -0.3);
      plant.reset(at);
      const auto begin = plant.truth();
      EXPECT_LT((begin.motor_position - at).norm(), 1e-15);
      const Eigen::Vector2d load =
        planar_torque(begin.position, Eigen::Vector2d::Zero(), Eigen::Vector2d::Zero());
      for (int j = 0; j < 2; ++j) {
        const double e = bent(gear, begin.motor_position[j] - begin.position[j]);
        EXPECT_NEAR(
          (gear.stiffness + gear.hardening * e * e) * e, load[j], 1e-5 + 1e-15 * gear.stiffness);
      }
      double moved = 0.0;
      for (int k = 0; k < 2000; ++k) {
        plant.step(at, Eigen::Vector2d::Zero());
        moved = std::max(
          {moved, (plant.truth().position - begin.position).norm(),
           (plant.truth().motor_position - begin.motor_position).norm()});
      }
      EXPECT_LT(moved, 1e-9);
    }
  }
}

TEST(ElasticPlant, AMotorThatSticksIsAtRestWhileItsLinkSwings)
{
  const Gear gear{300.0};
  auto plant = pendulum(elastic(1, gear), 12.0);  // above weight and swing
  plant.reset(one(1.2));
  dynid::ExternalForce push;
  push.link = plant.link("bob");
  push.moment = {0.0, 2.0, 0.0};
  push.duration = 0.01;
  plant.inject(push);
  double fastest_motor = 0.0;
  double fastest_link = 0.0;
  for (int k = 0; k < 3000; ++k) {
    plant.step(zero, zero);
    fastest_motor = std::max(fastest_motor, std::abs(plant.truth().motor_velocity[0]));
    fastest_link = std::max(fastest_link, std::abs(plant.truth().velocity[0]));
  }
  EXPECT_EQ(fastest_motor, 0.0);
  EXPECT_GT(fastest_link, 1e-3);
  EXPECT_EQ(plant.position()[0], 1.2) << "the encoder is the motor's";
}

// --- robots -----------------------------------------------------------------------------------

TEST(ElasticPlant, ARigidJointsMotorIsItsLink)
{
  const auto description = planar_arm({joint_term("coulomb", 0), joint_term("viscous", 0)});
  VectorXd parameters = dynid::Mechanism(description).urdf_parameters();
  parameters.tail(2) << 1.0, 2.0;
  auto settings = elastic(2, {2000.0, 1.0});
  settings.joint_stiffness[0] = infinity;
  settings.mode = DriveMode::position;
  DrivePlant plant(description, parameters, settings);
  plant.reset(VectorXd::Zero(2));
  double bending = 0.0;
  for (int k = 0; k < 1000; ++k) {
    plant.step(Eigen::Vector2d(swing(k), -swing(k)), VectorXd::Zero(2));
    const auto & truth = plant.truth();
    ASSERT_EQ(truth.motor_position[0], truth.position[0]);
    ASSERT_EQ(truth.motor_velocity[0], truth.velocity[0]);
    bending = std::max(bending, std::abs(truth.motor_position[1] - truth.position[1]));
  }
  EXPECT_EQ(plant.fault().reason, FaultReason::none);
  EXPECT_GT(bending, 1e-4);
}

TEST(ElasticPlant, OfInfiniteStiffnessIsTheRigidRobot)
{
  auto settings = elastic(1, {infinity});
  auto made_elastic = pendulum(settings, 1.0);
  settings.joint_stiffness.resize(0);
  auto rigid = pendulum(settings, 1.0);
  for (int k = 0; k < 500; ++k) {
    for (auto * plant : {&made_elastic, &rigid}) {
      plant->step(zero, one(10.0 * std::sin(0.01 * k)));
    }
    ASSERT_EQ(made_elastic.truth().position[0], rigid.truth().position[0]);
  }
  EXPECT_NE(rigid.truth().position[0], 0.0);
}

TEST(ElasticPlant, RefusesWhatItCannotSimulate)
{
  auto settings = elastic(2, {});
  EXPECT_THROW(arm(settings), std::invalid_argument) << "coupled motors";
  settings = elastic(1, {});
  settings.rotor_inertia[0] = 0.0;
  EXPECT_THROW(pendulum(settings), std::invalid_argument);
  settings.rotor_inertia[0] = 1e-9;
  EXPECT_THROW(pendulum(settings), std::invalid_argument) << "no step is small enough";
}

TEST(ElasticPlant, StepsWithoutAllocation)
{
  const auto description = planar_arm({joint_term("coulomb", 0), joint_term("lugre", 1)});
  auto terms = description;
  terms.terms[1].scale = 1e-3;
  terms.terms[1].static_ratio = 0.3;
  terms.terms[1].stribeck_velocity = 0.1;
  VectorXd parameters = dynid::Mechanism(terms).urdf_parameters();
  parameters.tail(2) << 1.0, 0.5;
  auto settings = elastic(2, {2000.0, 1.0, 1e-3});
  DrivePlant plant(terms, parameters, settings);
  plant.reset(VectorXd::Zero(2));
  const VectorXd target = VectorXd::Zero(2);
  VectorXd offset = VectorXd::Zero(2);
  expect_no_allocation("a cycle of elastic joints, and one that is given up,", [&] {
    for (int k = 0; k < 3000; ++k) {
      offset[0] = k < 200 ? 20.0 * std::sin(0.1 * k) : 1e9;
      plant.step(target, offset);
    }
  });
  EXPECT_EQ(plant.fault().reason, FaultReason::not_finite);
  EXPECT_TRUE(plant.truth().position.allFinite());
  EXPECT_TRUE(plant.truth().motor_position.allFinite());
}

}  // namespace
