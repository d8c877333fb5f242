// Models that reach a controller as parameters: what is read, and what is refused.

#include "dynid/stored_model.hpp"

#include <gtest/gtest.h>

#include <map>
#include <stdexcept>
#include <string>

#include "dynid/seal.hpp"
#include "dynid/sha256.hpp"
#include "planar_arm.hpp"
#include "refusals.hpp"

namespace
{

using Doubles = std::vector<double>;
using Names = std::vector<std::string>;
using Entries = std::map<std::string, dynid::ParameterEntry>;

const Names joints{"shoulder", "elbow"};

/// Of the planar arm with two terms; format 1, which needs no seal.
Entries unsealed_model()
{
  const dynid::Mechanism mechanism(
    planar_arm({joint_term("viscous", 0), motor_term("coulomb", 1)}));
  Eigen::VectorXd parameters = mechanism.urdf_parameters();
  parameters.tail(2) << 2.0, 1.5;
  return {
    {"format", std::int64_t{1}},
    {"status", std::string("success")},
    {"joints", joints},
    {"gravity", Doubles{0.0, 0.0, -9.81}},
    {"coupling", Doubles{1.0, 0.0, -0.5, 2.0}},
    {"urdf", std::string(planar_urdf)},
    {"parameters", Doubles(parameters.begin(), parameters.end())},
    {"parameter_names", mechanism.parameter_names()},
    {"terms.kinds", Names{"viscous", "coulomb"}},
    {"terms.joints", joints},
    {"terms.sides", Names{"joint", "motor"}},
    {"terms.smoothing", Doubles{0.0, 0.2}},
    {"terms.scale", Doubles{0.0, 0.0}},
    {"terms.dead_band", Doubles{0.0, 0.0}},
    {"created", std::string("today")}};
}

dynid::EntrySource source(const Entries & entries)
{
  return [&entries](const std::string & name) {
    const auto found = entries.find(name);
    return found == entries.end() ? dynid::ParameterEntry{} : found->second;
  };
}

/// Values as the seal has them: numbers as doubles.
struct ForSeal
{
  using Values = std::vector<dynid::SealedValue>;

