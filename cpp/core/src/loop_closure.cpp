#include "dynid/loop_closure.hpp"

#include <stdexcept>

#include "setting_checks.hpp"

namespace dynid
{
namespace
{

void check_list(const std::string & name, std::size_t found, std::size_t expected)
{
  check_count("The list '" + name + "' of a closed chain", found, expected);
}

Eigen::Vector3d at(const std::vector<double> & values, std::size_t number)
{
  return Eigen::Vector3d::Map(values.data() + 3 * number);
}

}  // namespace

ClosureKind closure_kind(const std::string & name)
{
  if (name == "point") {
    return ClosureKind::point;
  }
  if (name == "revolute") {
    return ClosureKind::revolute;
  }
  if (name == "distance") {
    return ClosureKind::distance;
  }
  if (name == "gear") {
    return ClosureKind::gear;
  }
  throw std::invalid_argument(
    "There is no closure kind '" + name + "'; available: point, revolute, distance and gear.");
}

ClosedChainDescription closed_chain(const ClosedChainLists & lists)
{
  const auto count = lists.closure_kinds.size();
  check_list("passive_positions", lists.passive_positions.size(), lists.passive_joints.size());
  check_list("closure_links", lists.closure_links.size(), 2 * count);
  check_list("closure_points", lists.closure_points.size(), 6 * count);
  check_list("closure_axes", lists.closure_axes.size(), 6 * count);
  check_list("closure_lengths", lists.closure_lengths.size(), count);
  ClosedChainDescription chain;
  chain.passive = lists.passive_joints;
  chain.assembled_at = lists.assembled_at;
  for (std::size_t i = 0; i < lists.passive_joints.size(); ++i) {
    chain.start[lists.passive_joints[i]] = lists.passive_positions[i];
  }
  for (std::size_t i = 0; i < count; ++i) {
    chain.closures.push_back(
      {closure_kind(lists.closure_kinds[i]), lists.closure_links[2 * i],
       lists.closure_links[2 * i + 1], at(lists.closure_points, 2 * i),
       at(lists.closure_points, 2 * i + 1), at(lists.closure_axes, 2 * i),
       at(lists.closure_axes, 2 * i + 1), lists.closure_lengths[i]});
  }
  return chain;
}

}  // namespace dynid
