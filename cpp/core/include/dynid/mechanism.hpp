#pragma once

#include <Eigen/Core>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "dynid/joint_terms.hpp"
#include "dynid/loop_closure.hpp"

namespace dynid
{

using RowMajorMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using VectorIn = Eigen::Ref<const Eigen::VectorXd>;
using VectorOut = Eigen::Ref<Eigen::VectorXd>;
using MatrixOut = Eigen::Ref<RowMajorMatrix>;

/// What a mechanism is built from.
struct MechanismDescription
{
  std::string urdf_xml;
  std::vector<std::string> joints;           ///< the actuated ones, in drive order
  std::map<std::string, double> locked;      ///< positions of others [rad or m]; 0 where absent
  Eigen::Vector3d gravity{0.0, 0.0, -9.81};  ///< in the URDF's root frame [m/s^2]
  Eigen::MatrixXd coupling;      ///< T in q_joint = T q_motor (n, n); empty means identity
  std::vector<JointTerm> terms;  ///< joints by number: the actuated ones, then the passive ones
  ClosedChainDescription chain;  ///< empty for a tree
  std::string payload_joint;     ///< that carries a payload's body; empty: the last actuated one
  bool semi_static = false;      ///< gravity and joint terms only: bodies have weight, no inertia
};

/// Working memory of the single-sample functions. One per thread, from Mechanism::workspace().
///
/// It also holds the state of terms with memory (presliding friction): a workspace follows one
/// motion, and every function with a motion as argument updates their deflection.
class Workspace
{
public:
  /// State of the terms with memory, (position, deflection) for each; can be saved and restored.
  [[nodiscard]] std::vector<Presliding> & presliding() noexcept;

  Workspace(Workspace && other) noexcept;
  Workspace & operator=(Workspace && other) noexcept;
  Workspace(const Workspace &) = delete;
  Workspace & operator=(const Workspace &) = delete;
  ~Workspace();

private:
  friend class Mechanism;
  struct Memory;
  explicit Workspace(std::unique_ptr<Memory> memory) noexcept;
  std::unique_ptr<Memory> memory_;
};

/// A tree of revolute and prismatic joints, or closed chains of them, its joint terms and its
/// parameters. Immutable, so that any number of threads can share one; copies are cheap.
///
/// q, dq, ddq and tau are at the actuated joints, in drive order [rad or m, per s, per s^2, N*m or
/// N], have size joint_count(), and must be contiguous. The parameters are ten per body in
/// pinocchio's order (m, mc_x, mc_y, mc_z, Ixx, Ixy, Iyy, Ixz, Iyz, Izz, about the joint frame's
/// origin), bodies of the actuated joints in drive order, then those of passive joints that have
/// mass, then one per joint term.
///
/// Where the loops of a closed chain cannot be closed at q, results are NaN, until the next q.
///
/// Functions that take a Workspace are for control cycles: no allocation, lock or exception.
/// Results of those marked "rigid body" are valid only if require_rigid_bodies() passes.
class Mechanism
{
public:
  /// Throws std::invalid_argument with a sentence for the user.
  explicit Mechanism(const MechanismDescription & description);

  /// The same mechanism with other parameters; throws std::invalid_argument on a wrong count or a
  /// value that is not finite.
  [[nodiscard]] Mechanism with_parameters(const VectorIn & parameters) const;

  [[nodiscard]] Eigen::Index joint_count() const noexcept;
  [[nodiscard]] Eigen::Index parameter_count() const noexcept;
  [[nodiscard]] const std::vector<std::string> & parameter_names() const noexcept;
  [[nodiscard]] const std::vector<std::string> & parameter_units() const noexcept;
  [[nodiscard]] const Eigen::VectorXd & parameters() const noexcept;
  [[nodiscard]] const Eigen::VectorXd & urdf_parameters() const noexcept;  ///< terms are zero
  [[nodiscard]] const Eigen::MatrixXd & coupling() const noexcept;
  [[nodiscard]] const std::vector<bool> & prismatic() const noexcept;  ///< per joint
  [[nodiscard]] const Eigen::MatrixXd & axes() const noexcept;  ///< unit, in joint frames, by body
  /// Names of the joints that carry the bodies, in the order of their parameters.
  [[nodiscard]] const std::vector<std::string> & body_joints() const noexcept;
  [[nodiscard]] Eigen::Index payload_body() const noexcept;  ///< index of the payload's, of these
  [[nodiscard]] Eigen::Index memory_count() const noexcept;  ///< terms with memory
  [[nodiscard]] const std::vector<JointTerm> & terms() const noexcept;

  /// False where entry (row, column) of the regressor is zero in every state.
  [[nodiscard]] bool may_depend(Eigen::Index row, Eigen::Index column) const noexcept;

  /// Throws std::invalid_argument where the parameters have a body with first moments but no mass.
  void require_rigid_bodies() const;

  /// As require_rigid_bodies(), and throws where the mechanism is semi-static (no mass matrix).
  void require_inertia() const;

  /// Why the loops could not be closed at the workspace's position; empty where they are closed.
  [[nodiscard]] std::string closure_problem(const Workspace & workspace, const VectorIn & q) const;
  [[nodiscard]] bool closed(const Workspace & workspace) const noexcept;

  /// All joints that move: the actuated ones and, behind them, the passive ones.
  [[nodiscard]] const std::vector<std::string> & moving_joints() const noexcept;

