// Motors that lead their links behind gears that bend.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include "allocation_checks.hpp"
#include "control_under_test.hpp"

namespace
{

constexpr double two_pi = 6.283185307179586;
constexpr double cycle = 1e-3;     // [s]
constexpr double cutoff = 8.0;     // [Hz]
constexpr double gear = 2000.0;    // [N m/rad]
constexpr double rotor = 0.3;      // [kg m^2] of the pendulum's inertia
constexpr double width = 0.4;      // [rad]
constexpr double frequency = 4.0;  // [rad/s]

ControlLawSettings elastic_settings(double stiffness = gear, double backlash = 0.0)
{
  auto settings = law_settings();
  settings.feedforward.ramp_time = 0.2;
  settings.collision.torque_error_max = one(infinity);
  settings.elastic.elastic_cutoff = cutoff;
  settings.elastic.stiffness = one(stiffness);
  settings.elastic.rotor_inertia = one(rotor);
  settings.elastic.backlash = one(backlash);
  return settings;
}

/// A law that follows a sine, which begins without a jump of its velocity.
struct SwungLaw
{
  explicit SwungLaw(const ControlLawSettings & settings) : model(pendulum_model()), law(1, settings)
  {
    law.use(&model);
    law.start(one(-width));
  }

  void step(double cycles = 1.0)
  {
    time += cycles * cycle;
    const double angle = frequency * time;
    law.update(
      reference(
        -width * std::cos(angle), width * frequency * std::sin(angle),
        width * frequency * frequency * std::cos(angle)),
      feedback(0.0), cycles);
  }

  void swing_for(double duration)
  {
    for (const double end = time + duration; time < end;) {
      step();
    }
  }

  [[nodiscard]] double command() const { return law.position_command()[0]; }

