#pragma once

#include <Eigen/Core>
#include <map>
#include <string>
#include <vector>

namespace dynid
{

/// The constraint of a closure.
enum class ClosureKind
{
  point,     ///< a ball joint: two points coincide
  revolute,  ///< a hinge: two points coincide, and two axes are parallel
  distance,  ///< a rod without mass: two points keep their distance
  gear       ///< the joint of one link follows that of the other
};

/// Two links of a URDF, joined where the tree was cut open. Points and axes are in the links' own
/// frames. Of a gear, the joint that moves link a is as far from its start as that of link b times
/// the ratio.
struct LoopClosure
{
  ClosureKind kind = ClosureKind::point;
  std::string link_a;
  std::string link_b;
  Eigen::Vector3d point_a = Eigen::Vector3d::Zero();  ///< [m]
  Eigen::Vector3d point_b = Eigen::Vector3d::Zero();  ///< [m]
  Eigen::Vector3d axis_a = Eigen::Vector3d::Zero();   ///< of a revolute one
  Eigen::Vector3d axis_b = Eigen::Vector3d::Zero();   ///< of a revolute one
  double length = 0.0;                                ///< of a distance [m]; of a gear its ratio
};

/// The kind of that name in profiles; throws std::invalid_argument that lists the kinds.
[[nodiscard]] ClosureKind closure_kind(const std::string & name);

/// Closures and passive joints of a closed chain; empty for a tree.
struct ClosedChainDescription
{
  std::vector<std::string> passive;     ///< joints that move, but have no drive
  std::map<std::string, double> start;  ///< approximate positions [rad or m]; 0 where absent
  std::vector<double> assembled_at;     ///< of the actuated joints [rad or m]; empty: all at 0
  std::vector<LoopClosure> closures;
};

/// A closed chain as flat lists, as ROS parameters have it: two links for each closure, and three
/// numbers for each link.
struct ClosedChainLists
{
  std::vector<std::string> passive_joints;
  std::vector<double> passive_positions;
  std::vector<double> assembled_at;
  std::vector<std::string> closure_kinds;
  std::vector<std::string> closure_links;
  std::vector<double> closure_points;
  std::vector<double> closure_axes;
  std::vector<double> closure_lengths;
};

/// Throws std::invalid_argument where the lengths of the lists do not match.
[[nodiscard]] ClosedChainDescription closed_chain(const ClosedChainLists & lists);

}  // namespace dynid
