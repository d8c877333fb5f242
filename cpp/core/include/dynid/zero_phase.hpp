#pragma once

#include <Eigen/Core>
#include <vector>

namespace dynid
{

/// (b0 + b1/z + b2/z²) / (1 + a1/z + a2/z²), one factor of a digital filter.
struct SecondOrderSection
{
  double b0;
  double b1;
  double b2;
  double a1;
  double a2;
};

/// Filters signals by sections, forwards and then backwards in time, so that there is no phase
/// shift. Either pass begins as after a long time at its first sample. Before that, each signal is
/// continued at both ends by `pad` samples: its own, turned about the end point.
///
/// `values` and `out` (samples, signals) are row-major, time along the rows; signals are filtered
/// side by side, eight at a time. Throws std::invalid_argument where there are not more samples
/// than `pad`, or a section has a pole at 0 Hz, and so no state of rest.
void filter_zero_phase(
  const std::vector<SecondOrderSection> & sections, const double * values, Eigen::Index samples,
  Eigen::Index signals, Eigen::Index pad, double * out);

}  // namespace dynid
