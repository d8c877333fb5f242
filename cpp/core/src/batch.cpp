#include "dynid/batch.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace dynid
{
namespace
{

using ConstVectorMap = Eigen::Map<const Eigen::VectorXd>;
using VectorMap = Eigen::Map<Eigen::VectorXd>;
using MatrixMap = Eigen::Map<RowMajorMatrix>;

ConstVectorMap sample(const Samples & samples, Eigen::Index i)
{
  return {samples.data() + i * samples.cols(), samples.cols()};
}

void check_shape(const Mechanism & mechanism, const Samples & samples, Eigen::Index count)
{
  if (samples.cols() != mechanism.joint_count() || samples.rows() != count) {
    throw std::invalid_argument(
      "An array of samples has shape (" + std::to_string(samples.rows()) + ", " +
      std::to_string(samples.cols()) + "), but must have (" + std::to_string(count) + ", " +
      std::to_string(mechanism.joint_count()) + ").");
  }
}

}  // namespace

void States::check(const Mechanism & mechanism) const
{
  check_shape(mechanism, q, q.rows());
  check_shape(mechanism, dq, q.rows());
  check_shape(mechanism, ddq, q.rows());
}

Workspace resumed(const Mechanism & mechanism, const Presliding * past)
{
  auto workspace = mechanism.workspace();
  if (past != nullptr) {
    auto & presliding = workspace.presliding();
    std::copy_n(past, presliding.size(), presliding.begin());
  }
  return workspace;
}

void keep(Workspace & workspace, Past past) noexcept
{
  if (past != nullptr) {
    std::copy(workspace.presliding().begin(), workspace.presliding().end(), past);
  }
}

namespace batch
{

void advance(const Mechanism & mechanism, const Samples & q, Past past)
{
  check_shape(mechanism, q, q.rows());
  auto workspace = resumed(mechanism, past);
  for (Eigen::Index i = 0; i < q.rows(); ++i) {
    mechanism.advance(workspace, sample(q, i));
  }
  keep(workspace, past);
}

void regressor(const Mechanism & mechanism, const States & states, double * out, Past past)
{
  states.check(mechanism);
  auto workspace = resumed(mechanism, past);
  const auto n = mechanism.joint_count();
  const auto p = mechanism.parameter_count();
  for (Eigen::Index i = 0; i < states.q.rows(); ++i) {
    mechanism.regressor(
      workspace, sample(states.q, i), sample(states.dq, i), sample(states.ddq, i),
      MatrixMap(out + i * n * p, n, p));
  }
  keep(workspace, past);
}

void torque(
  const Mechanism & mechanism, const States & states, const Eigen::VectorXd & parameters,
  double * out, Past past)
{
  states.check(mechanism);
  if (parameters.size() != mechanism.parameter_count()) {
    throw std::invalid_argument(
      "The mechanism has " + std::to_string(mechanism.parameter_count()) + " parameters, but got " +
      std::to_string(parameters.size()) + ".");
  }
  auto workspace = resumed(mechanism, past);
  const auto n = mechanism.joint_count();
  for (Eigen::Index i = 0; i < states.q.rows(); ++i) {
    mechanism.torque(
      workspace, sample(states.q, i), sample(states.dq, i), sample(states.ddq, i), parameters,
      VectorMap(out + i * n, n));
  }
  keep(workspace, past);
}

void inverse_dynamics(const Mechanism & mechanism, const States & states, double * out)
{
  states.check(mechanism);
  mechanism.require_rigid_bodies();
  auto workspace = mechanism.workspace();
  const auto n = mechanism.joint_count();
  for (Eigen::Index i = 0; i < states.q.rows(); ++i) {
    mechanism.inverse_dynamics(
      workspace, sample(states.q, i), sample(states.dq, i), sample(states.ddq, i),
      VectorMap(out + i * n, n));
  }
}

void term_torque(const Mechanism & mechanism, const States & states, double * out)
{
  states.check(mechanism);
  auto workspace = mechanism.workspace();
  const auto n = mechanism.joint_count();
  for (Eigen::Index i = 0; i < states.q.rows(); ++i) {
    mechanism.term_torque(
      workspace, sample(states.q, i), sample(states.dq, i), sample(states.ddq, i),
      VectorMap(out + i * n, n));
  }
}

void gravity_torque(const Mechanism & mechanism, const Samples & q, double * out)
{
  check_shape(mechanism, q, q.rows());
  mechanism.require_rigid_bodies();
  auto workspace = mechanism.workspace();
  const auto n = mechanism.joint_count();
  for (Eigen::Index i = 0; i < q.rows(); ++i) {
    mechanism.gravity_torque(workspace, sample(q, i), VectorMap(out + i * n, n));
  }
}

void mass_matrix(const Mechanism & mechanism, const Samples & q, double * out)
{
  check_shape(mechanism, q, q.rows());
  mechanism.require_rigid_bodies();
  auto workspace = mechanism.workspace();
  const auto n = mechanism.joint_count();
  for (Eigen::Index i = 0; i < q.rows(); ++i) {
    mechanism.mass_matrix(workspace, sample(q, i), MatrixMap(out + i * n * n, n, n));
  }
}

void coriolis_matrix(
  const Mechanism & mechanism, const Samples & q, const Samples & dq, double * out)
{
  check_shape(mechanism, q, q.rows());
  check_shape(mechanism, dq, q.rows());
  mechanism.require_rigid_bodies();
  auto workspace = mechanism.workspace();
  const auto n = mechanism.joint_count();
  for (Eigen::Index i = 0; i < q.rows(); ++i) {
    mechanism.coriolis_matrix(
      workspace, sample(q, i), sample(dq, i), MatrixMap(out + i * n * n, n, n));
  }
}

void forward_dynamics(const Mechanism & mechanism, const States & states, double * out)
{
  states.check(mechanism);
  mechanism.require_rigid_bodies();
  auto workspace = mechanism.workspace();
  const auto n = mechanism.joint_count();
  for (Eigen::Index i = 0; i < states.q.rows(); ++i) {
    const bool solved = mechanism.forward_dynamics(
      workspace, sample(states.q, i), sample(states.dq, i), sample(states.ddq, i),
      VectorMap(out + i * n, n));
    if (!solved) {
      throw std::invalid_argument(
        "The mass matrix is not positive definite at sample " + std::to_string(i) +
        ", so that accelerations do not follow from torques; a body has too little mass or "
        "inertia.");
    }
  }
}

}  // namespace batch
}  // namespace dynid
