// The simulated robot in torque mode.

#include <gtest/gtest.h>

#include "simulated_robots.hpp"

namespace
{

using dynid::DriveMode;

DrivePlantSettings torque_mode(DriveMode mode, Eigen::Index n = 1)
{
  auto settings = plain(n);
  settings.mode = mode;
  settings.command_delay = 0;
  settings.feedback_delay = 0;
  return settings;
}

TEST(TorquePlant, AcceleratesWithTheTorqueOfTheCommand)
{
  auto plant = pendulum(torque_mode(DriveMode::torque), 0.0, 0.0);
  plant.reset(zero);
  for (int k = 0; k < 100; ++k) {
    plant.step(one(9.0), one(2.0));
  }
  EXPECT_NEAR(plant.truth().velocity[0], 2.0 / inertia * 0.1, 1e-9) << "the target is ignored";
  EXPECT_NEAR(plant.truth().position[0], 0.5 * 2.0 / inertia * 0.01, 1e-6);
  EXPECT_EQ(plant.torque()[0], 2.0);
  EXPECT_EQ(plant.fault().reason, FaultReason::none);
}

TEST(TorquePlant, FallsWithoutATorqueUnlessTheRobotCompensatesGravity)
{
  auto falling = pendulum(torque_mode(DriveMode::torque));
  auto floating = pendulum(torque_mode(DriveMode::torque_and_gravity));
  for (auto * plant : {&falling, &floating}) {
    plant->reset(zero);
    for (int k = 0; k < 100; ++k) {
      plant->step(zero, zero);
    }
  }
  EXPECT_NEAR(falling.truth().position[0], 0.5 * weight / inertia * 0.01, 1e-3);
  EXPECT_NEAR(floating.truth().position[0], 0.0, 1e-9);
  EXPECT_NEAR(floating.torque()[0], -weight, 1e-9) << "measured torque includes it";
}

TEST(TorquePlant, HoldsItselfUntilTheFirstCommandActs)
{
  auto settings = torque_mode(DriveMode::torque);
  settings.command_delay = 0.005;
  auto plant = pendulum(settings);
  plant.reset(one(0.4));
  for (int k = 0; k < 5; ++k) {
    plant.step(zero, zero);
  }
  EXPECT_NEAR(plant.truth().velocity[0], 0.0, 1e-9);
  plant.step(zero, zero);
  EXPECT_GT(plant.truth().velocity[0], 1e-3);
}

TEST(TorquePlant, LimitsItsTorque)
{
  auto settings = torque_mode(DriveMode::torque);
  settings.torque_max = one(3.0);
  auto plant = pendulum(settings);
  plant.reset(zero);
  plant.step(zero, one(1e9));
  EXPECT_EQ(plant.torque()[0], 3.0);
  plant.step(zero, one(nan));
  EXPECT_EQ(plant.torque()[0], 0.0) << "a torque that is not finite counts as 0";
  EXPECT_EQ(plant.rejected_inputs(), 1u);
}

TEST(TorquePlant, StopsItselfWhereCommandsAreLost)
{
  auto plant = pendulum(torque_mode(DriveMode::torque));
  plant.reset(zero);
  plant.inject(dynid::LostFrames{10});
  for (int k = 0; k < 11; ++k) {
    plant.step(zero, one(-weight));
  }
  EXPECT_EQ(plant.fault().reason, FaultReason::none) << "ten lost frames are bridged";
  plant.inject(dynid::LostFrames{1000});
  for (int k = 0; k < 1000; ++k) {
    plant.step(zero, one(-weight));
  }
  EXPECT_EQ(plant.fault().reason, FaultReason::no_command);
  EXPECT_NE(dynid::describe(plant.fault(), {"axis"}).find("torque command"), std::string::npos);
  EXPECT_NEAR(plant.truth().velocity[0], 0.0, 1e-6) << "and then its own loops hold it";
  EXPECT_NEAR(plant.truth().position[0], 0.0, 0.05);
}

TEST(TorquePlant, ConvertsTorquesOfCoupledMotors)
{
  auto settings = torque_mode(DriveMode::torque_and_gravity, 2);
  settings.motor_side = true;
  auto robot = arm(settings);
  robot.reset(VectorXd::Zero(2));
  const Eigen::Vector2d torque(0.0, 0.2);  // less than the friction of 0.3
  for (int k = 0; k < 50; ++k) {
    robot.step(VectorXd::Zero(2), torque);
  }
  EXPECT_NEAR(robot.truth().velocity.norm(), 0.0, 1e-9);
  for (int k = 0; k < 50; ++k) {
    robot.step(VectorXd::Zero(2), 10.0 * torque);
  }
  EXPECT_GT(robot.truth().velocity[1], 0.1);
}

}  // namespace
