// dynid/SimulatedDrives under ros2_control: found by its name, refused with a sentence, even in
// time, and without allocations.

#include <rcutils/logging.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <limits>
#include <stdexcept>

#include "../checks.hpp"
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

void the_plugin_is_found_and_holds_the_robot_at_home()
{
  auto drives = active();
  expect(drives.command("position")->get_optional() == home, "it is activated where it rests");
  for (int k = 0; k < 500; ++k) {
    drives.cycle(nan, nan);
  }
  expect(std::abs(drives.told("position") - home) < 1e-6, "commands of nobody hold it there");
  expect(std::abs(drives.told("effort") + weight / 2.0) < 1e-6, "effort is in the profile's unit");
}

void position_and_torque_offset_are_obeyed()
{
  auto drives = active();
  for (int k = 1; k <= 1000; ++k) {
    drives.cycle(swing(1e-3 * k));
  }
  const double delay = 4.5e-3;  // of command and feedback, reading before writing, half a cycle
  expect(
    std::abs(drives.told("position") - swing(1.0 - delay)) < 5e-3, "targets are followed in time");
  auto pushed = active();
  for (int k = 0; k < 10; ++k) {
    pushed.cycle(home, 5.0);
  }
  expect(pushed.told("position") - home > 1e-4, "an effort is torque on top of the drive's own");
}

void late_cycles_do_not_shake_the_robot()
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
  expect(worst < 0.5, "a manager that wakes up to 0.2 ms late or early does not shake the robot");
}

void skipped_cycles_take_place()
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
  expect(off < 1e-3, "after 15 skipped cycles the robot is where it would have been");
  expect(shaken < 5.0, "and is led back to its path softly");
}

void activated_again_it_rests_where_it_was_without_its_fault()
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
  expect(stopped > home + 0.4, "in a fault it stops, and targets do not count");
  drives.deactivate();
  expect(
    drives.activate() && std::abs(drives.told("position") - stopped) < 1e-6,
    "it rests where it was");
  for (int k = 0; k < 200; ++k) {
    drives.cycle(stopped + 1e-4 * k);
  }
  expect(drives.told("position") > stopped + 0.01, "activated again it follows targets");
}

void a_cycle_allocates_nothing()
{
  auto drives = active();
  expect_no_allocation("a cycle, late, skipped, or commanded by nobody,", [&] {
    for (int k = 1; k < 1000; ++k) {
      drives.cycle(k % 7 == 0 ? nan : swing(1e-3 * k), 1.0, k % 50 == 0 ? 5e-3 : 1e-3);
    }
  });
}

void drives_come_on_the_bus_late()
{
  auto parameters = pendulum_parameters();
  parameters["operational_after"] = "0.1";
  auto drives = active(parameters);
  expect(
    std::isnan(drives.command("position")->get_optional().value()),
    "a drive that is not on the bus yet is commanded by nobody");
  bool silent = true;
  for (int k = 0; k < 90; ++k) {
    drives.cycle(0.0, 5.0);
    silent = silent && drives.told("status_word") == 0.0 && drives.told("position") == 0.0 &&
             drives.told("effort") == 0.0 && drives.told("mode_display") == 0.0;
  }
  expect(silent, "and tells zeros, wherever it stands");
  std::vector<double> words;
  for (int k = 0; k < 100; ++k) {
    drives.cycle(home);
    if (words.empty() || words.back() != drives.told("status_word")) {
      words.push_back(drives.told("status_word"));
    }
  }
  expect(
    words == std::vector<double>{0.0, 0x0250, 0x0231, 0x0233, 0x0237},
    "then it is switched on step by step");
  expect(
    std::abs(drives.told("position") - home) < 1e-6 && drives.told("mode_display") == 8.0,
    "and stands where it stood, whatever was commanded before");
}

void a_late_drive_that_is_commanded_to_zero_jumps()
{
  auto parameters = pendulum_parameters();
  parameters["operational_after"] = "0.1";
  auto drives = active(parameters);
  for (int k = 0; k < 1000; ++k) {
    drives.cycle(0.0);
  }
  expect(
    std::abs(drives.told("position")) < 0.1,
    "commanded to what it told before it was on the bus, it moves: nobody else holds it back");
}

void a_fault_is_told_and_reset_as_ethercat_drives_do()
{
  auto drives = active();
  const auto reset = drives.command("reset_fault");
  drives.cycle(3.0);  // further than its following error
  for (int k = 0; k < 500; ++k) {
    drives.cycle(3.0);
  }
  expect(
    drives.told("status_word") == 0x0218 && drives.told("error_code") == 0x8611,
    "a drive that lost its target is in fault, and says why");
  const double held = drives.told("position");
  std::ignore = reset->set_value(1.0);
  for (int k = 0; k < 100; ++k) {
    drives.cycle(held);
  }
  expect(
    drives.told("status_word") == 0x0237 && drives.told("error_code") == 0.0,
    "reset_fault has it enabled again");
  expect(std::abs(drives.told("position") - held) < 1e-3, "where it stopped");
  drives.cycle(3.0);
  for (int k = 0; k < 500; ++k) {
    drives.cycle(3.0);
  }
  expect(drives.told("status_word") == 0x0218, "a reset that stays raised resets nothing more");
}

void the_last_cycle_has_no_torque_offset()
{
  auto drives = active();
  const double before = drives.told("effort");
  for (int k = 0; k < 10; ++k) {
    drives.cycle(home, 7.5);
  }
  logged.clear();
  drives.deactivate();
  expect(
    logged.find("the last cycle before deactivation had the torque offsets 7.5") !=
      std::string::npos,
    "what the bus had before deactivation is logged");
  drives.activate();
  drives.cycle(home);
  expect(std::abs(drives.told("effort") - before) < 1e-6, "and is gone afterwards");
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
  expect(said && !drives.initialised(), sentence);
  if (!said) {
    std::cout << "      but: " << logged << "\n";
  }
  logged.clear();
}

void impossible_parameters_are_refused_with_a_sentence()
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
  refused_with("'term_sides' has 'left', but must have motor or joint.", {{"term_sides", "left"}});
  refused_with("There is no joint term 'magic'; there are viscous,", {{"term_kinds", "magic"}});
  refused_with("'term_scales' has 0 entries, but must have 1.", {{"term_scales", ""}});
  refused_with("'locked_positions' has 0 entries", {{"locked_joints", "hinge"}});
  refused_with("The setting bandwidth_hz has -16, but must be above 0", {{"bandwidth_hz", "-16"}});
  refused_with("made for 1000 cycles per second, but are called 500 times", {}, 500);
}

void joints_without_effort_are_refused_with_a_sentence()
{
  DrivesUnderTest drives(description(pendulum_parameters(), false));
  expect(
    !drives.configure() &&
      logged.find("Every joint needs command interfaces position and effort") != std::string::npos,
    "joints without a torque offset are refused");
}

}  // namespace

int main()
{
  rcutils_logging_set_output_handler(&take);
  expect_that_allocations_are_counted();
  the_plugin_is_found_and_holds_the_robot_at_home();
  position_and_torque_offset_are_obeyed();
  late_cycles_do_not_shake_the_robot();
  skipped_cycles_take_place();
  activated_again_it_rests_where_it_was_without_its_fault();
  drives_come_on_the_bus_late();
  a_late_drive_that_is_commanded_to_zero_jumps();
  a_fault_is_told_and_reset_as_ethercat_drives_do();
  the_last_cycle_has_no_torque_offset();
  a_cycle_allocates_nothing();
  impossible_parameters_are_refused_with_a_sentence();
  joints_without_effort_are_refused_with_a_sentence();
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
