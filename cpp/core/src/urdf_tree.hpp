#pragma once

#include <pinocchio/multibody/model.hpp>
#include <string>
#include <vector>

#include "dynid/kinematic_tree.hpp"
#include "dynid/mechanism.hpp"
#include "link.hpp"

namespace dynid
{

/// The tree in two forms: for pinocchio's algorithms and for the regressor.
struct UrdfTree
{
  pinocchio::Model model;    ///< one revolute or prismatic joint of plain angle or length per joint
  KinematicTree kinematics;  ///< bodies in the order of model's joints 1, 2, ...
  std::vector<int> order;    ///< order[i]: number of model's joint i + 1
  std::vector<Link> links;   ///< all of the URDF
};

/// Names of the joints that move, by number: the actuated ones in drive order, the passive ones.
[[nodiscard]] std::vector<std::string> moving_joints(const MechanismDescription & description);

/// Reads a URDF and merges the bodies behind locked joints into the bodies that carry them. A
/// movable joint that is not named is locked at 0. Throws std::invalid_argument.
[[nodiscard]] UrdfTree read_urdf_tree(const MechanismDescription & description);

}  // namespace dynid