  /// Positions of all moving joints where the actuated ones are at q (n,).
  void spread(Workspace & workspace, const VectorIn & q, VectorOut all) const noexcept;

  /// Torques of all moving joints as torque of the actuated ones (n,), at q.
  void project(
    Workspace & workspace, const VectorIn & q, const VectorIn & all, VectorOut tau) const noexcept;

  [[nodiscard]] Workspace workspace() const;

  /// Updates the terms with memory to a position, without any result.
  void advance(Workspace & workspace, const VectorIn & q, const VectorIn & dq) const noexcept;

  /// Relaxes the contacts of terms with memory, as before the first motion.
  void reset_memory(Workspace & workspace) const noexcept;

  /// W in tau = W parameters; out (n, parameter_count()). Columns of load-dependent terms contain
  /// the gravity torque of the mechanism's own parameters.
  void regressor(
    Workspace & workspace, const VectorIn & q, const VectorIn & dq, const VectorIn & ddq,
    MatrixOut out) const noexcept;

  /// Adds e^T W to `products` (c, parameter_count()) for vectors e of the joints, one a row of
  /// `vectors` (c, n). Allocates memory at the first call, and again for more vectors.
  void add_products(
    Workspace & workspace, const VectorIn & q, const VectorIn & dq, const VectorIn & ddq,
    const RowMajorMatrix & vectors, MatrixOut products) const;

  /// tau = W parameters, for any parameters, by the recursive Newton-Euler algorithm.
  /// Load-dependent terms use the gravity torque of the mechanism's own parameters.
  void torque(
    Workspace & workspace, const VectorIn & q, const VectorIn & dq, const VectorIn & ddq,
    const VectorIn & parameters, VectorOut tau) const noexcept;

  /// The generalised momentum M(q) dq (n,), rotors included, and the gradient of kinetic less
  /// potential energy C(q, dq)^T dq - g(q) (n,), for any parameters of the bodies; the rotor
  /// inertias are the mechanism's own, other terms are unused.
  void momentum(
    Workspace & workspace, const VectorIn & q, const VectorIn & dq, const VectorIn & parameters,
    VectorOut momentum, VectorOut gradient) const noexcept;

  /// torque() with the mechanism's own parameters; tau (n,).
  void inverse_dynamics(
    Workspace & workspace, const VectorIn & q, const VectorIn & dq, const VectorIn & ddq,
    VectorOut tau) const noexcept;

  /// Torque of the joint terms alone.
  void term_torque(
    Workspace & workspace, const VectorIn & q, const VectorIn & dq, const VectorIn & ddq,
    VectorOut tau) const noexcept;

  /// The same with the terms' parameters of these (p,).
  void term_torque(
    Workspace & workspace, const VectorIn & q, const VectorIn & dq, const VectorIn & ddq,
    const VectorIn & parameters, VectorOut tau) const noexcept;

  /// Largest dry friction at the joints (n,) [N*m or N] with the mechanism's own parameters, over
  /// both directions and any deflection of terms with memory; load-dependent terms use the load of
  /// the last torque(). Friction of passive joints is not included.
  void dry_friction(Workspace & workspace, VectorOut tau) const noexcept;

  /// Gravity torque g(q), without springs, and for any parameters of the bodies.
  void gravity_torque(Workspace & workspace, const VectorIn & q, VectorOut tau) const noexcept;
  void gravity_torque(
    Workspace & workspace, const VectorIn & q, const VectorIn & parameters,
    VectorOut tau) const noexcept;

  /// Rigid body: M(q) with rotor inertias (n, n).
  void mass_matrix(Workspace & workspace, const VectorIn & q, MatrixOut out) const noexcept;

  /// Rigid body: C(q, dq) (n, n) such that dM/dt - 2 C is skew-symmetric.
  void coriolis_matrix(
    Workspace & workspace, const VectorIn & q, const VectorIn & dq, MatrixOut out) const noexcept;

  /// Rigid body: accelerations; false, and ddq untouched, where M(q) is not positive definite.
  [[nodiscard]] bool forward_dynamics(
    Workspace & workspace, const VectorIn & q, const VectorIn & dq, const VectorIn & tau,
    VectorOut ddq) const noexcept;

  struct Definition;  // inside cpp/core only

private:
  explicit Mechanism(std::shared_ptr<const Definition> definition) noexcept;
  struct TreeState
  {
    const double * q;
    const double * dq;
    const double * ddq;
  };
  [[nodiscard]] TreeState tree_state(
    Workspace & workspace, const VectorIn & q, const VectorIn & dq,
    const VectorIn & ddq) const noexcept;
  [[nodiscard]] const Eigen::VectorXd & tree_position(
    Workspace & workspace, const VectorIn & q) const noexcept;
  void write_rows(Workspace & workspace, const TreeState & state, MatrixOut out) const noexcept;
  void tree_torque(
    Workspace & workspace, const TreeState & state, const VectorIn & parameters,
    VectorOut all) const noexcept;
  template <typename Use>
  void for_each_term(
    Workspace & workspace, const TreeState & state, const Use & use) const noexcept;
  void evaluate_terms(Workspace & workspace, const TreeState & state) const noexcept;
  void add_terms(
    Workspace & workspace, const TreeState & state, const VectorIn & parameters,
    VectorOut tau) const noexcept;
  void tree_mass(Workspace & workspace, const Eigen::VectorXd & q) const noexcept;

  std::shared_ptr<const Definition> definition_;
};

}  // namespace dynid
