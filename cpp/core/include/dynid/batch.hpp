#pragma once

#include <Eigen/Core>

#include "dynid/mechanism.hpp"

namespace dynid
{

/// Samples of all joints, (N, n), time along the rows, no gaps between them.
using Samples = Eigen::Map<const RowMajorMatrix>;

/// Arrays of states, one sample a row; see Mechanism for units.
struct States
{
  Samples q;
  Samples dq;
  Samples ddq;

  /// Throws std::invalid_argument unless the three have one shape, with a column for each joint.
  void check(const Mechanism & mechanism) const;
};

/// The functions of Mechanism for whole arrays. Outputs are row-major, of the size given, and
/// belong to the caller. They throw std::invalid_argument where shapes do not fit, or where the
/// function is for rigid bodies and the parameters are not.
namespace batch
{

void regressor(const Mechanism & mechanism, const States & states, double * out);  // (N, n, p)
void torque(
  const Mechanism & mechanism, const States & states, const Eigen::VectorXd & parameters,
  double * out);                                                                         // (N, n)
void inverse_dynamics(const Mechanism & mechanism, const States & states, double * out);  // (N, n)
void term_torque(const Mechanism & mechanism, const States & states, double * out);       // (N, n)
void gravity_torque(const Mechanism & mechanism, const Samples & q, double * out);        // (N, n)
void mass_matrix(const Mechanism & mechanism, const Samples & q, double * out);        // (N, n, n)
void coriolis_matrix(
  const Mechanism & mechanism, const Samples & q, const Samples & dq, double * out);  // (N, n, n)

/// states.ddq holds the torques. Also throws where the mass matrix is not positive definite.
void forward_dynamics(const Mechanism & mechanism, const States & states, double * out);  // (N, n)

}  // namespace batch
}  // namespace dynid
