#pragma once

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <limits>

#include "numbers.hpp"

namespace dynid
{

/// Solves information x = score by least squares for the components of x that it determines.
///
/// The eigenvectors of the information, each component in its unit, are the directions. Those whose
/// standard deviation exceeds `largest_deviation`, or that have no information beyond rounding, get
/// no value; so do components whose own standard deviation, over all directions, exceeds it: they
/// are NaN, with infinite variance and without covariance.
template <int K>
void observable_part(
  const Eigen::Matrix<double, K, K> & information, const Eigen::Matrix<double, K, 1> & score,
  const Eigen::Matrix<double, K, 1> & unit, double largest_deviation,
  Eigen::Matrix<double, K, 1> & value, Eigen::Matrix<double, K, K> & covariance) noexcept
{
  constexpr double rounding = 1e-12;  // of the largest eigenvalue: no information below
  constexpr double none = rounding * rounding;
  value.setConstant(nan);
  covariance.setZero();
  covariance.diagonal().setConstant(infinity);
  if (!(information.allFinite() && score.allFinite())) {
    return;
  }
  const Eigen::Matrix<double, K, K> scaled = unit.asDiagonal() * information * unit.asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, K, K>> solver(scaled);
  const double largest = solver.eigenvalues()[K - 1];
  if (!(largest > 0.0)) {
    return;
  }
  const Eigen::Matrix<double, K, K> & directions = solver.eigenvectors();
  const auto & eigenvalue = solver.eigenvalues();
  const Eigen::Matrix<double, K, 1> known =
    (eigenvalue.array() >= rounding * largest).select(eigenvalue, none * largest);
  const double least =
    std::max(rounding * largest, 1.0 / (largest_deviation * largest_deviation));  // of information
  const Eigen::Matrix<double, K, 1> found =
    (known.array() >= least)
      .select((directions.transpose() * unit.cwiseProduct(score)).cwiseQuotient(known).eval(), 0.0);
  const Eigen::Matrix<double, K, K> full =
    directions * known.cwiseInverse().asDiagonal() * directions.transpose();
  const Eigen::Matrix<double, K, 1> estimate = directions * found;
  for (Eigen::Index i = 0; i < K; ++i) {
    if (!(full(i, i) * least <= 1.0)) {
      continue;
    }
    value[i] = unit[i] * estimate[i];
    for (Eigen::Index j = 0; j < K; ++j) {
      if (full(j, j) * least <= 1.0) {
        covariance(i, j) = unit[i] * full(i, j) * unit[j];
      }
    }
  }
}

}  // namespace dynid
