#pragma once

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
  double q;
  double dq;
  double ddq;
};

/// The motion of the base: none, against gravity.
[[nodiscard]] BodyMotion base_motion(const KinematicTree & tree) noexcept;

/// Where a body is in its parent's frame: axes and origin of `motion`.
void place_body(const Body & body, const Turn & turn, double q, BodyMotion & motion) noexcept;

/// The motion of a body from that of its parent.
void move_body(
  const Body & body, const Turn & turn, const BodyMotion & parent, const JointState & joint,
  BodyMotion & motion) noexcept;

}  // namespace dynid
