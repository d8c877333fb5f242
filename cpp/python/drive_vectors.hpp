#pragma once

#include <Eigen/Core>
#include <stdexcept>
#include <string>

#include "dynid/control_report.hpp"

namespace dynid
{

/// Throws std::invalid_argument unless there is one value for each drive.
inline void check_drives(Eigen::Index drives, Eigen::Index size)
{
  if (size != drives) {
    throw std::invalid_argument(
      "A vector has " + std::to_string(size) + " values, but must have " + std::to_string(drives) +
      ", one for each drive.");
  }
}

inline void check_drives(
  Eigen::Index drives, const Reference & reference, const Feedback & feedback)
{
  for (const auto * vector :
       {&reference.position, &reference.velocity, &reference.acceleration, &feedback.position,
        &feedback.velocity, &feedback.torque}) {
    check_drives(drives, vector->size());
  }
  for (const auto * vector : {&feedback.link_position, &feedback.link_torque}) {
    check_drives(vector->size() > 0 ? drives : 0, vector->size());
  }
}

}  // namespace dynid
