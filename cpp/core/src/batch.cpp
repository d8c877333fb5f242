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

/// Calls function(workspace, i) for every position, in the order of time.
template <typename Function>
void in_order(const Mechanism & mechanism, const Samples & q, Past past, const Function & function)
{
  auto workspace = restored_workspace(mechanism, past);
  for (Eigen::Index i = 0; i < q.rows(); ++i) {
    function(workspace, i);
    require_closed(mechanism, workspace, sample(q, i), i);
  }
  save_memory(workspace, past);
}

/// The same for states, with function(workspace, q, dq, ddq, i).
template <typename Function>
void in_order(
  const Mechanism & mechanism, const States & states, Past past, const Function & function)
{
  in_order(mechanism, states.q, past, [&](Workspace & workspace, Eigen::Index i) {
    function(workspace, sample(states.q, i), sample(states.dq, i), sample(states.ddq, i), i);
  });
}

}  // namespace

void States::check(const Mechanism & mechanism) const
{
  check_shape(mechanism, q, q.rows());
  check_shape(mechanism, dq, q.rows());
  check_shape(mechanism, ddq, q.rows());
}

void require_closed(
  const Mechanism & mechanism, const Workspace & workspace, const VectorIn & q, Eigen::Index i)
{
  if (!mechanism.closed(workspace)) {
    throw std::invalid_argument(
      "Sample " + std::to_string(i) + ": " + mechanism.closure_problem(workspace, q));
  }
}

Workspace restored_workspace(const Mechanism & mechanism, const Presliding * past)
{
  auto workspace = mechanism.workspace();
  if (past != nullptr) {
    auto & presliding = workspace.presliding();
    std::copy_n(past, presliding.size(), presliding.begin());
  }
  return workspace;
}

void save_memory(Workspace & workspace, Past past) noexcept
{
  if (past != nullptr) {
    std::copy(workspace.presliding().begin(), workspace.presliding().end(), past);
  }
}

namespace batch
{

void advance(const Mechanism & mechanism, const Samples & q, const Samples & dq, Past past)
{
  check_shape(mechanism, q, q.rows());
  check_shape(mechanism, dq, q.rows());
  in_order(mechanism, q, past, [&](Workspace & workspace, Eigen::Index i) {
    mechanism.advance(workspace, sample(q, i), sample(dq, i));
  });
}

void regressor(const Mechanism & mechanism, const States & states, double * out, Past past)
{
  states.check(mechanism);
  const auto n = mechanism.joint_count();
  const auto p = mechanism.parameter_count();
  in_order(
    mechanism, states, past,
    [&](auto & workspace, const auto & q, const auto & dq, const auto & ddq, Eigen::Index i) {
      mechanism.regressor(workspace, q, dq, ddq, MatrixMap(out + i * n * p, n, p));
    });
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
  const auto n = mechanism.joint_count();
  in_order(
    mechanism, states, past,
    [&](auto & workspace, const auto & q, const auto & dq, const auto & ddq, Eigen::Index i) {
      mechanism.torque(workspace, q, dq, ddq, parameters, VectorMap(out + i * n, n));
    });
}

void spread(const Mechanism & mechanism, const Samples & q, double * out)
{
  check_shape(mechanism, q, q.rows());
  const auto moving = static_cast<Eigen::Index>(mechanism.moving_joints().size());
  in_order(mechanism, q, nullptr, [&](Workspace & workspace, Eigen::Index i) {
    mechanism.spread(workspace, sample(q, i), VectorMap(out + i * moving, moving));
  });
}

std::vector<bool> reachable(const Mechanism & mechanism, const Samples & q)
{
  check_shape(mechanism, q, q.rows());
  auto workspace = mechanism.workspace();
  Eigen::VectorXd all(static_cast<Eigen::Index>(mechanism.moving_joints().size()));
  std::vector<bool> found;
  for (Eigen::Index i = 0; i < q.rows(); ++i) {
    mechanism.spread(workspace, sample(q, i), all);
    found.push_back(mechanism.closed(workspace));
  }
  return found;
}

void inverse_dynamics(const Mechanism & mechanism, const States & states, double * out)
{
  states.check(mechanism);
  mechanism.require_rigid_bodies();
  const auto n = mechanism.joint_count();
  in_order(
    mechanism, states, nullptr,
    [&](auto & workspace, const auto & q, const auto & dq, const auto & ddq, Eigen::Index i) {
      mechanism.inverse_dynamics(workspace, q, dq, ddq, VectorMap(out + i * n, n));
    });
}

void term_torque(const Mechanism & mechanism, const States & states, double * out)
{
  states.check(mechanism);
  const auto n = mechanism.joint_count();
  in_order(
    mechanism, states, nullptr,
    [&](auto & workspace, const auto & q, const auto & dq, const auto & ddq, Eigen::Index i) {
      mechanism.term_torque(workspace, q, dq, ddq, VectorMap(out + i * n, n));
    });
}

void gravity_torque(const Mechanism & mechanism, const Samples & q, double * out)
{
  check_shape(mechanism, q, q.rows());
  const auto n = mechanism.joint_count();
  in_order(mechanism, q, nullptr, [&](Workspace & workspace, Eigen::Index i) {
    mechanism.gravity_torque(workspace, sample(q, i), VectorMap(out + i * n, n));
  });
}

void mass_matrix(const Mechanism & mechanism, const Samples & q, double * out)
{
  check_shape(mechanism, q, q.rows());
  mechanism.require_inertia();
  const auto n = mechanism.joint_count();
  in_order(mechanism, q, nullptr, [&](Workspace & workspace, Eigen::Index i) {
    mechanism.mass_matrix(workspace, sample(q, i), MatrixMap(out + i * n * n, n, n));
  });
}

void coriolis_matrix(
  const Mechanism & mechanism, const Samples & q, const Samples & dq, double * out)
{
  check_shape(mechanism, q, q.rows());
  check_shape(mechanism, dq, q.rows());
  mechanism.require_inertia();
  const auto n = mechanism.joint_count();
  in_order(mechanism, q, nullptr, [&](Workspace & workspace, Eigen::Index i) {
    const MatrixMap matrix(out + i * n * n, n, n);
    mechanism.coriolis_matrix(workspace, sample(q, i), sample(dq, i), matrix);
  });
}

void forward_dynamics(const Mechanism & mechanism, const States & states, double * out)
{
  states.check(mechanism);
  mechanism.require_inertia();
  const auto n = mechanism.joint_count();
  in_order(
    mechanism, states, nullptr,
    [&](auto & workspace, const auto & q, const auto & dq, const auto & tau, Eigen::Index i) {
      if (!mechanism.forward_dynamics(workspace, q, dq, tau, VectorMap(out + i * n, n))) {
        throw std::invalid_argument(
          "The mass matrix is not positive definite at sample " + std::to_string(i) +
          ", so accelerations cannot be computed; a body has too little mass or inertia.");
      }
    });
}

}  // namespace batch
}  // namespace dynid