  Values operator()(std::monostate) const { return {}; }
  Values operator()(bool one) const { return {one}; }
  Values operator()(std::int64_t one) const { return {static_cast<double>(one)}; }
  Values operator()(double one) const { return {one}; }
  Values operator()(const std::string & one) const { return {one}; }
  template <typename Value>
  Values operator()(const std::vector<Value> & all) const
  {
    Values found;
    for (const auto & one : all) {
      for (const auto & value : (*this)(one)) {
        found.push_back(value);
      }
    }
    return found;
  }
};

void seal(Entries & entries)
{
  entries["sha256"] = dynid::seal([&](const std::string & name) {
    const auto found = entries.find(name);
    return found == entries.end() ? ForSeal::Values{} : std::visit(ForSeal{}, found->second);
  });
}

Entries sealed_model()
{
  auto entries = unsealed_model();
  entries["format"] = std::int64_t{2};
  entries["urdf_sha256"] = dynid::sha256(planar_urdf);
  seal(entries);
  return entries;
}

std::string refusal(const Entries & entries, bool force = false)
{
  return refusal_of([&] { static_cast<void>(dynid::read_model(source(entries), joints, force)); });
}

void expect_refused(const Entries & entries, const std::string & part)
{
  const auto found = refusal(entries);
  EXPECT_NE(found.find(part), std::string::npos) << found;
}

TEST(StoredModel, IsReadWithAllItsEntries)
{
  auto entries = unsealed_model();
  entries["gravity"] = Doubles{1.0, 2.0, 3.0};
  const auto model = dynid::read_model(source(entries), joints, false);
  EXPECT_FALSE(model.sealed);
  EXPECT_EQ(model.created, "today");
  EXPECT_EQ(model.edited_at, "");
  EXPECT_EQ(model.description.gravity, Eigen::Vector3d(1.0, 2.0, 3.0));
  EXPECT_EQ(model.mechanism.coupling(), planar_coupling());
  EXPECT_EQ(model.mechanism.parameters().tail(2), Eigen::Vector2d(2.0, 1.5));
  ASSERT_EQ(model.description.terms.size(), 2U);
  EXPECT_EQ(model.description.terms[1].kind->name, "coulomb");
  EXPECT_EQ(model.description.terms[1].side, dynid::TermSide::motor);
  EXPECT_EQ(model.description.terms[1].joint, 1);
  EXPECT_EQ(model.description.terms[1].smoothing, 0.2);
  EXPECT_FALSE(model.description.semi_static);
}

TEST(StoredModel, LockedJointsAreReadWithTheirPositions)
{
  Entries entries = unsealed_model();
  entries["joints"] = Names{"shoulder"};
  entries["coupling"] = Doubles{1.0};
  entries["locked_joints"] = Names{"elbow"};
  entries["locked_positions"] = Doubles{0.4};
  entries["semi_static"] = true;
  for (const char * name : {"kinds", "joints", "sides", "smoothing", "scale", "dead_band"}) {
    entries.erase("terms." + std::string(name));
  }
  entries.erase("parameter_names");
  auto description = planar_arm();
  description.joints = {"shoulder"};
  description.locked["elbow"] = 0.4;
  const Eigen::VectorXd own = dynid::Mechanism(description).parameters();
  entries["parameters"] = Doubles(own.begin(), own.end());
  const auto model = dynid::read_model(source(entries), {"shoulder"}, false);
  EXPECT_EQ(model.description.locked.at("elbow"), 0.4);
  EXPECT_TRUE(model.description.semi_static);
  entries["locked_positions"] = Doubles{};
  EXPECT_THROW(
    static_cast<void>(dynid::read_model(source(entries), {"shoulder"}, false)),
    std::invalid_argument);
}

TEST(StoredModel, ASealIsCheckedOverEveryEntry)
{
  const auto good = sealed_model();
  EXPECT_TRUE(dynid::read_model(source(good), joints, false).sealed);
  for (const char * name : {"gravity", "coupling", "terms.smoothing", "parameters"}) {
    auto altered = good;
    std::get<Doubles>(altered.at(name)).back() *= 1.001;
    expect_refused(altered, "were altered after they were written");
    EXPECT_NE(refusal(altered, true), "") << "also if forced";
  }
  auto altered = good;
  altered["semi_static"] = true;
  expect_refused(altered, "were altered");
  altered = good;
  std::get<std::string>(altered.at("urdf")) += " ";
  expect_refused(altered, "The model's URDF was altered");
  altered = good;
  altered.erase("sha256");
  expect_refused(altered, "has no seal");
}

TEST(StoredModel, RefusesEntriesThatAreMissingOrOfAnotherType)
{
  for (const char * name :
       {"format", "status", "joints", "gravity", "coupling", "urdf", "parameters"}) {
    auto entries = unsealed_model();
    entries.erase(name);
    expect_refused(entries, "'model." + std::string(name) + "' is missing");
  }
  auto entries = unsealed_model();
  entries["parameters"] = Names{"1.0"};
  expect_refused(entries, "'model.parameters' has the type string_array");
  entries["parameters"] = true;
  expect_refused(entries, "'model.parameters' has the type bool");
}

TEST(StoredModel, RefusesEntriesThatContradictOthers)
{
  const auto refused = [](
                         const std::string & name, dynid::ParameterEntry value, const auto & part) {
    auto entries = unsealed_model();
    entries[name] = std::move(value);
    expect_refused(entries, part);
  };
  refused("joints", Names{"elbow", "shoulder"}, "but the controller has shoulder, elbow");
  refused("gravity", Doubles{0.0, 9.81}, "'model.gravity' has 2 entries, but must have 3");
  refused("coupling", Doubles{1.0, 1.0}, "'model.coupling' has 2 entries, but must have 4");
  refused("terms.joints", Names{"shoulder", "wrist"}, "'wrist', which is no joint of the model");
  refused("terms.scale", Doubles{0.0}, "'model.terms.scale' has 1 entries, but must have 2");
  refused("terms.sides", Names{"joint", "roof"}, "terms.sides");
  refused("parameters", Doubles{1.0, 2.0}, "22 parameters, but got 2");
  auto names = std::get<Names>(unsealed_model().at("parameter_names"));
  names.back() = "Fc9";
  refused("parameter_names", names, "'model.parameter_names' does not match");
  refused("format", std::int64_t{3}, "has format 3, but this controller reads formats 1 to 2");
  refused("format", std::int64_t{0}, "has format 0");
  refused("urdf_sha256", std::string("0123"), "The model's URDF was altered");
}

TEST(StoredModel, UsesAFailedOrInconsistentModelOnlyIfForced)
{
  auto entries = unsealed_model();
  entries["status"] = std::string("failed");
  expect_refused(entries, "identification failed");
  EXPECT_EQ(refusal(entries, true), "");
  entries = unsealed_model();
  std::get<Doubles>(entries.at("parameters"))[21] = -1.0;
  expect_refused(entries, "not physically consistent: 'Fcm2' (coulomb) is -1");
  EXPECT_EQ(refusal(entries, true), "");
}

}  // namespace
