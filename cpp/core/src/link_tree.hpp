#pragma once

#include <vector>

#include "dynid/kinematic_tree.hpp"
#include "dynid/mechanism.hpp"
#include "link.hpp"

namespace dynid
{

/// Bodies and links of a URDF without pinocchio's model, which takes most of a minute to compile
/// wherever one is destroyed.
struct LinkTree
{
  KinematicTree kinematics;
  std::vector<Link> links;  ///< all of the URDF
};

/// As read_urdf_tree, with its errors.
[[nodiscard]] LinkTree read_link_tree(const MechanismDescription & description);

}  // namespace dynid
