#pragma once

#include <vector>

#include "dynid/kinematic_tree.hpp"
#include "dynid/mechanism.hpp"
#include "link.hpp"

namespace dynid
{

/// Bodies and links of a URDF without pinocchio's model, whose headers take seconds to compile.
struct LinkTree
{
  KinematicTree kinematics;
  std::vector<Link> links;  ///< all of the URDF
};

/// As read_urdf_tree, with its errors.
[[nodiscard]] LinkTree read_link_tree(const MechanismDescription & description);

}  // namespace dynid
