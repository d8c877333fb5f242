#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "dynid/joint_terms.hpp"

namespace dynid
{

/// Joint terms as parallel lists, as in model.yaml and ROS parameters.
struct TermLists
{
  std::vector<std::string> kinds;
  std::vector<int> joints;  ///< numbers of joints or motors, from 0
  std::vector<std::string> sides;
  /// In the order of term_shapes(); an empty list stands for zeros.
  std::array<std::vector<double>, 5> shapes;
};

/// Returns how messages call a list, such as "The parameter 'model.terms.kinds'", for "kinds",
/// "joints", "sides", or the name of a shape.
using TermListName = std::function<std::string(std::string_view list)>;

/// Throws std::invalid_argument where the length of a list is not that of `kinds`, a kind is not in
/// the table, or a side is neither joint nor motor.
[[nodiscard]] std::vector<JointTerm> joint_terms(
  const TermLists & lists, const TermListName & name);

}  // namespace dynid
