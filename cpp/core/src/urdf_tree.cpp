#include "urdf_tree.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <pinocchio/parsers/urdf.hpp>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "link_tree.hpp"

namespace dynid
{
namespace
{

using pinocchio::JointIndex;
using pinocchio::SE3;

struct JointGeometry
{
  Eigen::Vector3d axis;
  bool prismatic;
};

pinocchio::Model read_model(const std::string & urdf_xml)
{
  pinocchio::Model model;
  try {
    pinocchio::urdf::buildModelFromXML(urdf_xml, model);
  } catch (const std::exception & error) {
    throw std::invalid_argument(std::string("The URDF cannot be read: ") + error.what());
  }
  return model;
}

std::string movable_joints(const pinocchio::Model & model)
{
  std::ostringstream text;
  for (std::size_t i = 1; i < model.names.size(); ++i) {
    text << (i > 1 ? ", " : "") << model.names[i];
  }
  return text.str();
}

void check_movable(const pinocchio::Model & model, const std::string & name)
{
  if (model.existJointName(name)) {
    return;
  }
  if (model.existFrame(name, pinocchio::FIXED_JOINT)) {
    throw std::invalid_argument("Joint '" + name + "' is fixed in the URDF and cannot move.");
  }
  throw std::invalid_argument(
    "The URDF has no joint '" + name + "'; its movable joints are " + movable_joints(model) + ".");
}

void check_names(
  const pinocchio::Model & model, const std::vector<std::string> & joints,
  const std::map<std::string, double> & locked)
{
  for (auto name = joints.begin(); name != joints.end(); ++name) {
    check_movable(model, *name);
    if (std::find(joints.begin(), name, *name) != name) {
      throw std::invalid_argument("Joint '" + *name + "' is given twice.");
    }
    if (locked.count(*name) > 0) {
      throw std::invalid_argument("Joint '" + *name + "' is both locked and movable.");
    }
  }
  for (const auto & entry : locked) {
    check_movable(model, entry.first);
  }
}

JointGeometry joint_geometry(const pinocchio::Model & model, JointIndex index)
{
  const auto & joint = model.joints[index];
  if (joint.nv() != 1) {
    throw std::invalid_argument(
      "Joint '" + model.names[index] +
      "' has more than one degree of freedom; a mechanism has revolute, continuous and prismatic "
      "joints.");
  }
  auto data = joint.createData();
  joint.calc(data, pinocchio::neutral(model));
  const Eigen::Matrix<double, 6, 1> subspace = data.S().matrix();
  const bool prismatic = subspace.tail<3>().norm() < 0.5;
  const Eigen::Vector3d axis = prismatic ? subspace.head<3>() : subspace.tail<3>();
  return {axis.normalized(), prismatic};
}

double locked_position(
  const pinocchio::Model & model, JointIndex index, const std::map<std::string, double> & locked)
{
  const auto & name = model.names[index];
  const auto found = locked.find(name);
  const double position = found == locked.end() ? 0.0 : found->second;
  if (!std::isfinite(position)) {
    throw std::invalid_argument("Joint '" + name + "' is locked at a position that is not finite.");
  }
  const auto & joint = model.joints[index];
  if (joint.nq() != 1) {
    return position;  // continuous: any angle is valid
  }
  const double lower = model.lowerPositionLimit[joint.idx_q()];
  const double upper = model.upperPositionLimit[joint.idx_q()];
  constexpr double lock_tolerance = 1e-6;
  if (position < lower - lock_tolerance || position > upper + lock_tolerance) {
    std::ostringstream text;
    text << "Joint '" << name << "' would be locked at " << position << ", outside its range of "
         << lower << " to " << upper << "; lock it within that range.";
    throw std::invalid_argument(text.str());
  }
  return position;
}

SE3 displacement(const JointGeometry & joint, double position)
{
  if (joint.prismatic) {
    return {Eigen::Matrix3d::Identity(), Eigen::Vector3d(position * joint.axis)};
  }
  return {Eigen::AngleAxisd(position, joint.axis).toRotationMatrix(), Eigen::Vector3d::Zero()};
}

JointIndex add_joint(
  pinocchio::Model & model, JointIndex parent, const JointGeometry & joint, const SE3 & placement,
  const std::string & name)
{
  if (joint.prismatic) {
    return model.addJoint(
      parent, pinocchio::JointModelPrismaticUnaligned(joint.axis), placement, name);
  }
  // also for continuous joints, which pinocchio would describe by cosine and sine
  return model.addJoint(
    parent, pinocchio::JointModelRevoluteUnaligned(joint.axis), placement, name);
}

/// Passive joints may carry bodies that only link two joints: without mass, they have no block.
void number_blocks(UrdfTree & tree, int actuated)
{
  const auto count = static_cast<int>(tree.kinematics.bodies.size());
  int next = actuated;
  for (int number = actuated; number < count; ++number) {
    for (std::size_t b = 0; b < tree.kinematics.bodies.size(); ++b) {
      auto & body = tree.kinematics.bodies[b];
      if (body.number == number) {
        body.block = tree.model.inertias[b + 1].mass() > 0.0 ? next++ : -1;
      }
    }
  }
}

}  // namespace

std::vector<std::string> moving_joints(const MechanismDescription & description)
{
  auto joints = description.joints;
  const auto & passive = description.chain.passive;
  joints.insert(joints.end(), passive.begin(), passive.end());
  return joints;
}

UrdfTree read_urdf_tree(const MechanismDescription & description)
{
  const auto full = read_model(description.urdf_xml);
  const auto joints = moving_joints(description);
  const auto & locked = description.locked;
  if (description.joints.empty()) {
    throw std::invalid_argument("A mechanism needs at least one actuated joint.");
  }
  check_names(full, joints, locked);
  UrdfTree tree;
  tree.model.gravity.linear(description.gravity);
  tree.kinematics.gravity = description.gravity;
  struct Carrier
  {
    JointIndex joint;  // of the reduced model
    SE3 placement;     // of the full model's joint frame in it
  };
  std::vector<Carrier> carriers{{0, SE3::Identity()}};
  for (JointIndex i = 1; i < static_cast<JointIndex>(full.njoints); ++i) {
    const Carrier & parent = carriers[full.parents[i]];
    const auto geometry = joint_geometry(full, i);
    SE3 placement = parent.placement * full.jointPlacements[i];
    const auto found = std::find(joints.begin(), joints.end(), full.names[i]);
    if (found == joints.end()) {
      placement = placement * displacement(geometry, locked_position(full, i, locked));
      tree.model.appendBodyToJoint(parent.joint, full.inertias[i], placement);
      carriers.push_back({parent.joint, placement});
      continue;
    }
    const auto added = add_joint(tree.model, parent.joint, geometry, placement, full.names[i]);
    tree.model.appendBodyToJoint(added, full.inertias[i], SE3::Identity());
    const auto number = static_cast<int>(found - joints.begin());
    tree.kinematics.bodies.push_back(
      {static_cast<int>(parent.joint) - 1, number, number, geometry.prismatic, geometry.axis,
       placement.rotation(), placement.translation()});
    tree.order.push_back(number);
    carriers.push_back({added, SE3::Identity()});
  }
  number_blocks(tree, static_cast<int>(description.joints.size()));
  for (const auto & frame : full.frames) {
    if (frame.type == pinocchio::BODY) {
      const Carrier & carrier = carriers[frame.parentJoint];
      const SE3 placement = carrier.placement * frame.placement;
      tree.links.push_back(
        {frame.name, static_cast<int>(carrier.joint) - 1, placement.rotation(),
         placement.translation()});
    }
  }
  return tree;
}

LinkTree read_link_tree(const MechanismDescription & description)
{
  auto tree = read_urdf_tree(description);
  return {std::move(tree.kinematics), std::move(tree.links)};
}

}  // namespace dynid
