// dynid/SimulatedDrives under ros2_control: found by its name, refused with a sentence, even in
// time, and without allocations.

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

/// From home and back in a second.
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
  EXPECT_EQ(drives.command("position")->get_optional(), home) << "it is activated where it rests";
  for (int k = 0; k < 500; ++k) {
    drives.cycle(nan, nan);
  }
  EXPECT_NEAR(drives.told("position"), home, 1e-6) << "commands of nobody hold it there";
  EXPECT_LT(std::abs(drives.told("effort") + weight / 2.0), 1e-6)
    << "effort is in the profile's unit";
}

TEST(SimulatedDrives, PositionAndTorqueOffsetAreObeyed)
{
  auto drives = active();
  for (int k = 1; k <= 1000; ++k) {
    drives.cycle(swing(1e-3 * k));
  }
  const double delay = 4.5e-3;  // of command and feedback, reading before writing, half a cycle
  EXPECT_NEAR(drives.told("position"), swing(1.0 - delay), 5e-3) << "targets are followed in time";
  auto pushed = active();
  for (int k = 0; k < 10; ++k) {
    pushed.cycle(home, 5.0);
  }
  EXPECT_GT(pushed.told("position") - home, 1e-4)
    << "an effort is torque on top of the drive's own";
}

TEST(SimulatedDrives, LateCyclesDoNotShakeTheRobot)
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
    worst = std::max(worst, std::abs(even.told("effort") - uneven.told("effort")));
  }
  // a straight line over 1.4 ms bends by 4e-6 rad, times inertia, loop gain and rate, over factor
  EXPECT_LT(worst, 0.5)
    << "a manager that wakes up to 0.2 ms late or early does not shake the robot";
}

TEST(SimulatedDrives, SkippedCyclesTakePlace)
{
  auto late = active();
  auto twin = active();
  double shaken = 0.0;
  double off = 0.0;
  for (int k = 1; k <= 500; ++k) {
    const double target = swing(1e-3 * k);
    twin.cycle(target);
    if (k > 300 && k < 316) {
      continue;
    }
    late.cycle(target, 0.0, k == 316 ? 16e-3 : 1e-3);
    off = std::max(off, std::abs(late.told("position") - twin.told("position")));
    shaken = std::max(shaken, std::abs(late.told("effort") - twin.told("effort")));
  }
  // the robot turned by 35e-3 rad meanwhile, and its velocity changed by 0.24 rad/s
  EXPECT_LT(off, 1e-3) << "after 15 skipped cycles the robot is where it would have been";
  EXPECT_LT(shaken, 5.0) << "and is led back to its path softly";
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
  const double stopped = drives.told("position");
  EXPECT_GT(stopped, home + 0.4) << "in a fault it stops, and targets do not count";
  drives.deactivate();
  EXPECT_TRUE(drives.activate()) << "it rests where it was";
  EXPECT_NEAR(drives.told("position"), stopped, 1e-6);
  for (int k = 0; k < 200; ++k) {
    drives.cycle(stopped + 1e-4 * k);
  }
  EXPECT_GT(drives.told("position"), stopped + 0.01) << "activated again it follows targets";
}

TEST(SimulatedDrives, ACycleAllocatesNothing)
{
  auto drives = active();
  expect_no_allocation("a cycle, late, skipped, or commanded by nobody,", [&] {
    for (int k = 1; k < 1000; ++k) {
      drives.cycle(k % 7 == 0 ? nan : swing(1e-3 * k), 1.0, k % 50 == 0 ? 5e-3 : 1e-3);
    }
  });
}

