#include "tree_motion.hpp"

#include <Eigen/Geometry>

namespace dynid
{

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

}  // namespace dynid
