#pragma once

#include <Eigen/Core>
#include <vector>

namespace dynid
{

/// (b0 + b1/z + b2/z²) / (1 + a1/z + a2/z²), one factor of a digital filter.
struct SecondOrderSection
{
  double b0, b1, b2, a1, a2;
};

/// Filters signals by sections, forwards and then backwards in time, in place. Either pass begins
/// as after a long time at its first sample, so that the result has no phase shift.
///
/// `values` (samples, signals) are row-major, time along the rows; signals are filtered side by
/// side, eight at a time. Throws std::invalid_argument where a section has no gain at 0 Hz to be at
/// rest with: a pole there.
void filter_zero_phase(
  const std::vector<SecondOrderSection> & sections, double * values, Eigen::Index samples,
  Eigen::Index signals);

}  // namespace dynid
