// The canonical text that a seal is over. test_seal.py compares SHA-256 with that of Python.

#include "dynid/seal.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "dynid/sha256.hpp"

namespace
{

using Entries = std::map<std::string, std::vector<dynid::SealedValue>>;

dynid::SealedSource source(const Entries & entries)
{
  return [&entries](const std::string & name) {
    const auto found = entries.find(name);
    return found == entries.end() ? std::vector<dynid::SealedValue>{} : found->second;
  };
}

TEST(Seal, IsOverAllThatAControllerUses)
{
  const std::vector<std::string> expected{
    "format",
    "status",
    "joints",
    "gravity",
    "coupling",
    "locked_joints",
    "locked_positions",
    "passive_joints",
    "passive_positions",
    "assembled_at",
    "closure_kinds",
    "closure_links",
    "closure_points",
    "closure_axes",
    "closure_lengths",
    "payload_joint",
    "semi_static",
    "terms.kinds",
    "terms.joints",
    "terms.sides",
    "terms.smoothing",
    "terms.scale",
    "terms.dead_band",
    "terms.static_ratio",
    "terms.stribeck_velocity",
    "parameter_names",
    "parameters",
    "urdf_sha256"};
  EXPECT_EQ(dynid::sealed_entries(), expected) << "another list needs another format of the file";
}

TEST(Seal, CanonicalTextIsAsDescribed)
{
  Entries entries{
    {"format", {2.0}},
    {"joints", {"hip", "Gelenk ä"}},
    {"gravity", {0.0, -0.0, -9.81}},
    {"semi_static", {false}},
    {"terms.scale", {5e-324, -1e-310, std::numeric_limits<double>::min()}},
    {"warnings", {"not sealed"}}};
  const std::map<std::string, std::string> expected{
    {"format", "1\n4000000000000000\n"},
    {"joints", "2\n3:hip\n9:Gelenk ä\n"},
    {"gravity", "3\n0000000000000000\n8000000000000000\nc0239eb851eb851f\n"},
    {"semi_static", "1\nfalse\n"},
    {"terms.scale", "3\n0000000000000000\n8000000000000000\n0010000000000000\n"}};
  std::string text;
  for (const auto & name : dynid::sealed_entries()) {
    text += name + " " + (expected.count(name) != 0 ? expected.at(name) : "0\n");
  }
  EXPECT_EQ(dynid::canonical_text(source(entries)), text) << "the canonical text is as described";
  EXPECT_EQ(dynid::seal(source(entries)), dynid::sha256(text)) << "and the seal is its SHA-256";
  for (const auto & name : dynid::sealed_entries()) {
    auto other = entries;
    other[name].emplace_back("more");
    EXPECT_NE(dynid::seal(source(other)), dynid::sha256(text)) << name << " is sealed";
  }
}

}  // namespace
