// Least-squares inverses of small matrices, against Eigen's decomposition.

#include "../../cpp/core/src/pivoted_qr.hpp"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cstdlib>
#include <utility>

namespace
{

using Shape = std::pair<Eigen::Index, Eigen::Index>;

/// Rows and columns.
class PivotedQr : public testing::TestWithParam<Shape>
{
};

TEST_P(PivotedQr, SolvesAsTheCompleteDecompositionDoes)
{
  const auto [rows, columns] = GetParam();
  std::srand(1);
  dynid::PivotedQr decomposed(rows, columns);
  for (int trial = 0; trial < 20; ++trial) {  // the same object decomposes one after the other
    const Eigen::MatrixXd matrix = Eigen::MatrixXd::Random(rows, columns);
    const Eigen::MatrixXd inverse = matrix.completeOrthogonalDecomposition().pseudoInverse();
    const Eigen::VectorXd b = Eigen::VectorXd::Random(rows);
    const Eigen::VectorXd t = Eigen::VectorXd::Random(columns);
    const double size = inverse.norm();
    Eigen::VectorXd used = b;
    Eigen::VectorXd x(columns);
    Eigen::VectorXd y(rows);
    decomposed.compute(matrix.data());
    decomposed.solve(used.data(), x.data());
    decomposed.solve_transposed(t.data(), y.data());
    EXPECT_LT((x - inverse * b).norm(), 1e-12 * size);
    EXPECT_LT((y - inverse.transpose() * t).norm(), 1e-12 * size);
  }
}

INSTANTIATE_TEST_SUITE_P(
  Shapes, PivotedQr,
  testing::Values(Shape{1, 1}, Shape{2, 1}, Shape{3, 3}, Shape{9, 9}, Shape{11, 8}));

TEST(PivotedQrOfARankDeficientMatrix, HasNoLastPivotAndNamesADependentColumn)
{
  Eigen::Matrix3d matrix = Eigen::Matrix3d::Identity();
  matrix.col(2) = 0.5 * matrix.col(0);  // the shortest, so that it is pivoted last
  dynid::PivotedQr decomposed(3, 3);
  decomposed.compute(matrix.data());
  EXPECT_NEAR(decomposed.strongest(), 1.0, 1e-15);
  EXPECT_LT(decomposed.weakest(), 1e-15);
  EXPECT_EQ(decomposed.last(), 2);
}

}  // namespace
