// SHA-256 against the vectors of the standard, and the canonical text that a seal is over.

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

struct Digest
{
  std::string message;
  const char * sha256;
};

class KnownDigest : public testing::TestWithParam<Digest>
{
};

TEST_P(KnownDigest, IsComputed) { EXPECT_EQ(dynid::sha256(GetParam().message), GetParam().sha256); }

/// NIST's example values for FIPS 180-4, and lengths around a block's end.
INSTANTIATE_TEST_SUITE_P(
  Sha256, KnownDigest,
  testing::Values(
    Digest{"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    Digest{"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    Digest{
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    Digest{
      "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmno"
      "p"
      "qrsmnopqrstnopqrstu",
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
    Digest{
      std::string(1'000'000, 'a'),
      "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
    Digest{
      std::string(1, '\xbd'), "68325720aabd7c82f30f554b313d0570c95accbb7dc4b5aae11204c08ffe732b"},
    Digest{
      std::string(55, '\0'), "02779466cdec163811d078815c633f21901413081449002f24aa3e80f0b88ef7"},
    Digest{
      std::string(56, '\0'), "d4817aa5497628e7c77e6b606107042bbba3130888c5f47a375e6179be789fbb"},
    Digest{
      std::string(57, '\0'), "65a16cb7861335d5ace3c60718b5052e44660726da4cd13bb745381b235a1785"},
    Digest{
      std::string(64, '\0'), "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b"}));

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
