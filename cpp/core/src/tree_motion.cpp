#include "tree_motion.hpp"

#include <Eigen/Geometry>

namespace dynid
{
namespace
{

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

}  // namespace

BodyMotion base_motion(const KinematicTree & tree) noexcept
{
  BodyMotion base{};
  base.lift = -1.0 * vector(tree.gravity);
  return base;
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

}  // namespace dynid
