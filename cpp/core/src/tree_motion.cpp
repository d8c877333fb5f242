#include "tree_motion.hpp"

#include <Eigen/Geometry>
#include <cmath>

namespace dynid
{

void place_body(const Body & body, const Turn & turn, double q, BodyMotion & motion) noexcept
{
  motion.origin = vector(body.origin);
  if (body.prismatic) {
    motion.x_axis = turn.constant[0];
    motion.y_axis = turn.constant[1];
    motion.z_axis = turn.constant[2];
    motion.origin = motion.origin + rotate_out(motion, q * vector(body.axis));
    return;
  }
  const double c = std::cos(q);
  const double s = std::sin(q);
  motion.x_axis = turn.constant[0] + c * turn.across[0] + s * turn.turned[0];
  motion.y_axis = turn.constant[1] + c * turn.across[1] + s * turn.turned[1];
  motion.z_axis = turn.constant[2] + c * turn.across[2] + s * turn.turned[2];
}

Turn::Turn(const Body & body)
{
  const Eigen::Vector3d axis = body.prismatic ? Eigen::Vector3d::Zero() : body.axis;
  const Eigen::Matrix3d along =
    body.prismatic ? body.rotation : Eigen::Matrix3d(body.rotation * axis * axis.transpose());
  for (Eigen::Index i = 0; i < 3; ++i) {
    const auto column = static_cast<std::size_t>(i);
    const Eigen::Vector3d unit = Eigen::Vector3d::Unit(i);
    constant[column] = vector(along.col(i));
    across[column] = vector(Eigen::Vector3d(body.rotation.col(i) - along.col(i)));
    turned[column] = vector(Eigen::Vector3d(body.rotation * axis.cross(unit)));
  }
}

BodyMotion base_motion(const KinematicTree & tree) noexcept
{
  BodyMotion base{};
  base.lift = -1.0 * vector(tree.gravity);
  return base;
}

void move_body(
  const Body & body, const Turn & turn, const BodyMotion & parent, const JointState & joint,
  BodyMotion & motion) noexcept
{
  place_body(body, turn, joint.q, motion);
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
