// Faults stop the simulated robot, it rejects non-finite inputs, and its cycle does not allocate.

#include <gtest/gtest.h>

#include <stdexcept>

#include "allocation_checks.hpp"
#include "simulated_robots.hpp"

namespace
{

using dynid::DriveFault;
using dynid::FaultCleared;

TEST(DriveFaults, AFaultBringsItToRestAndHolds)
{
  auto plant = pendulum(plain(1));
  plant.reset(zero);
  int k = 0;
  for (; k < 300; ++k) {
    plant.step(one(swing(k)), zero);
  }
  const double speed = plant.truth().velocity[0];
  const double from = plant.truth().position[0];
  plant.trip();
  for (; k < 1300; ++k) {
    plant.step(one(swing(k)), zero);
  }
  const double held = plant.truth().position[0];
  EXPECT_EQ(plant.fault().reason, FaultReason::injected) << "it trips while it moves";
  EXPECT_GT(speed, 1.0);
  EXPECT_LT(std::abs(plant.truth().velocity[0]), 1e-3) << "in a fault it comes to rest";
  EXPECT_LT(std::abs(held - from - speed * speed / 20.0), 0.01)
    << "along a ramp of the deceleration given";
  plant.clear_fault();
  plant.step(one(nan), one(nan));
  for (k = 0; k < 500; ++k) {
    plant.step(one(held + 1e-4 * k), zero);
  }
  EXPECT_EQ(plant.fault().reason, FaultReason::none) << "a cleared fault stays cleared";
  EXPECT_LT(std::abs(plant.position()[0] - held - 0.0497), 2e-3)
    << "and targets are followed again";
}

TEST(DriveFaults, OneDriveFailsWhileTheOtherGoesOn)
{
  auto settings = plain(2);
  settings.motor_side = true;
  auto plant = arm(settings);
  const VectorXd none = VectorXd::Zero(2);
  const auto targets = [](int k) { return Eigen::Vector2d(0.2 * swing(k), 0.2 * swing(k)); };
  int k = 0;
  for (; k < 300; ++k) {
    plant.step(targets(k), none);
  }
  plant.inject(DriveFault{1});
  for (; k < 800; ++k) {
    plant.step(targets(k), none);
  }
  EXPECT_FALSE(plant.failed(0)) << "one drive is in fault";
  EXPECT_TRUE(plant.failed(1));
  EXPECT_NEAR(plant.position()[0], targets(k - 4)[0], 5e-3) << "the other follows its target";
  const double held = plant.position()[1];
  for (int j = 0; j < 100; ++j) {
    plant.step(targets(k), none);
  }
  // the other brakes meanwhile, and pulls
  EXPECT_NEAR(plant.position()[1], held, 5e-3) << "while the one holds";
  EXPECT_EQ(
    describe(plant.fault(), {"one", "two"}).rfind("A fault of the drive of joint 'two' was", 0), 0U)
    << "which is reported";
  plant.inject(FaultCleared{1});
  const double from = plant.position()[1];
  for (int j = 0; j < 300; ++j) {
    plant.step(Eigen::Vector2d(targets(k)[0], from + 1e-4 * j), none);
  }
  EXPECT_EQ(plant.fault().reason, FaultReason::none) << "until its fault is cleared";
  EXPECT_GT(plant.position()[1], from + 0.02);
}

TEST(DriveFaults, AJumpOfTheTargetTrips)
{
  auto plant = arm(plain(2));
  VectorXd target = VectorXd::Zero(2);
  target[1] = 0.6;
  for (int k = 0; k < 100; ++k) {
    plant.step(target, VectorXd::Zero(2));
  }
  EXPECT_EQ(plant.fault().reason, FaultReason::following_error) << "a jump of the target trips";
  EXPECT_EQ(plant.fault().drive, 1) << "and the drive that lost its target is named";
  EXPECT_LT(plant.truth().position.norm(), 0.1) << "the robot does not follow the jump";
  plant.reset(target);
  EXPECT_EQ(plant.fault().reason, FaultReason::none) << "a reset clears the fault";
}

TEST(DriveFaults, NonFiniteInputsAreRejected)
{
  auto plant = pendulum(plain(1));
  auto same = pendulum(plain(1));
  bool equal = true;
  for (int k = 0; k < 500; ++k) {
    const bool bad = k % 7 == 3;
    plant.step(one(bad ? nan : swing(k)), one(k % 11 == 5 ? infinity : 1.0));
    same.step(one(swing(bad ? k - 1 : k)), one(k % 11 == 5 ? 0.0 : 1.0));
    equal = equal && plant.position() == same.position() && plant.torque() == same.torque();
  }
  EXPECT_TRUE(equal) << "non-finite values are replaced by the last target and no offset";
  EXPECT_GT(plant.rejected_inputs(), 100) << "which is counted";
  EXPECT_EQ(same.rejected_inputs(), 0);
  plant.step(one(1e300), one(-1e300));
  EXPECT_TRUE(plant.truth().position.allFinite()) << "a very large number is treated as infinite";
  EXPECT_EQ(plant.fault().reason, FaultReason::none);
}

TEST(DriveFaults, AnUnstableLoopIsStopped)
{
  auto settings = plain(1);
  settings.bandwidth_hz = one(1e5);
  settings.following_error = one(infinity);
  auto plant = pendulum(settings);
  bool finite = true;
  double farthest = 0.0;
  for (int k = 0; k < 3000; ++k) {
    plant.step(one(swing(k)), zero);
    farthest = std::max(farthest, std::abs(plant.truth().position[0]));
    finite = finite && plant.truth().position.allFinite() && plant.torque().allFinite() &&
             plant.velocity().allFinite();
  }
  EXPECT_EQ(plant.fault().reason, FaultReason::not_finite) << "an unstable loop is a fault";
  EXPECT_LE(farthest, 1e9) << "before the dynamics overflow";
  EXPECT_TRUE(finite) << "and all feedback is finite";
}

TEST(DriveFaults, Refusals)
{
  const auto refused = [](const std::function<void()> & function) {
    try {
      function();
    } catch (const std::invalid_argument &) {
      return true;
    }
    return false;
  };
  auto plant = pendulum(plain(1));
  auto settings = plain(1);
  settings.bandwidth_hz = one(nan);
  EXPECT_TRUE(refused([&] { pendulum(settings); })) << "a setting that is not finite is refused";
  EXPECT_TRUE(refused([&] { pendulum(plain(2)); })) << "settings for another robot are refused";
  EXPECT_TRUE(refused([&] { pendulum(plain(1), -1.0); })) << "negative friction is refused";
  EXPECT_TRUE(refused([&] { plant.reset(one(nan)); }))
    << "a position that is not finite is refused";
}

TEST(DriveFaults, ACycleAllocatesNothing)
{
  auto settings = plain(2);
  settings.integration_rate = 4000.0;
  settings.torque_noise.setOnes();
  settings.rated_torque.setConstant(10.0);
  settings.stribeck_torque.setOnes();
  auto plant = arm(settings);
  VectorXd target(2);
  const VectorXd offset = VectorXd::Zero(2);
  expect_no_allocation("a cycle, in and out of faults,", [&] {
    for (int k = 0; k < 3000; ++k) {
      target.setConstant(k == 400 ? nan : k == 2000 ? 7.0 : swing(k));
      plant.step(target, offset);
      if (k == 1000) {
        plant.trip();
      }
      if (k == 1500) {
        plant.clear_fault();
      }
    }
  });
  EXPECT_EQ(plant.fault().reason, FaultReason::following_error) << "which it went through";
}

}  // namespace
