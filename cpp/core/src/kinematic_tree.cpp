#include "dynid/kinematic_tree.hpp"

#include <Eigen/Geometry>

namespace dynid
{
namespace
{

using Eigen::Vector3d;

struct JointState
{
  double q;
  double dq;
  double ddq;
};

void move_body(
  const Body & body, const BodyMotion & parent, const JointState & joint,
  BodyMotion & motion) noexcept
{
  motion.to_parent = body.rotation;
  motion.origin = body.origin;
  if (body.prismatic) {
    motion.origin += body.rotation * (joint.q * body.axis);
  } else {
    motion.to_parent *= Eigen::AngleAxisd(joint.q, body.axis).toRotationMatrix();
  }
  const Vector3d & w = parent.velocity;
  const Vector3d at_origin = parent.force_free + parent.acceleration.cross(motion.origin) +
                             w.cross(w.cross(motion.origin));
  motion.velocity.noalias() = motion.to_parent.transpose() * w;
  motion.acceleration.noalias() = motion.to_parent.transpose() * parent.acceleration;
  motion.force_free.noalias() = motion.to_parent.transpose() * at_origin;
  const Vector3d rate = joint.dq * body.axis;
  if (body.prismatic) {
    motion.force_free += 2.0 * motion.velocity.cross(rate) + joint.ddq * body.axis;
  } else {
    motion.acceleration += motion.velocity.cross(rate) + joint.ddq * body.axis;
    motion.velocity += rate;
  }
}

void write_row(const BodyMotion & body, const Axis & axis, double * row) noexcept
{
  const Vector3d & a = body.force_free;
  const Vector3d & w = body.velocity;
  const Vector3d & dw = body.acceleration;
  const Vector3d & l = axis.linear;
  const Vector3d & s = axis.angular;
  // B^T l = -dw x l + w x (w x l)
  const Vector3d moment = a.cross(s) + l.cross(dw) + w.cross(w.cross(l));
  const Vector3d u = s.cross(w);
  row[0] = l.dot(a);
  row[1] = moment.x();
  row[2] = moment.y();
  row[3] = moment.z();
  row[4] = s.x() * dw.x() + u.x() * w.x();
  row[5] = s.x() * dw.y() + s.y() * dw.x() + u.x() * w.y() + u.y() * w.x();
  row[6] = s.y() * dw.y() + u.y() * w.y();
  row[7] = s.x() * dw.z() + s.z() * dw.x() + u.x() * w.z() + u.z() * w.x();
  row[8] = s.y() * dw.z() + s.z() * dw.y() + u.y() * w.z() + u.z() * w.y();
  row[9] = s.z() * dw.z() + u.z() * w.z();
}

}  // namespace

void rigid_body_rows(
  const KinematicTree & tree, TreeMotion & motion, const double * q, const double * dq,
  const double * ddq, double * rows, Eigen::Index stride) noexcept
{
  const BodyMotion base{
    Eigen::Matrix3d::Identity(), Vector3d::Zero(), Vector3d::Zero(), Vector3d::Zero(),
    -tree.gravity};
  const auto count = tree.bodies.size();
  for (std::size_t b = 0; b < count; ++b) {
    const Body & body = tree.bodies[b];
    const BodyMotion & parent =
      body.parent < 0 ? base : motion.bodies[static_cast<std::size_t>(body.parent)];
    BodyMotion & moved = motion.bodies[b];
    move_body(body, parent, {q[body.number], dq[body.number], ddq[body.number]}, moved);

    Axis * const axes = motion.axes.data() + b * count;
    axes[b] = body.prismatic ? Axis{body.axis, Vector3d::Zero()} : Axis{Vector3d::Zero(), body.axis};
    double * const columns = rows + 10 * body.number;
    write_row(moved, axes[b], columns + stride * body.number);
    for (int j = body.parent; j >= 0; j = tree.bodies[static_cast<std::size_t>(j)].parent) {
      const auto index = static_cast<std::size_t>(j);
      const Axis & seen = motion.axes[static_cast<std::size_t>(body.parent) * count + index];
      axes[index].angular.noalias() = moved.to_parent.transpose() * seen.angular;
      axes[index].linear.noalias() =
        moved.to_parent.transpose() * (seen.linear + seen.angular.cross(moved.origin));
      write_row(moved, axes[index], columns + stride * tree.bodies[index].number);
    }
  }
}

}  // namespace dynid
