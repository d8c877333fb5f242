#pragma once

// The oracle for detection: would a push of three times the threshold on a drive be found now?

#include <functional>

#include "dynid/control_law.hpp"
#include "fuzz_findings.hpp"
#include "fuzz_robots.hpp"

namespace fuzz
{

/// What a push needs to know of the law.
struct PushedLaw
{
  const dynid::ControlLaw & law;
  const dynid::ControlLawSettings & settings;
  dynid::CollisionSettings collision;  ///< in use
  bool has_model;
  bool loops;  ///< whether torque is also that of loops, which may be unstable
  std::function<bool()> stopped;
};

/// A drive to push: mostly one whose torque is supervised.
[[nodiscard]] Eigen::Index draw_pushed(Dice & dice, const dynid::CollisionSettings & collision);

/// Pushes a drive until the law has stopped, or has evaluated the drive without interruption for
/// 0.2 s and the time of its filters, or time is up. `cycle` runs one cycle with an additional
/// torque that the pushed drive measures, and returns the time that the law has counted [cycles], 0
/// where it skipped the cycle; `measured` gives the drive's torque without the push.
[[nodiscard]] Answer push(
  const PushedLaw & pushed, Eigen::Index drive, const std::function<double(double)> & cycle,
  const std::function<double()> & measured);

}  // namespace fuzz
