#include "pivoted_qr.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace dynid
{
namespace
{

/// With two sums side by side, because each addition waits for the one before.
double dot(const double * a, const double * b, Eigen::Index size) noexcept
{
  double even = 0.0;
  double odd = 0.0;
  Eigen::Index i = 0;
  for (; i + 1 < size; i += 2) {
    even += a[i] * b[i];
    odd += a[i + 1] * b[i + 1];
  }
  return i < size ? even + odd + a[i] * b[i] : even + odd;
}

void subtract(double * a, double factor, const double * b, Eigen::Index size) noexcept
{
  for (Eigen::Index i = 0; i < size; ++i) {
    a[i] -= factor * b[i];
  }
}

}  // namespace

PivotedQr::PivotedQr(Eigen::Index rows, Eigen::Index columns)
: rows_(rows),
  columns_(columns),
  matrix_(static_cast<std::size_t>(rows * columns)),
  diagonal_(static_cast<std::size_t>(columns)),
  inverses_(static_cast<std::size_t>(columns)),
  factors_(static_cast<std::size_t>(columns)),
  squares_(static_cast<std::size_t>(columns)),
  order_(static_cast<std::size_t>(columns))
{
}

void PivotedQr::compute(const double * matrix) noexcept
{
  std::copy_n(matrix, matrix_.size(), matrix_.begin());
  std::iota(order_.begin(), order_.end(), Eigen::Index{0});
  double * const squares = squares_.data();
  for (Eigen::Index j = 0; j < columns_; ++j) {
    squares[j] = dot(column(j), column(j), rows_);
  }
  for (Eigen::Index k = 0; k < columns_; ++k) {
    const auto pivot = std::max_element(squares + k, squares + columns_) - squares;
    double * const own = matrix_.data() + k * rows_;
    if (pivot != k) {
      std::swap_ranges(own, own + rows_, matrix_.data() + pivot * rows_);
      std::swap(squares[k], squares[pivot]);
      std::swap(order_[static_cast<std::size_t>(k)], order_[static_cast<std::size_t>(pivot)]);
    }
    const auto size = rows_ - k;
    double * const v = own + k;
    const double norm = std::sqrt(dot(v, v, size));
    const double diagonal = v[0] > 0.0 ? -norm : norm;
    v[0] -= diagonal;
    // |v|^2 / 2 = norm (norm + |first|)
    const double half = -diagonal * v[0];
    diagonal_[static_cast<std::size_t>(k)] = diagonal;
    inverses_[static_cast<std::size_t>(k)] = 1.0 / diagonal;
    factors_[static_cast<std::size_t>(k)] = half > 0.0 ? 1.0 / half : 0.0;
    for (Eigen::Index j = k + 1; j < columns_; ++j) {
      double * const other = matrix_.data() + j * rows_ + k;
      subtract(other, factors_[static_cast<std::size_t>(k)] * dot(v, other, size), v, size);
      squares[j] -= other[0] * other[0];
    }
  }
}

/// Applies the k-th reflection; all in order are Q^T.
void PivotedQr::reflect(Eigen::Index k, double * vector) const noexcept
{
  const double * const v = column(k) + k;
  const auto size = rows_ - k;
  const double factor = factors_[static_cast<std::size_t>(k)] * dot(v, vector + k, size);
  subtract(vector + k, factor, v, size);
}

void PivotedQr::solve(double * b, double * x) const noexcept
{
  for (Eigen::Index k = 0; k < columns_; ++k) {
    reflect(k, b);
  }
  for (Eigen::Index k = columns_; k-- > 0;) {
    b[k] *= inverses_[static_cast<std::size_t>(k)];
    subtract(b, b[k], column(k), k);
    x[order_[static_cast<std::size_t>(k)]] = b[k];
  }
}

void PivotedQr::solve_transposed(const double * t, double * y) const noexcept
{
  for (Eigen::Index k = 0; k < columns_; ++k) {
    const double rest = t[order_[static_cast<std::size_t>(k)]] - dot(column(k), y, k);
    y[k] = rest * inverses_[static_cast<std::size_t>(k)];
  }
  std::fill(y + columns_, y + rows_, 0.0);
  for (Eigen::Index k = columns_; k-- > 0;) {
    reflect(k, y);
  }
}

}  // namespace dynid
