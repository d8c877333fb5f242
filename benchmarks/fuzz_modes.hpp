#pragma once

// Runs of one robot in either mode.

#include "fuzz_findings.hpp"
#include "fuzz_robots.hpp"

namespace fuzz
{

/// Phases of a run, for at least that many cycles.
template <typename Run>
void run_phases(Dice & dice, const Robot & robot, long cycles, Findings & findings)
{
  Run run(dice, robot, findings);
  for (const long last = findings.cycles + cycles; findings.cycles < last;) {
    run.phase();
  }
}

/// A ControlLaw with random settings, for at least that many cycles.
void run_position_mode(Dice & dice, const Robot & robot, long cycles, Findings & findings);

/// A TorqueLaw, and a simulated robot that it moves.
void run_torque_mode(Dice & dice, const Robot & robot, long cycles, Findings & findings);

}  // namespace fuzz
