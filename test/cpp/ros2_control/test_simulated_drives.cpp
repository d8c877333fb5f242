// dynid/SimulatedDrives under ros2_control: loading, error messages, uneven cycles, and cycles
// without allocation.

#include <gtest/gtest.h>
#include <rcutils/logging.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <limits>
#include <stdexcept>

#include "allocation_checks.hpp"
#include "drives_under_test.hpp"

namespace
{

constexpr double home = 0.3;  // [rad]
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
const double weight = 2 * 9.81 * 0.5 * std::cos(home);  // torque of the pendulum at home [N m]

std::string logged;

void take(
  const rcutils_log_location_t *, int severity, const char *, rcutils_time_point_value_t,
  const char * format, va_list * arguments)
{
  if (severity >= RCUTILS_LOG_SEVERITY_INFO) {
    std::array<char, 1000> text{};
    std::vsnprintf(text.data(), text.size(), format, *arguments);
    logged += text.data();
  }
}

/// A swing from home and back in a second.
double swing(double time) { return home + 0.4 * (1.0 - std::cos(6.2832 * time)); }

DrivesUnderTest active(const Parameters & parameters = pendulum_parameters())
{
  DrivesUnderTest drives(description(parameters));
  if (!(drives.initialised() && drives.configure() && drives.activate())) {
    throw std::runtime_error("the drives were not activated: " + logged);
  }
  return drives;
}

TEST(SimulatedDrives, ThePluginIsFoundAndHoldsTheRobotAtHome)
{
  auto drives = active();
  EXPECT_EQ(drives.command("position")->get_optional(), home)
    << "it is activated at its position at rest";
  for (int k = 0; k < 500; ++k) {
    drives.cycle(nan, nan);
  }
  EXPECT_NEAR(drives.state("position"), home, 1e-6) << "without commands it holds that position";
  EXPECT_LT(std::abs(drives.state("effort") + weight / 2.0), 1e-6)
    << "effort is in the profile's unit";
}

TEST(SimulatedDrives, AnEncoderAtTheLinkShowsTheDeflection)
{
  constexpr double stiffness = 2000.0;  // [N m/rad]
  auto parameters = pendulum_parameters();
  EXPECT_EQ(active(parameters).state("link_position"), home)
    << "of a rigid joint it is the motor's";
  parameters["joint_stiffness"] = "2000.0";
  parameters["joint_hardening"] = parameters["joint_backlash"] = "0.0";
  parameters["joint_damping"] = "5.0";
  parameters["rotor_inertia"] = "0.3";
  auto drives = active(parameters);
  for (int k = 0; k < 500; ++k) {
    drives.cycle(nan, nan);
  }
  EXPECT_NEAR(drives.state("position"), home, 1e-6);
  EXPECT_NEAR(drives.state("link_position") - home, weight / stiffness, 1e-4);
}

TEST(SimulatedDrives, PositionAndTorqueOffsetAreFollowed)
{
  auto drives = active();
  for (int k = 1; k <= 1000; ++k) {
    drives.cycle(swing(1e-3 * k));
  }
  const double delay = 4.5e-3;  // of command and feedback, reading before writing, half a cycle
  EXPECT_NEAR(drives.state("position"), swing(1.0 - delay), 5e-3) << "targets are followed in time";
  auto pushed = active();
  for (int k = 0; k < 10; ++k) {
    pushed.cycle(home, 5.0);
  }
  EXPECT_GT(pushed.state("position") - home, 1e-4)
    << "an effort command adds to the drive's own torque";
}

TEST(SimulatedDrives, LateCyclesDoNotDisturbTheMotion)
{
  auto even = active();
  auto uneven = active();
  double time = 0.0;
  double worst = 0.0;
  for (int k = 1; k <= 1000; ++k) {
    const double next = 1e-3 * k + (k % 2 == 0 ? 0.2e-3 : -0.2e-3);
    even.cycle(swing(1e-3 * k));
    uneven.cycle(swing(next), 0.0, next - time);
    time = next;
    worst = std::max(worst, std::abs(even.state("effort") - uneven.state("effort")));
  }
  // a straight line over 1.4 ms bends by 4e-6 rad, times inertia, loop gain and rate, over factor
  EXPECT_LT(worst, 0.5)
    << "a manager that wakes up to 0.2 ms late or early does not disturb the motion";
}

TEST(SimulatedDrives, SkippedCyclesAreSimulated)
{
  auto late = active();
  auto undisturbed = active();
  double difference = 0.0;
  double off = 0.0;
  for (int k = 1; k <= 500; ++k) {
    const double target = swing(1e-3 * k);
    undisturbed.cycle(target);
    if (k > 300 && k < 316) {
      continue;
    }
    late.cycle(target, 0.0, k == 316 ? 16e-3 : 1e-3);
    off = std::max(off, std::abs(late.state("position") - undisturbed.state("position")));
    difference = std::max(difference, std::abs(late.state("effort") - undisturbed.state("effort")));
  }
  // the robot turned by 35e-3 rad meanwhile, and its velocity changed by 0.24 rad/s
  EXPECT_LT(off, 1e-3) << "after 15 skipped cycles the robot is where it is without skipping";
  EXPECT_LT(difference, 5.0) << "and returns to its path smoothly";
}

TEST(SimulatedDrives, ActivatedAgainItRestsWhereItWasWithoutItsFault)
{
  auto drives = active();
  for (int k = 1; k <= 250; ++k) {
    drives.cycle(swing(1e-3 * k));
  }
  drives.cycle(3.0);
  for (int k = 0; k < 1000; ++k) {
    drives.cycle(0.0);
  }
  const double stopped = drives.state("position");
  EXPECT_GT(stopped, home + 0.4) << "in a fault it stops and ignores targets";
  drives.deactivate();
  EXPECT_TRUE(drives.activate()) << "it rests at its last position";
  EXPECT_NEAR(drives.state("position"), stopped, 1e-6);
  for (int k = 0; k < 200; ++k) {
    drives.cycle(stopped + 1e-4 * k);
  }
  EXPECT_GT(drives.state("position"), stopped + 0.01) << "activated again it follows targets";
}

TEST(SimulatedDrives, ACycleAllocatesNothing)
{
  auto drives = active();
  expect_no_allocation("a cycle that is late, skipped or without commands", [&] {
    for (int k = 1; k < 1000; ++k) {
      drives.cycle(k % 7 == 0 ? nan : swing(1e-3 * k), 1.0, k % 50 == 0 ? 5e-3 : 1e-3);
    }
  });
}

TEST(SimulatedDrives, DrivesAppearOnTheBusLate)
{
  auto parameters = pendulum_parameters();
  parameters["operational_after"] = "0.1";
  auto drives = active(parameters);
  EXPECT_TRUE(std::isnan(drives.command("position")->get_optional().value()))
    << "a drive that is not on the bus yet has no command";
  bool silent = true;
  for (int k = 0; k < 90; ++k) {
    drives.cycle(0.0, 5.0);
    silent = silent && drives.state("status_word") == 0.0 && drives.state("position") == 0.0 &&
             drives.state("effort") == 0.0 && drives.state("mode_display") == 0.0;
  }
  EXPECT_TRUE(silent) << "and reports zeros at any position";
  std::vector<double> words;
  for (int k = 0; k < 100; ++k) {
    drives.cycle(home);
    if (words.empty() || words.back() != drives.state("status_word")) {
      words.push_back(drives.state("status_word"));
    }
  }
  EXPECT_EQ(words, (std::vector<double>{0.0, 0x0250, 0x0231, 0x0233, 0x0237}))
    << "then it is switched on step by step";
  EXPECT_NEAR(drives.state("position"), home, 1e-6)
    << "and keeps its position, for any earlier command";
  EXPECT_EQ(drives.state("mode_display"), 8.0);
}

TEST(SimulatedDrives, ALateDriveThatIsCommandedToZeroJumps)
{
  auto parameters = pendulum_parameters();
  parameters["operational_after"] = "0.1";
  auto drives = active(parameters);
  for (int k = 0; k < 1000; ++k) {
    drives.cycle(0.0);
  }
  EXPECT_LT(std::abs(drives.state("position")), 0.1)
    << "commanded to the zero that it reported before it was on the bus, it moves";
}

TEST(SimulatedDrives, AFaultIsReportedAndResetAsByEthercatDrives)
{
  auto drives = active();
  const auto reset = drives.command("reset_fault");
  drives.cycle(3.0);  // further than its following error
  for (int k = 0; k < 500; ++k) {
    drives.cycle(3.0);
  }
  EXPECT_EQ(drives.state("status_word"), 0x0218)
    << "a drive that lost its target is in fault, with an error code";
  EXPECT_EQ(drives.state("error_code"), 0x8611);
  const double held = drives.state("position");
  std::ignore = reset->set_value(1.0);
  for (int k = 0; k < 100; ++k) {
    drives.cycle(held);
  }
  EXPECT_EQ(drives.state("status_word"), 0x0237) << "reset_fault enables it again";
  EXPECT_EQ(drives.state("error_code"), 0.0);
  EXPECT_NEAR(drives.state("position"), held, 1e-3) << "where it stopped";
  drives.cycle(3.0);
  for (int k = 0; k < 500; ++k) {
    drives.cycle(3.0);
  }
  EXPECT_EQ(drives.state("status_word"), 0x0218)
    << "a reset command that stays raised does not reset again";
}

TEST(SimulatedDrives, TheLastCycleHasNoTorqueOffset)
{
  auto drives = active();
  const double before = drives.state("effort");
  for (int k = 0; k < 10; ++k) {
    drives.cycle(home, 7.5);
  }
  logged.clear();
  drives.deactivate();
  EXPECT_NE(
    logged.find("the last cycle before deactivation had the torque offsets 7.5"), std::string::npos)
    << "the torque offsets before deactivation are logged";
  drives.activate();
  drives.cycle(home);
  EXPECT_NEAR(drives.state("effort"), before, 0.1) << "and are 0 afterwards";  // of 3.75
}

void refused_with(
  const std::string & sentence, const Parameters & changes, unsigned int rate = 1000)
{
  auto parameters = pendulum_parameters();
  for (const auto & [name, value] : changes) {
    parameters[name] = value;
    if (value.empty()) {
      parameters.erase(name);
    }
  }
  const DrivesUnderTest drives(description(parameters), rate);
  const bool found = logged.find(sentence) != std::string::npos;
  EXPECT_TRUE(found) << sentence;
  EXPECT_FALSE(drives.initialised());
  if (!found) {
    std::cout << "      but: " << logged << "\n";
  }
  logged.clear();
}

TEST(SimulatedDrives, ImpossibleParametersAreRefusedWithASentence)
{
  refused_with("'parameters' is missing; dynid's launch files write all", {{"parameters", ""}});
  refused_with("'home' has '0,3', but must have numbers only.", {{"home", "0,3"}});
  refused_with("'home' has 2 entries, but must have 1.", {{"home", "0.3 0.4"}});
  refused_with("'control_rate' must be one number.", {{"control_rate", "1 2"}});
  refused_with(
    "The setting command_delay is 1, but must be 0 or above, and at most 0.5",
    {{"command_delay", "1"}});
  refused_with("The setting feedback_delay is nan, but must", {{"feedback_delay", "nan"}});
  refused_with("'seed' has 1.500000, but must have whole numbers of 0 or more.", {{"seed", "1.5"}});
  refused_with("'coupling' has 2 entries, but must have 1.", {{"coupling", "1 0"}});
  refused_with("'term_sides' has 'left', but must be joint or motor.", {{"term_sides", "left"}});
  refused_with("There is no joint term 'magic'; available: viscous,", {{"term_kinds", "magic"}});
  refused_with("'term_scales' has 2 entries, but must have 1.", {{"term_scales", "0 0"}});
  refused_with("'locked_positions' has 0 entries", {{"locked_joints", "hinge"}});
  refused_with("The setting bandwidth_hz is -16, but must be above 0", {{"bandwidth_hz", "-16"}});
  refused_with("run at control_rate 1000 Hz, but the controller manager at 500 Hz", {}, 500);
}

TEST(SimulatedDrives, JointsWithoutEffortAreRefusedWithASentence)
{
  DrivesUnderTest drives(description(pendulum_parameters(), false));
  EXPECT_FALSE(drives.configure()) << "joints without a torque offset are refused";
  EXPECT_NE(
    logged.find("Every joint needs command interfaces position and effort"), std::string::npos);
}

}  // namespace

int main(int count, char ** arguments)
{
  testing::InitGoogleTest(&count, arguments);
  rcutils_logging_set_output_handler(&take);
  return RUN_ALL_TESTS();
}
