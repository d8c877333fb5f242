#pragma once

#include <Eigen/Core>
#include <cmath>
#include <vector>

namespace dynid
{

/// Least-squares inverse of a small matrix by Householder reflections with column pivoting.
///
/// Eigen's decomposition of a matrix whose size is known at run time only takes eight times the
/// instructions for a matrix of nine columns, most of them to set up its products. No allocation
/// after construction, no exception.
class PivotedQr
{
public:
  /// For matrices P of this size, with at least as many rows as columns.
  PivotedQr(Eigen::Index rows, Eigen::Index columns);

  /// Decomposes P, given column by column without gaps.
  void compute(const double * matrix) noexcept;

  /// Diagonal entries of R: of the first pivot, the largest, and of the last.
  [[nodiscard]] double strongest() const noexcept { return std::abs(diagonal_.front()); }
  [[nodiscard]] double weakest() const noexcept { return std::abs(diagonal_.back()); }

  /// Column of P that became the last pivot.
  [[nodiscard]] Eigen::Index last() const noexcept { return order_.back(); }

  /// x = P^+ b (columns,); overwrites b (rows,).
  void solve(double * b, double * x) const noexcept;

  /// y = P^+T t (rows,), from t (columns,).
  void solve_transposed(const double * t, double * y) const noexcept;

private:
  [[nodiscard]] const double * column(Eigen::Index k) const noexcept
  {
    return matrix_.data() + k * rows_;
  }
  void reflect(Eigen::Index k, double * vector) const noexcept;

  Eigen::Index rows_;
  Eigen::Index columns_;
  std::vector<double> matrix_;  // R above the diagonal, reflections from it on downwards
  std::vector<double> diagonal_;
  std::vector<double> inverses_;  // of the diagonal
  std::vector<double> factors_;   // reflection k is 1 - factor v v^T
  std::vector<double> squares_;   // of the columns' norms below the rows that are done; rounded
  std::vector<Eigen::Index> order_;
};

}  // namespace dynid
