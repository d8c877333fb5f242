#pragma once

#include <map>
#include <pinocchio/multibody/model.hpp>
#include <string>
#include <vector>

#include "dynid/kinematic_tree.hpp"
#include "link.hpp"

namespace dynid
{

/// The same tree twice: for pinocchio's algorithms, and for the regressor.
struct UrdfTree
{
  pinocchio::Model model;    ///< one revolute or prismatic joint of plain angle or length per joint
  KinematicTree kinematics;  ///< bodies in the order of model's joints 1, 2, ...
  std::vector<int> order;    ///< order[i]: number in drive order of model's joint i + 1
  std::vector<Link> links;   ///< all of the URDF
};

/// Reads a URDF and folds the bodies behind locked joints into the bodies that carry them.
///
/// joints: the actuated ones in drive order. locked: positions [rad or m]; a movable joint that is
/// in neither stands at 0. Throws std::invalid_argument.
[[nodiscard]] UrdfTree read_urdf_tree(
  const std::string & urdf_xml, const std::vector<std::string> & joints,
  const std::map<std::string, double> & locked, const Eigen::Vector3d & gravity);

}  // namespace dynid
