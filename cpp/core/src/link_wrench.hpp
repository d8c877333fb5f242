#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

#include "dynid/kinematic_tree.hpp"
#include "dynid/mechanism.hpp"

namespace dynid
{

/// J^T w for K wrenches on a body, in its frame and about its origin: torques of all joints by
/// number, passive ones included (joints, K) [N*m or N]. Those that do not carry the body get 0.
///
/// q: positions of all joints by number [rad or m]. force and moment: (3, K) [N, N*m].
template <int K>
void wrench_torque(
  const KinematicTree & tree, int body, const VectorIn & q, Eigen::Matrix<double, 3, K> force,
  Eigen::Matrix<double, 3, K> moment,
  Eigen::Ref<Eigen::Matrix<double, Eigen::Dynamic, K>> torque) noexcept
{
  torque.setZero();
  for (int b = body; b >= 0;) {
    const Body & carrier = tree.bodies[static_cast<std::size_t>(b)];
    const auto & felt = carrier.prismatic ? force : moment;
    torque.row(carrier.number) = carrier.axis.transpose() * felt;
    const double position = q[carrier.number];
    Eigen::Vector3d origin = carrier.origin;
    Eigen::Matrix3d rotation = carrier.rotation;
    if (carrier.prismatic) {
      origin += position * (carrier.rotation * carrier.axis);
    } else {
      rotation = carrier.rotation * Eigen::AngleAxisd(position, carrier.axis).toRotationMatrix();
    }
    force = (rotation * force).eval();
    moment = (rotation * moment).eval();
    for (Eigen::Index k = 0; k < K; ++k) {
      moment.col(k) += origin.cross(force.col(k));
    }
    b = carrier.parent;
  }
}

}  // namespace dynid
