#include "dynid/physical_consistency.hpp"

#include <Eigen/Eigenvalues>
#include <sstream>
#include <stdexcept>

namespace dynid
{
namespace
{

constexpr double bound_rounding = 1e-9;  // below 0, of a solver with the bound 0

/// Whether the parameters are physically consistent. The matrix is scaled by its own diagonal, so
/// that the test does not depend on the size of the body.
bool is_consistent(const Eigen::Matrix<double, 10, 1> & inertial)
{
  const Eigen::Matrix4d matrix = pseudo_inertia(inertial);
  const Eigen::Vector4d diagonal = matrix.diagonal();
  if (!(matrix.allFinite() && (diagonal.array() > 0.0).all())) {
    return false;
  }
  const Eigen::Vector4d scale = diagonal.cwiseSqrt().cwiseInverse();
  const Eigen::Matrix4d scaled = scale.asDiagonal() * matrix * scale.asDiagonal();
  if (!scaled.allFinite()) {
    return false;
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix4d> solver(scaled, Eigen::EigenvaluesOnly);
  return solver.info() == Eigen::Success && solver.eigenvalues()[0] > 0.0;
}

}  // namespace

Eigen::Matrix4d pseudo_inertia(const Eigen::Matrix<double, 10, 1> & inertial)
{
  Eigen::Matrix3d inertia;
  inertia << inertial[4], inertial[5], inertial[7],  //
    inertial[5], inertial[6], inertial[8],           //
    inertial[7], inertial[8], inertial[9];
  Eigen::Matrix4d matrix;
  matrix.topLeftCorner<3, 3>() = 0.5 * inertia.trace() * Eigen::Matrix3d::Identity() - inertia;
  matrix.topRightCorner<3, 1>() = inertial.segment<3>(1);
  matrix.bottomLeftCorner<1, 3>() = inertial.segment<3>(1).transpose();
  matrix(3, 3) = inertial[0];
  return matrix;
}

std::string physical_problem(const Mechanism & mechanism, const VectorIn & parameters)
{
  if (parameters.size() != mechanism.parameter_count()) {
    throw std::invalid_argument(
      "The mechanism has " + std::to_string(mechanism.parameter_count()) + " parameters, but got " +
      std::to_string(parameters.size()) + ".");
  }
  std::ostringstream text;
  const auto & joints = mechanism.body_joints();
  const auto bodies = static_cast<Eigen::Index>(joints.size());
  for (Eigen::Index body = 0; body < bodies; ++body) {
    if (!is_consistent(parameters.segment<10>(10 * body))) {
      text << "the pseudo-inertia of the body at joint '" << joints[static_cast<std::size_t>(body)]
           << "' is not positive definite";
      return text.str();
    }
  }
  const auto & terms = mechanism.terms();
  for (std::size_t k = 0; k < terms.size(); ++k) {
    const auto at = 10 * bodies + static_cast<Eigen::Index>(k);
    if (terms[k].kind->never_negative && !(parameters[at] >= -bound_rounding)) {
      text << "'" << mechanism.parameter_names()[static_cast<std::size_t>(at)] << "' ("
           << terms[k].kind->name << ") is " << parameters[at] << ", but cannot be below 0";
      return text.str();
    }
  }
  return {};
}

}  // namespace dynid