TEST(SimulatedDrives, DrivesComeOnTheBusLate)
{
  auto parameters = pendulum_parameters();
  parameters["operational_after"] = "0.1";
  auto drives = active(parameters);
  EXPECT_TRUE(std::isnan(drives.command("position")->get_optional().value()))
    << "a drive that is not on the bus yet is commanded by nobody";
  bool silent = true;
  for (int k = 0; k < 90; ++k) {
    drives.cycle(0.0, 5.0);
    silent = silent && drives.told("status_word") == 0.0 && drives.told("position") == 0.0 &&
             drives.told("effort") == 0.0 && drives.told("mode_display") == 0.0;
  }
  EXPECT_TRUE(silent) << "and tells zeros, wherever it stands";
  std::vector<double> words;
  for (int k = 0; k < 100; ++k) {
    drives.cycle(home);
    if (words.empty() || words.back() != drives.told("status_word")) {
      words.push_back(drives.told("status_word"));
    }
  }
  EXPECT_EQ(words, (std::vector<double>{0.0, 0x0250, 0x0231, 0x0233, 0x0237}))
    << "then it is switched on step by step";
  EXPECT_NEAR(drives.told("position"), home, 1e-6)
    << "and stands where it stood, whatever was commanded before";
  EXPECT_EQ(drives.told("mode_display"), 8.0);
}

TEST(SimulatedDrives, ALateDriveThatIsCommandedToZeroJumps)
{
  auto parameters = pendulum_parameters();
  parameters["operational_after"] = "0.1";
  auto drives = active(parameters);
  for (int k = 0; k < 1000; ++k) {
    drives.cycle(0.0);
  }
  EXPECT_LT(std::abs(drives.told("position")), 0.1)
    << "commanded to what it told before it was on the bus, it moves: nobody else holds it back";
}

TEST(SimulatedDrives, AFaultIsToldAndResetAsEthercatDrivesDo)
{
  auto drives = active();
  const auto reset = drives.command("reset_fault");
  drives.cycle(3.0);  // further than its following error
  for (int k = 0; k < 500; ++k) {
    drives.cycle(3.0);
  }
  EXPECT_EQ(drives.told("status_word"), 0x0218)
    << "a drive that lost its target is in fault, and says why";
  EXPECT_EQ(drives.told("error_code"), 0x8611);
  const double held = drives.told("position");
  std::ignore = reset->set_value(1.0);
  for (int k = 0; k < 100; ++k) {
    drives.cycle(held);
  }
  EXPECT_EQ(drives.told("status_word"), 0x0237) << "reset_fault has it enabled again";
  EXPECT_EQ(drives.told("error_code"), 0.0);
  EXPECT_NEAR(drives.told("position"), held, 1e-3) << "where it stopped";
  drives.cycle(3.0);
  for (int k = 0; k < 500; ++k) {
    drives.cycle(3.0);
  }
  EXPECT_EQ(drives.told("status_word"), 0x0218) << "a reset that stays raised resets nothing more";
}

TEST(SimulatedDrives, TheLastCycleHasNoTorqueOffset)
{
  auto drives = active();
  const double before = drives.told("effort");
  for (int k = 0; k < 10; ++k) {
    drives.cycle(home, 7.5);
  }
  logged.clear();
  drives.deactivate();
  EXPECT_NE(
    logged.find("the last cycle before deactivation had the torque offsets 7.5"), std::string::npos)
    << "what the bus had before deactivation is logged";
  drives.activate();
  drives.cycle(home);
  EXPECT_NEAR(drives.told("effort"), before, 0.1) << "and is gone afterwards";  // of 3.75
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
  const bool said = logged.find(sentence) != std::string::npos;
  EXPECT_TRUE(said) << sentence;
  EXPECT_FALSE(drives.initialised());
  if (!said) {
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
    "'command_delay' has 1.500000, but must have whole numbers from 0 on.",
    {{"command_delay", "1.5"}});
  refused_with("'feedback_delay' has nan, but must", {{"feedback_delay", "nan"}});
  refused_with("'coupling' has 2 entries, but must have 1.", {{"coupling", "1 0"}});
  refused_with("'term_sides' has 'left', but must be joint or motor.", {{"term_sides", "left"}});
  refused_with("There is no joint term 'magic'; there are viscous,", {{"term_kinds", "magic"}});
  refused_with("'term_scales' has 2 entries, but must have 1.", {{"term_scales", "0 0"}});
  refused_with("'locked_positions' has 0 entries", {{"locked_joints", "hinge"}});
  refused_with("The setting bandwidth_hz has -16, but must be above 0", {{"bandwidth_hz", "-16"}});
  refused_with("made for 1000 cycles per second, but are called 500 times", {}, 500);
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
