// Lost frames freeze the feedback, saturation limits a drive's torque, and invalid injections are
// refused.

#include <gtest/gtest.h>

#include <tuple>

#include "allocation_checks.hpp"
#include "refusals.hpp"
#include "simulated_robots.hpp"

namespace
{

using dynid::ExternalForce;
using dynid::FrameLoss;
using dynid::Injection;
using dynid::LostFrames;
using dynid::Saturation;
using Eigen::Vector3d;

TEST(DriveInjections, LostFramesFreezeFeedbackWhileTheRobotMovesOn)
{
  auto plant = pendulum(plain(1));
  auto undisturbed = pendulum(plain(1));
  double last = 0.0;
  bool frozen = true;
  double aside = 0.0;
  for (int k = 0; k < 500; ++k) {
    const bool lost = k >= 300 && k < 305;
    if (k == 300) {
      last = plant.position()[0];
      plant.inject(LostFrames{5});
    }
    plant.step(one(lost ? 9.0 : swing(k)), one(lost ? 9.0 : 0.0));
    undisturbed.step(one(swing(k)), zero);
    frozen = frozen && (!lost || plant.position()[0] == last);
    aside = std::max(aside, std::abs(plant.truth().position[0] - undisturbed.truth().position[0]));
  }
  EXPECT_TRUE(frozen) << "feedback keeps its last value";
  EXPECT_EQ(plant.lost_frames(), 5) << "five are lost";
  EXPECT_EQ(plant.fault().reason, FaultReason::none);
  // the swing bends by 16 rad/s^2: half of that times the square of the gap
  EXPECT_GT(aside, 0.0) << "the drives extrapolate with the last step";
  EXPECT_LT(aside, 8.0 * 5e-3 * 5e-3);
  EXPECT_NEAR(plant.position()[0], undisturbed.position()[0], 1e-6) << "and return to the path";
}

TEST(DriveInjections, ALongGapEndsInRest)
{
  auto plant = pendulum(plain(1));
  plant.inject(LostFrames{0});
  int k = 0;
  for (; k < 250; ++k) {
    plant.step(one(swing(k)), zero);
  }
  const double last = swing(k - 1);
  const double width = last - swing(k - 2);
  plant.inject(LostFrames{1000});
  for (; k < 1249; ++k) {
    plant.step(one(swing(k)), zero);
  }
  EXPECT_LT(std::abs(plant.truth().position[0] - last - 10.0 * width), 1e-3)
    << "after ten steps the drives hold";
}

TEST(DriveInjections, EveryGapIsBridged)
{
  auto plant = pendulum(plain(1));
  auto undisturbed = pendulum(plain(1));
  double aside = 0.0;
  for (int k = 0; k < 500; ++k) {
    if (k % 20 == 0) {
      plant.inject(LostFrames{4});
    }
    plant.step(one(swing(k)), zero);
    undisturbed.step(one(swing(k)), zero);
    aside = std::max(aside, std::abs(plant.truth().position[0] - undisturbed.truth().position[0]));
  }
  // half of 16 rad/s^2 times the square of the gap; a gap that is not bridged stops at 2.5 rad/s
  EXPECT_EQ(plant.lost_frames(), 100) << "every gap is bridged";
  EXPECT_LT(aside, 8.0 * 4e-3 * 4e-3);
}

TEST(DriveInjections, AResetEndsInjections)
{
  auto settings = plain(1);
  settings.torque_max = one(2.0 * weight);
  auto plant = pendulum(settings);
  plant.inject(FrameLoss{1.0});
  plant.inject(LostFrames{1000});
  plant.inject(Saturation{0, 0.01});
  plant.reset(zero);
  for (int k = 0; k < 100; ++k) {
    plant.step(zero, zero);
  }
  EXPECT_EQ(plant.lost_frames(), 0) << "after a reset no frame gets lost";
  EXPECT_LT(std::abs(plant.truth().position[0]), 1e-9) << "and the drives hold the robot's weight";
}

TEST(DriveInjections, FramesAreLostWithTheGivenProbability)
{
  auto settings = plain(1);
  settings.torque_noise = one(1.0);
  auto plant = pendulum(settings);
  auto undisturbed = pendulum(settings);
  plant.inject(FrameLoss{0.1});
  int same = 0;
  for (int k = 0; k < 10000; ++k) {
    const auto lost = plant.lost_frames();
    plant.step(zero, zero);
    undisturbed.step(zero, zero);
    same += plant.lost_frames() == lost && plant.torque() == undisturbed.torque() ? 1 : 0;
  }
  const auto lost = static_cast<int>(plant.lost_frames());
  EXPECT_NEAR(lost, 1000, 5 * 30) << "one in ten, within five standard deviations";
  EXPECT_EQ(same, 10000 - lost) << "and the noise is the same as without losses";
  plant.inject(FrameLoss{0.0});
  plant.step(zero, zero);
  EXPECT_EQ(static_cast<int>(plant.lost_frames()), lost) << "until none gets lost any more";
}

TEST(DriveInjections, ASaturatedDriveHasLimitedTorque)
{
  auto settings = plain(1);
  settings.torque_max = one(2.0 * weight);
  auto plant = pendulum(settings);
  plant.reset(zero);
  plant.inject(Saturation{0, 0.25});
  double most = 0.0;
  for (int k = 0; k < 200; ++k) {
    plant.step(zero, one(-weight));
    most = std::max(most, std::abs(plant.truth().torque[0]));
  }
  EXPECT_LE(most, 0.5 * weight) << "it sinks under gravity";
  EXPECT_GT(plant.truth().position[0], 0.01);
  plant.inject(Saturation{0, 1.0});
  for (int k = 0; k < 2000; ++k) {
    plant.step(zero, zero);
  }
  EXPECT_LT(std::abs(plant.truth().position[0]), 1e-4) << "and returns with full torque";
}

TEST(DriveInjections, ImpossibleInjectionsAreRefusedWithASentence)
{
  auto plant = arm(plain(2));
  const auto refused = [&](const std::function<void()> & function, const std::string & sentence) {
    EXPECT_NE(refusal_of(function).find(sentence), std::string::npos) << sentence;
  };
  const auto checked = [&](const Injection & injection, const std::string & sentence) {
    refused([&] { plant.check(injection); }, sentence);
  };
  refused([&] { std::ignore = plant.link("c"); }, "no link 'c'; the links that move are a, b.");
  refused([&] { std::ignore = plant.link("base"); }, "Link 'base' is fixed to the base");
  ExternalForce bad{plant.link("a"), {nan, 0.0, 0.0}};
  checked(bad, "An external force has a component that is not finite");
  bad.force.setZero();
  bad.duration = 0.0;
  checked(bad, "The duration of an external force must be above 0 s.");
  bad.rise = -1.0;
  checked(bad, "The rise time of an external force must be 0 s or above.");
  checked(ExternalForce{7}, "on a link that the robot does not have");
  checked(LostFrames{-1}, "-1 lost frames are impossible; give a number of 0 or more.");
  checked(FrameLoss{nan}, "but must be from 0 to 1.");
  checked(Saturation{2, 0.5}, "Drive 2 cannot saturate; there are 2, counted from 0.");
  checked(Saturation{1, 0.0}, "but must be above 0 and at most 1.");
  checked(Saturation{1, 0.5}, "cannot saturate, because its torque_max is unlimited");
}

TEST(DriveInjections, InjectionsAllocateNothing)
{
  auto settings = plain(2);
  settings.torque_max.setConstant(100.0);
  auto plant = arm(settings);
  const int link = plant.link("b");
  VectorXd target(2);
  const VectorXd offset = VectorXd::Zero(2);
  expect_no_allocation("every injection", [&] {
    for (int k = 0; k < 1000; ++k) {
      switch (k) {
        case 100:
          plant.inject(
            ExternalForce{link, {3.0, -5.0, 7.0}, {0.5, 0.3, -0.2}, {0.1, 0.0, 0.0}, 0.1, 0.3});
          break;
        case 200:
          plant.inject(LostFrames{5});
          break;
        case 300:
          plant.inject(FrameLoss{0.2});
          break;
        case 400:
          plant.inject(Saturation{1, 0.3});
          break;
        case 500:
          plant.inject(dynid::DriveFault{});
          break;
        case 800:
          plant.inject(dynid::FaultCleared{});
          break;
        default:
          break;
      }
      target.setConstant(swing(k));
      plant.step(target, offset);
    }
  });
  EXPECT_GT(plant.lost_frames(), 50) << "which did happen";
}

}  // namespace
