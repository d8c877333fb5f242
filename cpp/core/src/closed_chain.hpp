#pragma once

#include <Eigen/Core>
#include <array>
#include <string>
#include <vector>

#include "dynid/loop_closure.hpp"
#include "dynid/mechanism.hpp"
#include "link.hpp"
#include "pivoted_qr.hpp"
#include "tree_motion.hpp"

namespace dynid
{

/// Why loops could not be closed.
struct ClosureFailure
{
  enum class Kind
  {
    none,
    unreachable,  ///< a loop stays open
    singular      ///< a passive joint can move while the actuated ones rest
  };

  Kind kind = Kind::none;
  int index = -1;    ///< of the closure that stays open, or of the joint
  double gap = 0.0;  ///< that stays open [m]
};

/// Number of scalar conditions of a closure.
[[nodiscard]] Eigen::Index condition_count(ClosureKind kind) noexcept;

/// The passive joints of a mechanism with closed chains, from its actuated ones.
///
/// With phi(q) = 0 the closures, and A and P the derivatives of phi by actuated and passive joints,
///   dq_p = G dq_a,  G = -P^+ A,     ddq_p = G ddq_a - P^+ dJ/dt dq,  J = [A P],
/// and torques tau of all joints amount to tau_a + G^T tau_p (principle of virtual work; Khalil and
/// Dombre, Modeling, Identification and Control of Robots, ch. 7 and 10). P^+ is the least-squares
/// inverse, so that closures may be redundant, as those of a planar loop are.
///
/// A mechanism may have several assembly modes; the one at the start is kept: a position is
/// approached in small steps along the line from the previous one, or else from the start.
class ClosedChain
{
public:
  /// A body in the base frame.
  struct Placement
  {
    Vector x_axis;  ///< of the body frame
    Vector y_axis;
    Vector z_axis;
    Vector origin;    ///< [m]
    Vector axis;      ///< of its joint
    Vector turning;   ///< angular velocity [rad/s]
    Vector velocity;  ///< of the origin [m/s]
  };

  /// The angle of a revolute joint.
  struct Angle
  {
    double at = 0.0;  ///< [rad]
    double cosine = 1.0;
    double sine = 0.0;
  };

  /// Memory for one motion; allocate once, then reuse.
  struct Memory
  {
    explicit Memory(const ClosedChain & chain);

    bool closed = false;            ///< at q
    Eigen::VectorXd q;              ///< of all joints: the actuated ones, then the passive ones
    Eigen::VectorXd dq;             ///< their velocities
    Eigen::VectorXd ddq;            ///< their accelerations
    Eigen::MatrixXd transfer;       ///< G below the identity (joints, actuated)
    Eigen::MatrixXd transfer_rate;  ///< its derivative with respect to time
    ClosureFailure failure;

    /// The bodies at q; of their motion, only where they are in their parents' frames.
    std::vector<BodyMotion> bodies;
    std::vector<Angle> angles;          ///< of the bodies' joints
    std::vector<Placement> placements;  ///< of the bodies, at q and dq
    Eigen::VectorXd gap;                ///< phi
    Eigen::MatrixXd jacobian;           ///< J
    Eigen::MatrixXd jacobian_rate;      ///< dJ/dt
    PivotedQr passive;                  ///< P
    Eigen::VectorXd step;               ///< of the actuated joints
    Eigen::VectorXd step_before;        ///< the last one; 0: none is known
    Eigen::VectorXd tangent;            ///< positions of passive joints along the last tangent
    Eigen::VectorXd curve;  ///< from that to their positions, over the square of the step
    Eigen::VectorXd curve_before;
    int curves = 0;              ///< how many of these two are known, along one line
    Eigen::VectorXd conditions;  ///< as many as phi has
    Eigen::VectorXd solved;      ///< as many as passive joints
    Eigen::VectorXd joints;      ///< as many as joints
  };

  /// `tree`: bodies numbered as actuated joints, then passive ones; `joints`: their names. Throws
  /// std::invalid_argument where loops do not close at the start, or leave a passive joint free.
  ClosedChain(
    KinematicTree tree, const std::vector<Link> & links, const ClosedChainDescription & description,
    std::vector<std::string> joints);

