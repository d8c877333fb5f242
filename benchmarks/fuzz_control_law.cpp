// The control laws for arbitrary input: random robots, settings within their ranges, at the ends of
// these and beyond, cycles from 0.1 to 300 ms, references that are NaN, infinite, inconsistent or
// jump, missing and faulty feedback, model updates, payloads, stops and starts in between. Commands
// are checked from their values alone. Several times in each run, a push of three times the
// threshold on a drive must be found, or the law must say that it does not evaluate that drive.
// Arguments: cycles, seed, and one robot to run alone, from 0.

#include <cstdlib>
#include <iostream>

#include "fuzz_modes.hpp"
#include "fuzz_settings.hpp"

namespace
{

constexpr long most_cycles = 4000;        // of one robot
constexpr double torque_share = 0.4;      // of robots
constexpr int settings_beyond_range = 3;  // of each robot
constexpr long many_cycles = 100'000;     // in which every oracle has something to check

/// A seed for each robot, so that each can run alone.
std::uint64_t seed_of(std::uint64_t seed, std::uint64_t robot)
{
  return std::mt19937_64(seed + 1'000'003 * robot)();
}

void run(fuzz::Dice & dice, long cycles, fuzz::Findings & position, fuzz::Findings & torque)
{
  const auto robot = fuzz::draw_robot(dice);
  const bool in_torque_mode = dice.within(0.0, 1.0) < torque_share;
  auto & findings = in_torque_mode ? torque : position;
  findings.count("robots");
  findings.count(std::to_string(robot.drives()) + " drives");
  findings.count(robot.closed() ? "closed chains" : "trees");
  const auto settings = fuzz::draw_torque_settings(dice, robot, false);
  for (int k = 0; k < settings_beyond_range; ++k) {
    const auto accepted = fuzz::beyond_range(dice, settings);
    findings.count("settings beyond their range");
    findings.expect(accepted.empty(), ("a setting that is not refused: " + accepted).c_str());
  }
  (in_torque_mode ? fuzz::run_torque_mode : fuzz::run_position_mode)(dice, robot, cycles, findings);
}

/// Each oracle had something to check.
void expect_checks(fuzz::Findings & position, fuzz::Findings & torque)
{
  for (auto * findings : {&position, &torque}) {
    findings->expect(findings->answers[fuzz::Answer::found] > 0, "runs without a push found");
    findings->expect(findings->evaluated > 0, "runs without an evaluated torque");
    findings->expect(findings->steps > 0, "runs without a step");
  }
  torque.expect(torque.stopping > 0, "runs without a stop whose speed was compared");
}

}  // namespace

int main(int count, char ** arguments)
{
  const long cycles = count > 1 ? std::stol(arguments[1]) : 10'000'000;
  const auto seed = count > 2 ? std::stoull(arguments[2]) : 1;
  const bool alone = count > 3;
  fuzz::Findings position;
  fuzz::Findings torque;
  for (auto robot = alone ? std::stoull(arguments[3]) : 0; position.cycles + torque.cycles < cycles;
       ++robot) {
    position.running = torque.running =
      "seed " + std::to_string(seed) + ", robot " + std::to_string(robot);
    fuzz::Dice dice(seed_of(seed, robot));
    run(dice, 1 + dice.below(most_cycles), position, torque);
    if (alone) {
      break;
    }
  }
  if (!alone && cycles >= many_cycles) {
    expect_checks(position, torque);
  }
  std::cout << position.cycles + torque.cycles << " cycles, seed " << seed << "\n";
  position.print("position mode");
  torque.print("torque mode");
  return position.bad() + torque.bad() == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
