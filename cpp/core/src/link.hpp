#pragma once

#include <Eigen/Core>
#include <string>

namespace dynid
{

/// A link of the URDF, on the body that carries it.
struct Link
{
  std::string name;
  int body = -1;             ///< index in KinematicTree::bodies; -1 is the base
  Eigen::Matrix3d rotation;  ///< of the link frame in the body's
  Eigen::Vector3d origin;    ///< of the link frame in the body's [m]
};

}  // namespace dynid
