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

/// State of a mechanism's terms with memory, passed from one array of samples to the next:
/// memory_count() elements, updated in place; nullptr starts with relaxed contacts.
using Past = Presliding *;

/// Throws std::invalid_argument where loops could not be closed at sample i.
void require_closed(
  const Mechanism & mechanism, const Workspace & workspace, const VectorIn & q, Eigen::Index i);

/// A workspace whose terms with memory start from a given state.
[[nodiscard]] Workspace restored_workspace(const Mechanism & mechanism, const Presliding * past);

/// Copies a workspace's state of the terms with memory to `past`, unless that is nullptr.
void save_memory(Workspace & workspace, Past past) noexcept;

/// The functions of Mechanism for whole arrays, time along the rows. Outputs are row-major, of the
/// size given, and owned by the caller. They throw std::invalid_argument where shapes do not match,
/// where a function needs rigid bodies and the parameters are not those of rigid bodies, or where
/// the loops of a closed chain cannot be closed at a sample.
namespace batch
{

void advance(const Mechanism & mechanism, const Samples & q, const Samples & dq, Past past);
void regressor(
  const Mechanism & mechanism, const States & states, double * out,
  Past past = nullptr);  // (N, n, p)
void torque(
  const Mechanism & mechanism, const States & states, const Eigen::VectorXd & parameters,
  double * out, Past past = nullptr);  // (N, n)
/// Where loops can be closed (N,).
[[nodiscard]] std::vector<bool> reachable(const Mechanism & mechanism, const Samples & q);
void spread(const Mechanism & mechanism, const Samples & q, double * out);  // (N, moving joints)
void inverse_dynamics(const Mechanism & mechanism, const States & states, double * out);  // (N, n)
void term_torque(const Mechanism & mechanism, const States & states, double * out);       // (N, n)
void gravity_torque(const Mechanism & mechanism, const Samples & q, double * out);        // (N, n)
void mass_matrix(const Mechanism & mechanism, const Samples & q, double * out);  // (N, n, n)
void coriolis_matrix(
  const Mechanism & mechanism, const Samples & q, const Samples & dq, double * out);  // (N, n, n)

/// states.ddq holds the torques. Also throws where the mass matrix is not positive definite.
void forward_dynamics(const Mechanism & mechanism, const States & states, double * out);  // (N, n)

}  // namespace batch
}  // namespace dynid