  // For control cycles: no allocation, lock or exception.

  /// Closes the loops at a position of the actuated joints (n,). Where that cannot be done,
  /// memory.q and what follows from it is NaN, and memory.failure is the reason.
  void close(Memory & memory, const VectorIn & q) const noexcept;

  /// After close(): memory.dq and memory.ddq from those of the actuated joints (n,).
  void move(Memory & memory, const VectorIn & dq, const VectorIn & ddq) const noexcept;

  /// After close(): torques of all joints as torque of the actuated ones, G^T tau (n,).
  void project(Memory & memory, const VectorIn & tau, VectorOut projected) const noexcept;

  /// After move(): dG/dt^T tau (n,).
  void project_rate(Memory & memory, const VectorIn & tau, VectorOut projected) const noexcept;

  /// After close(): fills memory.transfer.
  void spread(Memory & memory) const noexcept;

  /// After move() and spread(): fills memory.transfer_rate.
  void spread_rate(Memory & memory) const noexcept;

  /// A failure at a position of the actuated joints (n,), as a sentence.
  [[nodiscard]] std::string describe(const ClosureFailure & failure, const VectorIn & q) const;

private:
  struct Side
  {
    int body = -1;  // index in the tree, -1 is the base
    Vector point{};
    Vector axis{};
  };

  struct Closure
  {
    ClosureKind kind;
    Side a;
    Side b;
    Vector across;  // two directions at right angles to b's axis
    Vector over;
    double length;
    double offset = 0.0;  // of a gear
    Eigen::Index row;     // its first in phi
    std::string name;
  };

  struct SideMotion;
  [[nodiscard]] Vector side_point(const Memory & memory, const Side & side) const noexcept;
  struct Lever;
  struct RightAngle;

  [[nodiscard]] Side side(
    const std::vector<Link> & links, const std::string & link, const Eigen::Vector3d & point,
    const Eigen::Vector3d & axis) const;
  void add(const std::vector<Link> & links, const LoopClosure & closure);
  [[nodiscard]] Eigen::Index column(const Side & side) const noexcept;
  void assemble();

  [[nodiscard]] bool walk(Memory & memory, const VectorIn & q) const noexcept;
  void predict(Memory & memory) const noexcept;
  void keep_curve(Memory & memory) const noexcept;
  [[nodiscard]] bool correct(Memory & memory, int iterations, bool nearby) const noexcept;
  double improve(Memory & memory) const noexcept;
  [[nodiscard]] bool factorize(Memory & memory) const noexcept;
  void to_passive(Memory & memory) const noexcept;
  void to_conditions(Memory & memory, const VectorIn & tau) const noexcept;
  [[nodiscard]] int most_open(const Memory & memory) const noexcept;

  // closed_chain_jacobian.cpp
  [[nodiscard]] SideMotion side_motion(const Memory & memory, const Side & side) const noexcept;
  void place(Memory & memory, bool anew) const noexcept;
  void measure_gap(Memory & memory) const noexcept;
  void turn(Memory & memory) const noexcept;
  void linearize(Memory & memory) const noexcept;
  void differentiate(Memory & memory) const noexcept;
  [[nodiscard]] std::array<RightAngle, 2> right_angles(
    const Memory & memory, const Closure & closure, const SideMotion & a,
    const SideMotion & b) const noexcept;
  template <typename Column>
  void for_each_lever(
    const Memory & memory, const Closure & closure, const SideMotion & a, const SideMotion & b,
    const Column & column) const noexcept;

  KinematicTree tree_;
  std::vector<Turn> turns_;
  std::vector<std::string> joints_;
  std::vector<Closure> closures_;
  Eigen::Index actuated_;
  Eigen::Index rows_ = 0;
  Eigen::VectorXd start_;  // of all joints, loops closed
};

/// The bodies as they were placed to close the loops; nullptr for a tree.
[[nodiscard]] inline const BodyMotion * placed_bodies(const ClosedChain::Memory * memory) noexcept
{
  return memory == nullptr ? nullptr : memory->bodies.data();
}

}  // namespace dynid
