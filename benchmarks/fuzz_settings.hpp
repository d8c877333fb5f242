#pragma once

// Settings of the control laws drawn at random, within their ranges and at the ends of these; and
// settings just beyond, which must be refused.

#include <string>

#include "dynid/torque_law.hpp"
#include "fuzz_robots.hpp"

namespace fuzz
{

[[nodiscard]] dynid::CollisionSettings draw_collision(
  Dice & dice, const Robot & robot, double rate);
[[nodiscard]] dynid::ControlLawSettings draw_settings(Dice & dice, const Robot & robot);

/// Time from a command to its torque [s].
[[nodiscard]] double error_delay(const dynid::ControlLawSettings & settings);

/// With loops that this robot can be controlled with, or any.
[[nodiscard]] dynid::TorqueLawSettings draw_torque_settings(
  Dice & dice, const Robot & robot, bool controllable);

/// Moves some settings to an end of their range.
void move_to_ends(Dice & dice, dynid::ControlLawSettings & settings);
void move_to_ends(Dice & dice, dynid::TorqueLawSettings & settings);

/// Sets one setting just beyond its range, or of another size. What is wrong where it is not
/// refused with a sentence that names it; otherwise empty.
[[nodiscard]] std::string beyond_range(Dice & dice, const dynid::TorqueLawSettings & settings);

}  // namespace fuzz
