#include "dynid/term_lists.hpp"

#include <cstddef>
#include <stdexcept>

#include "setting_checks.hpp"

namespace dynid
{
namespace
{

TermSide side_of(const std::string & text, const std::string & name)
{
  if (text != "motor" && text != "joint") {
    throw std::invalid_argument(name + " has '" + text + "', but must be joint or motor.");
  }
  return text == "motor" ? TermSide::motor : TermSide::joint;
}

}  // namespace

std::vector<JointTerm> joint_terms(const TermLists & lists, const TermListName & name)
{
  const auto count = lists.kinds.size();
  const auto & shapes = term_shapes();
  check_count(name("joints"), lists.joints.size(), count);
  check_count(name("sides"), lists.sides.size(), count);
  for (std::size_t s = 0; s < shapes.size(); ++s) {
    const auto & values = lists.shapes.at(s);
    check_count(name(shapes.at(s).name), values.empty() ? count : values.size(), count);
  }
  std::vector<JointTerm> terms(count);
  for (std::size_t i = 0; i < count; ++i) {
    auto & term = terms[i];
    term.kind = &term_kind(lists.kinds[i]);
    term.joint = lists.joints[i];
    term.side = side_of(lists.sides[i], name("sides"));
    for (std::size_t s = 0; s < shapes.size(); ++s) {
      const auto & values = lists.shapes.at(s);
      term.*shapes.at(s).value = values.empty() ? 0.0 : values[i];
    }
  }
  return terms;
}

}  // namespace dynid
