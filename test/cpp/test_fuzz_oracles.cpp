// The oracles of benchmarks/fuzz_control_law notice what they are for.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>

#include "../../benchmarks/fuzz_push.hpp"
#include "../../benchmarks/fuzz_settings.hpp"
#include "../../benchmarks/fuzz_stop_check.hpp"
#include "control_under_test.hpp"

namespace
{

using fuzz::Answer;

/// A law in a damped stop of a robot drawn at random, whose feedback moves at twice stop_speed.
struct DampedStop
{
  explicit DampedStop(std::uint64_t seed)
  : dice(seed),
    robot(fuzz::draw_robot(dice)),
    settings(fuzz::draw_torque_settings(dice, robot, true)),
    model(robot.model()),
    law(robot.drives(), settings),
    check(robot, settings, findings)
  {
    law.use(model.get());
    EXPECT_TRUE(law.start(robot.home).done());
    law.stop();
    measured = {robot.home, 2.0 * settings.stop_speed, robot.holding()};
    truth.position = robot.home_of_joints();
    // as fast as the oracle tolerates beyond the speed before
    truth.velocity = 3.0 * settings.stop_speed.array() + 0.1;
    if (robot.motor_side) {
      truth.velocity = robot.description.coupling.cwiseAbs() * truth.velocity;
    }
  }

  /// Looks at a part of the stop, where the robot is this much faster, and the law is updated once
  /// in so many cycles.
  void look(double share, double times_faster, int cycles = 1)
  {
    const double rate = settings.law.feedforward.control_rate;
    for (int left = static_cast<int>(share * settings.stop_time * rate); left > 0; --left) {
      look_once(times_faster, cycles);
    }
  }

  void look_once(double times_faster, int cycles)
  {
    measured.position += measured.velocity / settings.law.feedforward.control_rate;
    law.update({robot.home, robot.home, robot.home}, measured);
    auto seen = truth;
    seen.velocity *= times_faster;
    check.look(law, seen, cycles);
  }

  fuzz::Findings findings;
  fuzz::Dice dice;
  fuzz::Robot robot;
  dynid::TorqueLawSettings settings;
  std::unique_ptr<ControlModel> model;
  dynid::TorqueLaw law;
  fuzz::StopCheck check;
  Feedback measured;
  dynid::PlantTruth truth;
};

class StopOracle : public testing::TestWithParam<std::uint64_t>
{
};

TEST_P(StopOracle, ReportsARobotThatBecomesFaster)
{
  DampedStop slower(GetParam());
  slower.look(0.6, 1.0);
  slower.look(0.3, 1.9);
  EXPECT_EQ(slower.law.phase(), dynid::TorquePhase::stopping);
  EXPECT_GT(slower.findings.stopping, 0) << "its speed is compared";
  EXPECT_EQ(slower.findings.bad(), 0) << "what noise explains is tolerated";
  DampedStop faster(GetParam());
  faster.look(0.6, 1.0);
  faster.look(0.3, 2.1);
  EXPECT_GT(faster.findings.violations["cycles of stops that became faster"], 0);
  EXPECT_EQ(faster.findings.violations.size(), 1U);
}

TEST_P(StopOracle, ToleratesWhatTheDrivesDoInALateCycle)
{
  DampedStop late(GetParam());
  late.look(0.6, 1.0);
  late.look_once(4.0, 20);
  late.look_once(4.0, 1);
  EXPECT_EQ(late.findings.bad(), 0) << "the law could not act";
  DampedStop faster(GetParam());
  faster.look_once(1.0, 20);
  faster.look(0.6, 1.0);
  faster.look(0.3, 2.1);
  EXPECT_GT(faster.findings.violations["cycles of stops that became faster"], 0)
    << "only for its reaction time";
}

TEST_P(StopOracle, ReportsAStopThatDoesNotEnd)
{
  DampedStop late(GetParam());
  late.look(0.9, 1.0, 2);
  EXPECT_GT(late.findings.violations["stops longer than stop_time"], 0);
  EXPECT_EQ(late.findings.violations.size(), 1U);
}

INSTANTIATE_TEST_SUITE_P(All, StopOracle, testing::Range<std::uint64_t>(1, 21));

/// A pendulum at rest that is pushed.
struct Pushed
{
  Pushed() : model(pendulum_model()), settings(law_settings())
  {
    settings.collision.debounce_time = 0.02;
    law = std::make_unique<ControlLaw>(1, settings);
    law->use(&model);
    law->start(zero);
  }

  /// Pushes it, while its own torque swings by so much, once in 12 cycles.
  Answer push(bool observed, double swing = 0.0, bool loops = true)
  {
    const auto own = [&] {
      return torque_of(0, 0, 0) + swing * std::sin(k * std::acos(-1.0) / 6.0);
    };
    return fuzz::push(
      {*law, settings, settings.collision, true, loops, [&] { return law->latched(); }}, 0,
      [&](double torque) {
        largest = std::max(largest, torque);
        law->update(reference(0.0), feedback(own() - (observed ? torque : 0.0)));
        ++k;
        return 1.0;
      },
      own);
  }

  ControlModel model;
  ControlLawSettings settings;
  std::unique_ptr<ControlLaw> law;
  double largest = 0.0;
  int k = 0;
};

TEST(PushOracle, ReportsALawThatDoesNotSeeThePush)
{
  EXPECT_EQ(Pushed().push(false), Answer::missed);
  EXPECT_EQ(Pushed().push(false, 4.0), Answer::missed) << "nor its own torque, below the threshold";
  Pushed pushed;
  EXPECT_EQ(pushed.push(true), Answer::found);
  EXPECT_EQ(pushed.largest, 15.0) << "three times the threshold";
}

TEST(PushOracle, PushesByMoreThanOwnTorqueErrorsAboveTheThreshold)
{
  for (const bool loops : {true, false}) {
    Pushed pushed;
    EXPECT_EQ(pushed.push(true, 24.0, loops), Answer::found);
    EXPECT_NEAR(pushed.largest, 15.0 + 2.0 * 24.0, 1e-9);
  }
}

TEST(PushOracle, PushesARobotWithoutLoopsByTheThresholdAlone)
{
  Pushed pushed;
  EXPECT_EQ(pushed.push(true, 4.0, false), Answer::found);
  EXPECT_EQ(pushed.largest, 15.0) << "its own torque errors are below the threshold";
}

}  // namespace
