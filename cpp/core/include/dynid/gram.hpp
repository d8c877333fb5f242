#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "dynid/batch.hpp"

namespace dynid
{

/// Adds to `out` (n, k + 1, k + 1), row-major: for each joint j the Gram matrix A^T A, where
/// A = [W_j, tau_j] has a row for each sample, W_j is row j of the regressor and its k columns are
/// those listed. Samples where `mask` (N, n) is 0 are left out for that joint; nullptr takes all.
///
/// The regressor is never stored: memory does not depend on the number of samples. Throws
/// std::invalid_argument where shapes do not fit or a column does not exist.
void accumulate_gram(
  const Mechanism & mechanism, const States & states, const Samples & tau,
  const std::vector<int> & columns, const std::uint8_t * mask, double * out);

}  // namespace dynid
