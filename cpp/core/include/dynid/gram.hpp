#pragma once

#include <Eigen/Core>
#include <vector>

#include "dynid/batch.hpp"

namespace dynid
{

/// Adds to `out` (n, k + 1, k + 1), row-major: for each joint j the Gram matrix A^T A, where
/// A = [W_j, tau_j] has a row for each sample, W_j is row j of the regressor and its k columns are
/// those listed. `weights` (N, n) multiply each sample's contribution to a joint's matrix; nullptr
/// stands for ones. Terms with memory continue from `past`.
///
/// The regressor is never stored, so memory does not depend on the number of samples. Throws
/// std::invalid_argument where shapes do not match or a column does not exist.
void accumulate_gram(
  const Mechanism & mechanism, const States & states, const Samples & tau,
  const std::vector<int> & columns, const double * weights, double * out, Past past = nullptr);

/// Adds to `out` (c, p), row-major: the products W^T e of the regressor W of all joints and samples
/// and c vectors e, one a row of `vectors` (c, N * n). Otherwise as accumulate_gram().
void accumulate_products(
  const Mechanism & mechanism, const States & states, const Samples & vectors, double * out,
  Past past = nullptr);

}  // namespace dynid
