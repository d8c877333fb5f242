// The table of joint terms: every column by hand, and friction's extremes.

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "dynid/joint_terms.hpp"
#include "refusals.hpp"

namespace
{

using dynid::JointTerm;
using dynid::TermInput;

JointTerm term(const char * kind) { return {&dynid::term_kind(kind), 0}; }

/// With every shape that its kind takes.
JointTerm shaped(const char * kind)
{
  auto one = term(kind);
  const auto & traits = *one.kind;
  one.smoothing = traits.smoothed ? 0.5 : 0.0;
  one.scale = traits.scaled ? 0.3 : 0.0;
  one.static_ratio = traits.has_static_friction ? 0.4 : 0.0;
  one.stribeck_velocity = traits.has_static_friction ? 0.2 : 0.0;
  return one;
}

TEST(TermKinds, ColumnsAreTheirFormulas)
{
  const TermInput ahead{0.7, 0.2, -1.5, -3.0, 0.25};
  const TermInput back{0.7, -0.09, -1.5, -3.0, 0.25};
  const double s = std::tanh(0.2 / 0.5);
  const double r = std::tanh(-0.09 / 0.5);
  const std::map<std::string, std::pair<double, double>> expected{
    {"viscous", {0.2, -0.09}},
    {"coulomb", {s, r}},
    {"offset", {1.0, 1.0}},
    {"rotor_inertia", {-1.5, -1.5}},
    {"apparent_inertia", {-1.5, -1.5}},
    {"spring_stiffness", {0.7, 0.7}},
    {"spring_quadratic", {0.49, 0.49}},
    {"spring_cubic", {0.343, 0.343}},
    {"spring_preload", {1.0, 1.0}},
    {"stribeck", {s * std::exp(-0.04 / 0.09), r * std::exp(-0.0081 / 0.09)}},
    {"viscous_cubic", {0.008, -0.000729}},
    {"viscous_root", {std::sqrt(0.2), -0.3}},
    {"viscous_positive", {0.2, 0.0}},
    {"viscous_negative", {0.0, -0.09}},
    {"coulomb_positive", {s, 0.0}},
    {"coulomb_negative", {0.0, r}},
    {"coulomb_load", {3.0 * s, 3.0 * r}},
    {"presliding", {0.25, 0.25}},
    {"presliding_load", {0.75, 0.75}},
    {"lugre", {0.25, 0.25}},
  };
  for (const auto & kind : dynid::term_kinds()) {
    const std::string name(kind.name);
    ASSERT_EQ(expected.count(name), 1U) << name << " has no value by hand";
    const auto one = shaped(name.c_str());
    EXPECT_NEAR(kind.column(one, ahead), expected.at(name).first, 1e-15) << name;
    EXPECT_NEAR(kind.column(one, back), expected.at(name).second, 1e-15) << name;
  }
}

TEST(TermKinds, ASharpSignIsZeroAtRest)
{
  const auto coulomb = term("coulomb");
  const auto at = [&](double v) { return coulomb.kind->column(coulomb, {0, v, 0, 0, 0}); };
  EXPECT_EQ(at(1e-300), 1.0);
  EXPECT_EQ(at(-1e-300), -1.0);
  EXPECT_EQ(at(0.0), 0.0);
}

TEST(TermKinds, LargestDryFrictionIsThatOfRestOrOfHighSpeed)
{
  EXPECT_EQ(term("viscous").largest_dry_friction(1.0), 0.0);
  EXPECT_EQ(shaped("coulomb").largest_dry_friction(1.0), 1.0) << "whatever its smoothing";
  EXPECT_EQ(shaped("coulomb").largest_dry_friction(-1.0), 1.0);
  EXPECT_EQ(shaped("coulomb_positive").largest_dry_friction(1.0), 1.0);
  EXPECT_EQ(shaped("coulomb_positive").largest_dry_friction(-1.0), 0.0);
  EXPECT_EQ(shaped("coulomb_negative").largest_dry_friction(-1.0), 1.0);
  EXPECT_EQ(shaped("stribeck").largest_dry_friction(1.0), 1.0);
  EXPECT_NEAR(shaped("lugre").largest_dry_friction(1.0), 1.4, 1e-15);
  EXPECT_NEAR(shaped("stribeck").sliding_friction(0.3, -1.0), std::exp(-1.0), 1e-15);
  EXPECT_EQ(shaped("presliding").sliding_friction(0.3, 1.0), 1.0);
  EXPECT_NEAR(shaped("lugre").sliding_level(0.2), 1 + 0.4 * std::exp(-1.0), 1e-15);
  EXPECT_EQ(term("lugre").sliding_level(0.2), 1.0);
}

TEST(Presliding, SticksSlidesAndTurns)
{
  const auto stop = shaped("presliding");
  dynid::Presliding contact;
  EXPECT_EQ(contact.move(stop, 5.0, 0.0), 0.0) << "relaxed at its first position";
  EXPECT_NEAR(contact.move(stop, 5.1, 0.0), 1.0 / 3, 1e-12);
  EXPECT_NEAR(contact.move(stop, 6.0, 0.0), 1.0, 1e-12) << "slides";
  EXPECT_NEAR(contact.move(stop, 5.85, 0.0), 0.5, 1e-12) << "turns";
  EXPECT_NEAR(contact.move(stop, 4.0, 0.0), -1.0, 1e-12);
}

TEST(Presliding, ADeadBandIsAPlay)
{
  auto stop = shaped("presliding");
  stop.dead_band = 0.01;
  dynid::Presliding contact;
  EXPECT_EQ(contact.move(stop, 1.0, 0.0), 0.0);
  EXPECT_EQ(contact.move(stop, 1.009, 0.0), 0.0) << "within it";
  EXPECT_EQ(contact.move(stop, 0.991, 0.0), 0.0);
  EXPECT_NEAR(contact.move(stop, 1.04, 0.0), 0.1, 1e-12) << "follows at its edge";
  EXPECT_NEAR(contact.move(stop, 1.021, 0.0), 0.1, 1e-12) << "and rests on the way back";
  EXPECT_NEAR(contact.move(stop, 0.99, 0.0), 0.0, 1e-12);
}

TEST(Presliding, AWiderPlayLastsUntilTheContactFirstMoves)
{
  auto stop = shaped("presliding");
  stop.dead_band = 0.01;
  dynid::Presliding contact;
  contact.first_play = 0.1;
  EXPECT_EQ(contact.move(stop, 1.0, 0.0), 0.0);
  EXPECT_EQ(contact.move(stop, 1.09, 0.0), 0.0) << "within it";
  EXPECT_EQ(contact.move(stop, 0.91, 0.0), 0.0);
  EXPECT_NEAR(contact.move(stop, 1.13, 0.0), 0.1, 1e-12) << "follows at its edge";
  EXPECT_NEAR(contact.move(stop, 1.111, 0.0), 0.1, 1e-12) << "from here on, within the dead band";
  EXPECT_NEAR(contact.move(stop, 1.08, 0.0), 0.0, 1e-12);
}

TEST(Presliding, BristlesApproachTheLevelOfTheirVelocity)
{
  const auto bristles = shaped("lugre");
  dynid::Presliding contact;
  static_cast<void>(contact.move(bristles, 0.0, 0.2));
  const double level = 1 + 0.4 * std::exp(-1.0);
  const double share = 1 - std::exp(-0.15 / (0.3 * level));
  EXPECT_NEAR(contact.move(bristles, 0.15, 0.2), level * share, 1e-12);
  EXPECT_NEAR(contact.move(bristles, 30.0, 0.2), level, 1e-12);
  EXPECT_NEAR(contact.move(bristles, 0.0, -9.0), -1.0, 1e-12) << "fast: Coulomb's";
}

/// The table's own Coulomb friction under another name.
dynid::TermKind new_kind()
{
  auto kind = dynid::term_kind("coulomb");
  kind.name = "brake";
  kind.prefix = "Br";
  kind.design = "coulomb";
  return kind;
}

std::string refusal(const dynid::TermKind & kind)
{
  return refusal_of([&] { dynid::register_term_kind(kind); });
}

TEST(TermKinds, RefusesKindsThatContradictThemselves)
{
  using dynid::TermKind;
  const auto refused = [](auto change, const std::string & part) {
    auto kind = new_kind();
    change(kind);
    const auto found = refusal(kind);
    EXPECT_NE(found.find(part), std::string::npos) << found;
  };
  refused([](TermKind & k) { k.name = "Brake"; }, "lower-case letters");
  refused([](TermKind & k) { k.name = ""; }, "lower-case letters");
  refused([](TermKind & k) { k.name = "viscous"; }, "already exists");
  refused([](TermKind & k) { k.prefix = "B2"; }, "prefix of letters");
  refused([](TermKind & k) { k.prefix = "Fv"; }, "has the prefix of 'viscous'");
  refused([](TermKind & k) { k.prefix = "Fvm"; }, "has the prefix of 'viscous'");
  refused([](TermKind & k) { k.label = ""; }, "needs a label");
  refused([](TermKind & k) { k.rotary_unit = ""; }, "needs a label and the units");
  refused([](TermKind & k) { k.linear_unit = ""; }, "needs a label and the units");
  refused([](TermKind & k) { k.column = nullptr; }, "a function and a formula");
  refused([](TermKind & k) { k.formula = ""; }, "a function and a formula");
  refused(
    [](TermKind & k) { k.stretch = dynid::term_kind("presliding").stretch; },
    "must be dry friction with a scale");
  refused(
    [](TermKind & k) {
      k = dynid::term_kind("presliding");
      k.name = "soft";
      k.prefix = "So";
      k.role = dynid::TermRole::spring;
    },
    "must be dry friction with a scale");
  refused([](TermKind & k) { k.has_static_friction = true; }, "which needs memory");
  refused([](TermKind & k) { k.design = "nothing"; }, "design kind 'nothing'");
  refused([](TermKind & k) { k.design = "stribeck"; }, "must be without a scale");
}

TEST(TermKinds, RefusesFrictionThatIsNotDry)
{
  const auto refused = [](dynid::TermKind::Column column, bool scaled, const std::string & part) {
    auto kind = new_kind();
    kind.column = column;
    kind.scaled = scaled;
    const auto found = refusal(kind);
    EXPECT_NE(found.find(part), std::string::npos) << found;
  };
  const std::string energy = "supplies energy or is unbounded";
  refused([](const JointTerm &, const TermInput & at) noexcept { return -at.dq; }, false, energy);
  refused([](const JointTerm &, const TermInput & at) noexcept { return at.dq; }, true, energy);
  refused(
    [](const JointTerm &, const TermInput & at) noexcept { return at.dq > 0.0 ? 1.0 : 0.5; }, false,
    energy);
  const auto decreasing = [](const JointTerm &, const TermInput & at) noexcept {
    return std::copysign(std::abs(at.dq) < 0.5 ? 2.0 : 1.0, at.dq);
  };
  refused(decreasing, false, "which needs a scale");
  refused(
    [](const JointTerm &, const TermInput &) noexcept { return 0.0; }, false, "has no torque");
}

// the last test: it adds to the table
TEST(TermKinds, AKindIsAddedOnce)
{
  const auto before = dynid::term_kinds().size();
  EXPECT_EQ(refusal(new_kind()), "");
  EXPECT_EQ(dynid::term_kinds().size(), before + 1);
  EXPECT_EQ(dynid::term_kind("brake").prefix, "Br");
  EXPECT_NE(refusal(new_kind()).find("already exists"), std::string::npos);
  const auto text = refusal_of([] { static_cast<void>(dynid::term_kind("glue")); });
  EXPECT_NE(text.find("'glue'; available: viscous, coulomb,"), std::string::npos) << text;
}

}  // namespace