  ControlModel model;
  ControlLaw law;
  double time = 0.0;  // [s]
};

/// The links' position after five lags, with its derivatives; each lag at one frequency.
std::complex<double> lagged(double time, int derivative)
{
  const std::complex<double> imaginary(0.0, 1.0);
  const double corner = two_pi * cutoff;
  const auto gain = std::pow(corner / (corner + imaginary * frequency), 5);
  // a reference acts until the end of its cycle, in whose middle it is on average
  const auto sample = std::exp(imaginary * frequency * (time + cycle / 2.0));
  return -width * gain * sample * std::pow(imaginary * frequency, derivative);
}

double link_torque(double time)
{
  return torque_of(lagged(time, 0).real(), 0.0, lagged(time, 2).real()) -
         rotor * lagged(time, 2).real();
}

TEST(ElasticReference, MotorsLeadByTheBendOfTheirGears)
{
  SwungLaw swung(elastic_settings());
  swung.swing_for(2.0);
  double largest = 0.0;
  for (int k = 0; k < 2000; ++k) {
    swung.step();
    const double lead = link_torque(swung.time) / gear;
    EXPECT_NEAR(swung.command(), lagged(swung.time, 0).real() + lead, 2e-6);
    largest = std::max(largest, std::abs(lead));
  }
  EXPECT_GT(largest, 1e-3) << "the gear bends";
}

TEST(ElasticReference, MotorsLeadLessWhereTheirGearsHarden)
{
  auto settings = elastic_settings();
  const double hardening = 0.5 * gear * gear * gear / (weight * weight);
  settings.elastic.hardening = one(hardening);
  SwungLaw swung(settings);
  swung.swing_for(2.0);
  double smallest = 1.0;
  for (int k = 0; k < 2000; ++k) {
    swung.step();
    const double lead = swung.command() - lagged(swung.time, 0).real();
    const double torque = link_torque(swung.time);
    EXPECT_NEAR(gear * lead + hardening * lead * lead * lead, torque, 0.01);
    smallest = std::min(smallest, lead * gear / torque);
  }
  EXPECT_LT(smallest, 0.8) << "the gear is much stiffer under load";
}

TEST(ElasticReference, TorqueAcceleratesTheMotorsBeyondTheirLinks)
{
  SwungLaw swung(elastic_settings());
  swung.swing_for(2.0);
  double largest = 0.0;
  for (int k = 0; k < 2000; ++k) {
    swung.step();
    const double h = 1e-3;
    const double bend =
      (link_torque(swung.time + h) - 2.0 * link_torque(swung.time) + link_torque(swung.time - h)) /
      (h * h * gear);
    const double links = torque_of(
      lagged(swung.time, 0).real(), lagged(swung.time, 1).real(), lagged(swung.time, 2).real());
    EXPECT_NEAR(swung.law.torque_offset()[0] - links, rotor * bend, 2e-3);
    largest = std::max(largest, std::abs(rotor * bend));
  }
  EXPECT_GT(largest, 5e-3) << "the motor accelerates beyond its link";
}

TEST(ElasticReference, RigidGearsOnlyDelay)
{
  SwungLaw swung(elastic_settings(infinity));
  swung.swing_for(2.0);
  for (int k = 0; k < 2000; ++k) {
    swung.step();
    EXPECT_NEAR(swung.command(), lagged(swung.time, 0).real(), 2e-6);
  }
}

TEST(ElasticReference, WithoutACutoffNothingChanges)
{
  auto settings = elastic_settings();
  settings.elastic.elastic_cutoff = 0.0;
  SwungLaw swung(settings);
  swung.swing_for(0.5);  // until the law has joined its reference
  for (int k = 0; k < 500; ++k) {
    swung.step();
    EXPECT_EQ(swung.command(), -width * std::cos(frequency * swung.time));
  }
}

/// The largest second difference of the commands, as an acceleration.
double harshest(const std::vector<double> & commands)
{
  double most = 0.0;
  for (std::size_t k = 2; k < commands.size(); ++k) {
    const double change = commands[k] - 2.0 * commands[k - 1] + commands[k - 2];
    most = std::max(most, std::abs(change) / (cycle * cycle));
  }
  return most;
}

TEST(ElasticReference, BeginsAndChangesItsModelWithoutAJump)
{
  SwungLaw swung(elastic_settings());
  std::vector<double> commands{-width};
  auto heavy = pendulum_model();
  const auto record = [&](int cycles) {
    for (int k = 0; k < cycles; ++k) {
      swung.step();
      commands.push_back(swung.command());
    }
  };
  record(700);
  swung.law.set_payload({1.0, {0.0, 0.0, 0.3}, Eigen::Matrix3d::Zero()});
  record(700);
  swung.law.use(nullptr);
  record(700);
  swung.law.use(&heavy);
  record(700);
  swung.law.set_gain(0.0);
  record(700);
  // the lead fades along a quintic: 10 / sqrt(3) of the difference over the time^2
  const double fade = 10.0 / std::sqrt(3.0) * (2.0 * weight + 6.0) / gear / (0.2 * 0.2);
  EXPECT_LT(harshest(commands), 1.2 * width * frequency * frequency + fade);
}

TEST(ElasticReference, LateCyclesDoNotShakeIt)
{
  SwungLaw even(elastic_settings());
  SwungLaw late(elastic_settings());
  std::vector<double> commands;
  for (int k = 0; k < 3000; ++k) {
    const int cycles = k % 50 == 0 ? 3 : 1;
    late.step(cycles);
    for (int one = 0; one < cycles; ++one) {
      even.step();
    }
    commands.push_back(late.command());
    // two cycles of each late one, of which some are caught up with at a time
    EXPECT_NEAR(late.command(), even.command(), 6.0 * cycle * width * frequency);
  }
  EXPECT_EQ(late.law.state(), dynid::LawState::following);
  EXPECT_LT(harshest(commands), 200.0);
}

TEST(ElasticReference, BacklashIsCrossedSmoothly)
{
  const double gap = 1e-3;
  SwungLaw swung(elastic_settings(gear, gap));
  swung.swing_for(2.0);
  std::vector<double> commands;
  for (int k = 0; k < 2000; ++k) {
    swung.step();
    commands.push_back(swung.command());
    const double torque = link_torque(swung.time);
    if (std::abs(torque) > 10.0 * gear * gap) {
      const double lead = torque / gear + std::copysign(0.5 * gap, torque);
      EXPECT_NEAR(swung.command(), lagged(swung.time, 0).real() + lead, 0.01 * gap);
    }
  }
  EXPECT_LT(harshest(commands), 100.0);
}

TEST(ElasticReference, AnAbsurdStiffnessLeadsNoFurtherThanTheTolerance)
{
  SwungLaw swung(elastic_settings(1e-6));
  for (int k = 0; k < 3000; ++k) {
    swung.step();
    EXPECT_LE(std::abs(swung.command() - lagged(swung.time, 0).real()), k < 1000 ? 1.0 : 0.101);
  }
}

TEST(ElasticReference, TellsItsDelay)
{
  const auto settings = elastic_settings().elastic;
  EXPECT_NEAR(settings.delay(), 5.0 / (two_pi * cutoff), 1e-12);
  EXPECT_EQ(dynid::ElasticSettings().delay(), 0.0);
}

TEST(ElasticReference, ACycleDoesNotAllocate)
{
  SwungLaw swung(elastic_settings(gear, 1e-3));
  swung.step();
  const auto wanted = reference(-width);
  const auto measured = feedback(0.0);
  expect_no_allocation("the law of an elastic joint", [&] {
    swung.law.update(wanted, measured);
    swung.law.update(wanted, measured, 5.0);
    swung.law.use(nullptr);
    swung.law.update(wanted, measured);
  });
}

}  // namespace
