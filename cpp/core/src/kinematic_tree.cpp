#include "dynid/kinematic_tree.hpp"

#include <Eigen/Geometry>

namespace dynid
{
namespace
{

Vector operator+(const Vector & a, const Vector & b) noexcept
{
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}

Vector operator*(double factor, const Vector & a) noexcept
{
  return {factor * a.x, factor * a.y, factor * a.z};
}

double dot(const Vector & a, const Vector & b) noexcept
{
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

Vector cross(const Vector & a, const Vector & b) noexcept
{
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

template <typename Column>
Vector vector(const Column & from) noexcept
{
  return {from[0], from[1], from[2]};
}

/// A vector in the parent's frame, seen in the body's.
Vector rotate_in(const BodyMotion & body, const Vector & a) noexcept
{
  return {dot(body.x_axis, a), dot(body.y_axis, a), dot(body.z_axis, a)};
}

struct JointState
{
  double q;
  double dq;
  double ddq;
};

void place_body(const Body & body, double q, BodyMotion & motion) noexcept
{
  Eigen::Matrix3d rotation = body.rotation;
  Eigen::Vector3d origin = body.origin;
  if (body.prismatic) {
    origin += body.rotation * (q * body.axis);
  } else {
    rotation *= Eigen::AngleAxisd(q, body.axis).toRotationMatrix();
  }
  motion.x_axis = vector(rotation.col(0));
  motion.y_axis = vector(rotation.col(1));
  motion.z_axis = vector(rotation.col(2));
  motion.origin = vector(origin);
}

void move_body(
  const Body & body, const BodyMotion & parent, const JointState & joint,
  BodyMotion & motion) noexcept
{
  place_body(body, joint.q, motion);
  const Vector axis = vector(body.axis);
  const Vector w = parent.velocity;
  const Vector lift =
    parent.lift + cross(parent.acceleration, motion.origin) + cross(w, cross(w, motion.origin));
  motion.velocity = rotate_in(motion, w);
  motion.acceleration = rotate_in(motion, parent.acceleration);
  motion.lift = rotate_in(motion, lift);
  const Vector turning = cross(motion.velocity, joint.dq * axis);
  if (body.prismatic) {
    motion.lift = motion.lift + 2.0 * turning + joint.ddq * axis;
  } else {
    motion.acceleration = motion.acceleration + turning + joint.ddq * axis;
    motion.velocity = motion.velocity + joint.dq * axis;
  }
}

void write_row(const BodyMotion & body, const Axis & axis, double * row) noexcept
{
  // copies, because the compiler must assume that `row` overlaps whatever is a reference
  const Vector a = body.lift;
  const Vector w = body.velocity;
  const Vector dw = body.acceleration;
  const Vector l = axis.linear;
  const Vector s = axis.angular;
  const Vector u = cross(s, w);
  // B^T l = l x dw + w x (w x l)
  const Vector moment = cross(a, s) + cross(l, dw) + cross(w, cross(w, l));
  row[0] = dot(l, a);
  row[1] = moment.x;
  row[2] = moment.y;
  row[3] = moment.z;
  row[4] = s.x * dw.x + u.x * w.x;
  row[5] = s.x * dw.y + s.y * dw.x + u.x * w.y + u.y * w.x;
  row[6] = s.y * dw.y + u.y * w.y;
  row[7] = s.x * dw.z + s.z * dw.x + u.x * w.z + u.z * w.x;
  row[8] = s.y * dw.z + s.z * dw.y + u.y * w.z + u.z * w.y;
  row[9] = s.z * dw.z + u.z * w.z;
}

}  // namespace

void rigid_body_rows(
  const KinematicTree & tree, TreeMotion & motion, const double * q, const double * dq,
  const double * ddq, double * rows, Eigen::Index stride) noexcept
{
  constexpr Vector zero{0.0, 0.0, 0.0};
  BodyMotion base{};
  base.lift = -1.0 * vector(tree.gravity);
  const auto count = tree.bodies.size();
  for (std::size_t b = 0; b < count; ++b) {
    const Body & body = tree.bodies[b];
    const BodyMotion & parent =
      body.parent < 0 ? base : motion.bodies[static_cast<std::size_t>(body.parent)];
    BodyMotion & moved = motion.bodies[b];
    move_body(body, parent, {q[body.number], dq[body.number], ddq[body.number]}, moved);

    Axis * const axes = motion.axes.data() + b * count;
    const Vector own = vector(body.axis);
    axes[b] = body.prismatic ? Axis{own, zero} : Axis{zero, own};
    double * const columns = rows + 10 * body.number;
    write_row(moved, axes[b], columns + stride * body.number);
    for (int j = body.parent; j >= 0; j = tree.bodies[static_cast<std::size_t>(j)].parent) {
      const auto index = static_cast<std::size_t>(j);
      const Axis & seen = motion.axes[static_cast<std::size_t>(body.parent) * count + index];
      axes[index].angular = rotate_in(moved, seen.angular);
      axes[index].linear = rotate_in(moved, seen.linear + cross(seen.angular, moved.origin));
      write_row(moved, axes[index], columns + stride * tree.bodies[index].number);
    }
  }
}

}  // namespace dynid
