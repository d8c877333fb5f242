#include "dynid/seal.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "dynid/joint_terms.hpp"
#include "dynid/sha256.hpp"
#include "hexadecimal.hpp"

namespace dynid
{
namespace
{

static_assert(std::numeric_limits<double>::is_iec559, "the seal is over IEEE 754 doubles");

std::string bits_of(double value)
{
  // readers of YAML treat subnormal numbers differently, so the file has none
  const bool subnormal = std::fpclassify(value) == FP_SUBNORMAL;
  const double written = subnormal ? std::copysign(0.0, value) : value;
  std::uint64_t bits = 0;
  std::memcpy(&bits, &written, sizeof(bits));
  return hexadecimal_digits(bits, 16);
}

struct Canonical
{
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(double value) const { return bits_of(value); }
  std::string operator()(const std::string & value) const
  {
    return std::to_string(value.size()) + ":" + value;
  }
};

}  // namespace

const std::vector<std::string> & sealed_entries()
{
  static const std::vector<std::string> names = [] {
    std::vector<std::string> found{
      "format",        "status",           "joints",         "gravity",           "coupling",
      "locked_joints", "locked_positions", "passive_joints", "passive_positions", "assembled_at",
      "closure_kinds", "closure_links",    "closure_points", "closure_axes",      "closure_lengths",
      "payload_joint", "semi_static",      "terms.kinds",    "terms.joints",      "terms.sides"};
    for (const auto & shape : term_shapes()) {
      found.push_back("terms." + std::string(shape.name));
    }
    for (const char * last : {"parameter_names", "parameters", "urdf_sha256"}) {
      found.emplace_back(last);
    }
    return found;
  }();
  return names;
}

std::string canonical_text(const SealedSource & source)
{
  std::string text;
  for (const auto & name : sealed_entries()) {
    const auto values = source(name);
    text += name + " " + std::to_string(values.size()) + "\n";
    for (const auto & value : values) {
      text += std::visit(Canonical{}, value) + "\n";
    }
  }
  return text;
}

std::string seal(const SealedSource & source) { return sha256(canonical_text(source)); }

}  // namespace dynid
