#pragma once

#include <cmath>

#include "dynid/kinematic_tree.hpp"

namespace dynid
{

inline Vector operator+(const Vector & a, const Vector & b) noexcept
{
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}

inline Vector operator-(const Vector & a, const Vector & b) noexcept
{
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}

inline Vector operator*(double factor, const Vector & a) noexcept
{
  return {factor * a.x, factor * a.y, factor * a.z};
}

inline double dot(const Vector & a, const Vector & b) noexcept
{
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

inline Vector cross(const Vector & a, const Vector & b) noexcept
{
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

template <typename Column>
Vector vector(const Column & from) noexcept
{
  return {from[0], from[1], from[2]};
}

/// A vector in the parent's frame, seen in the body's.
inline Vector rotate_in(const BodyMotion & body, const Vector & a) noexcept
{
  return {dot(body.x_axis, a), dot(body.y_axis, a), dot(body.z_axis, a)};
}

/// A vector in the body's frame, seen in the parent's.
inline Vector rotate_out(const BodyMotion & body, const Vector & a) noexcept
{
  return a.x * body.x_axis + a.y * body.y_axis + a.z * body.z_axis;
}

struct JointState
{
  double dq;
  double ddq;
};

/// The motion of the base: none, against gravity.
[[nodiscard]] BodyMotion base_motion(const KinematicTree & tree) noexcept;

// Where a body is in its parent's frame, axes and origin of `motion`: by the cosine and sine of a
// revolute joint's angle, by the position of a prismatic joint, or by that of either.

inline void turn_body(
  const Body & body, const Turn & turn, double cosine, double sine, BodyMotion & motion) noexcept
{
  motion.origin = vector(body.origin);
  if (body.turns_about_z()) {
    motion.x_axis = cosine * turn.across[0] + sine * turn.turned[0];
    motion.y_axis = cosine * turn.across[1] + sine * turn.turned[1];
    motion.z_axis = turn.constant[2];
    return;
  }
  motion.x_axis = turn.constant[0] + cosine * turn.across[0] + sine * turn.turned[0];
  motion.y_axis = turn.constant[1] + cosine * turn.across[1] + sine * turn.turned[1];
  motion.z_axis = turn.constant[2] + cosine * turn.across[2] + sine * turn.turned[2];
}

inline void slide_body(const Body & body, const Turn & turn, double q, BodyMotion & motion) noexcept
{
  motion.x_axis = turn.constant[0];
  motion.y_axis = turn.constant[1];
  motion.z_axis = turn.constant[2];
  motion.origin = vector(body.origin) + rotate_out(motion, q * vector(body.axis));
}

inline void place_body(const Body & body, const Turn & turn, double q, BodyMotion & motion) noexcept
{
  if (body.prismatic) {
    slide_body(body, turn, q, motion);
  } else {
    turn_body(body, turn, std::cos(q), std::sin(q), motion);
  }
}

/// As bodies that are placed already, where these are given, or else by a joint's position.
inline void place_body(
  const KinematicTree & tree, const TreeMotion & motion, const BodyMotion * placed, std::size_t b,
  double q, BodyMotion & moved) noexcept
{
  if (placed != nullptr) {
    moved = placed[b];
  } else {
    place_body(tree.bodies[b], motion.turns[b], q, moved);
  }
}

/// The motion of a body that is placed already, from that of its parent.
inline void move_body(
  const Body & body, const BodyMotion & parent, const JointState & joint,
  BodyMotion & motion) noexcept
{
  const Vector w = parent.velocity;
  const Vector lift =
    parent.lift + cross(parent.acceleration, motion.origin) + cross(w, cross(w, motion.origin));
  motion.velocity = rotate_in(motion, w);
  motion.acceleration = rotate_in(motion, parent.acceleration);
  motion.lift = rotate_in(motion, lift);
  if (body.turns_about_z()) {
    motion.acceleration.x += motion.velocity.y * joint.dq;
    motion.acceleration.y -= motion.velocity.x * joint.dq;
    motion.acceleration.z += joint.ddq;
    motion.velocity.z += joint.dq;
    return;
  }
  const Vector axis = vector(body.axis);
  const Vector turning = cross(motion.velocity, joint.dq * axis);
  if (body.prismatic) {
    motion.lift = motion.lift + 2.0 * turning + joint.ddq * axis;
  } else {
    motion.acceleration = motion.acceleration + turning + joint.ddq * axis;
    motion.velocity = motion.velocity + joint.dq * axis;
  }
}

}  // namespace dynid
