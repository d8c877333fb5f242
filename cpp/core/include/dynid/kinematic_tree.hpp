#pragma once

#include <Eigen/Core>
#include <array>
#include <vector>

namespace dynid
{

/// A moving body and the joint that carries it. Joint frame and body frame coincide.
struct Body
{
  int parent = -1;           ///< index of the parent body in KinematicTree::bodies, -1 is the base
  int number = 0;            ///< of the joint: its row; actuated ones come first, in drive order
  int block = 0;             ///< of ten columns and parameters; -1 where the body has no mass
  bool prismatic = false;    ///< otherwise revolute, with or without limits
  Eigen::Vector3d axis;      ///< unit vector in the joint frame
  Eigen::Matrix3d rotation;  ///< of the joint frame in the parent's, at q = 0
  Eigen::Vector3d origin;    ///< of the joint frame in the parent's, at q = 0 [m]

  /// Whether the joint turns about its frame's z axis, as most do: products with the axis are then
  /// left out.
  [[nodiscard]] bool turns_about_z() const noexcept
  {
    return axis.z() == 1.0 && axis.x() == 0.0 && axis.y() == 0.0 && !prismatic;
  }
};

/// Bodies, parents first, under gravity.
struct KinematicTree
{
  std::vector<Body> bodies;
  Eigen::Vector3d gravity{0.0, 0.0, -9.81};  ///< in the base frame [m/s^2]
};

/// Three scalars. Eigen's Vector3d is stored as a pair and a scalar, which in the loops over pairs
/// of bodies causes store-forwarding stalls: half of the run time.
struct Vector
{
  double x;
  double y;
  double z;
};

/// The motion of a body, in its own frame.
struct BodyMotion
{
  Vector x_axis;        ///< of the body frame, in the parent's
  Vector y_axis;        ///< of the body frame, in the parent's
  Vector z_axis;        ///< of the body frame, in the parent's
  Vector origin;        ///< of the body frame, in the parent's [m]
  Vector velocity;      ///< angular [rad/s]
  Vector acceleration;  ///< angular [rad/s^2]
  Vector lift;          ///< acceleration of the origin minus gravity [m/s^2]
};

/// Velocity of a body's origin, and its angular velocity, per unit velocity of a joint before it.
struct Axis
{
  Vector linear;
  Vector angular;
};

/// The rotation of a body frame in its parent's: constant + cos(q) across + sin(q) turned, column
/// by column (Rodrigues), where a prismatic joint has the constant only.
struct Turn
{
  explicit Turn(const Body & body);

  std::array<Vector, 3> constant;
  std::array<Vector, 3> across;
  std::array<Vector, 3> turned;
};

/// Force and moment about a body's origin, or momenta, or a motion of the body, in its frame.
struct Wrench
{
  Vector linear;
  Vector angular;
};

/// Mass and first moment about a body's origin, in its frame.
struct Weight
{
  double mass;
  Vector moment;
};

/// Memory for one sample; allocate once with the tree, then reuse.
struct TreeMotion
{
  explicit TreeMotion(const KinematicTree & tree)
  : turns(tree.bodies.begin(), tree.bodies.end()),
    bodies(tree.bodies.size()),
    axes(tree.bodies.size() * tree.bodies.size()),
    velocities(tree.bodies.size()),
    wrenches(tree.bodies.size()),
    weights(tree.bodies.size())
  {
  }

  std::vector<Turn> turns;
  std::vector<BodyMotion> bodies;
  std::vector<Axis> axes;          ///< axes[b * count + j]: joint of body j seen from body b
  std::vector<Vector> velocities;  ///< of the bodies' origins [m/s]
  std::vector<Wrench> wrenches;    ///< of each body and all that it carries
  std::vector<Weight> weights;     ///< the same
};

/// Rigid-body part of the regressor, without pinocchio: row j, ten columns for each body that
/// joint j carries. Entries of other bodies are not written (they are always zero).
///
/// With s = (s_l, s_w) the axis of joint j in the frame of body b, the row is
///   m:   s_l . a          mc:  B^T s_l + a x s_w        I:  s_w^T (I dw) + (s_w x w)^T (I w)
/// where a is the acceleration of b's origin minus gravity and B = [dw]x + [w]x[w]x.
///
/// q, dq, ddq: joints by number [rad or m, per s, per s^2]. rows: joints x stride, row-major.
/// placed: the bodies' axes and origins at q where they are known, nullptr: they are computed.
/// No allocation, no exception.
void rigid_body_rows(
  const KinematicTree & tree, TreeMotion & motion, const double * q, const double * dq,
  const double * ddq, double * rows, Eigen::Index stride,
  const BodyMotion * placed = nullptr) noexcept;

/// Adds to `products` (c x stride, row-major) the products e^T W of these rows with vectors e of
/// the joints, one a row of `vectors` (c x joints, row-major).
///
/// Of joints that turn at the rates e, a body's motion is the sum of e_j times the joints' axes
/// seen from it, and e^T W is a row for that axis: one for each body, not for each joint and body.
///
/// combined: memory for c axes of each body. Otherwise as rigid_body_rows().
void rigid_body_products(
  const KinematicTree & tree, TreeMotion & motion, const double * q, const double * dq,
  const double * ddq, const double * vectors, Eigen::Index joints, std::vector<Axis> & combined,
  double * products, Eigen::Index stride, const BodyMotion * placed = nullptr) noexcept;

/// The product of these rows with the bodies' parameters, by the recursive Newton-Euler algorithm:
/// tau (joints,) [N*m or N] from any ten parameters for each body with a block.
void rigid_body_torque(
  const KinematicTree & tree, TreeMotion & motion, const double * q, const double * dq,
  const double * ddq, const double * parameters, double * tau,
  const BodyMotion * placed = nullptr) noexcept;

/// The bodies' generalised momentum M(q) dq (n,), and the gradient of their kinetic energy T less
/// their potential energy U with respect to the position (n,): C(q, dq)^T dq less gravity's torque.
///
/// With H_j the momentum of all that joint j carries, in its frame, and v_j the velocity there,
/// momentum and dT/dq are s_j . H_j and (v_j x s_j) . H_j, because turning joint j turns v_j by
/// -s_j x v_j.
void rigid_body_momentum(
  const KinematicTree & tree, TreeMotion & motion, const double * q, const double * dq,
  const double * parameters, double * momentum, double * gradient,
  const BodyMotion * placed = nullptr) noexcept;

}  // namespace dynid
