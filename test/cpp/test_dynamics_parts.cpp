// The parts of the torque add up to it.

#include "dynid/dynamics_parts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "planar_arm.hpp"

namespace
{

using dynid::DynamicsParts;
using Eigen::Vector2d;
using Eigen::VectorXd;

/// The planar arm with every kind of term whose friction depends on the velocity alone.
dynid::Mechanism arm_with_terms()
{
  auto description = planar_arm();
  description.coupling = planar_coupling();
  for (const auto & kind : dynid::term_kinds()) {
    if (!kind.dissipative() || !(kind.loaded || kind.has_memory())) {
      dynid::JointTerm term{&kind, 1, dynid::TermSide::joint};
      term.scale = kind.scaled ? 0.1 : 0.0;
      description.terms.push_back(term);
      term.side = dynid::TermSide::motor;
      description.terms.push_back(term);
    }
  }
  const dynid::Mechanism mechanism(description);
  VectorXd parameters = mechanism.urdf_parameters();
  const auto terms = static_cast<Eigen::Index>(description.terms.size());
  parameters.tail(terms).setLinSpaced(0.1, 0.4);
  return mechanism.with_parameters(parameters);
}

TEST(DynamicsParts, AddUpToTheInverseDynamics)
{
  const auto mechanism = arm_with_terms();
  const DynamicsParts parts(mechanism);
  auto workspace = mechanism.workspace();
  double worst = 0.0;
  double without = 0.0;
  for (int k = 0; k < 200; ++k) {
    const Vector2d q = 3.0 * Vector2d::Random();
    const Vector2d dq = 2.0 * Vector2d::Random();
    const Vector2d ddq = 10.0 * Vector2d::Random();
    Vector2d tau;
    mechanism.inverse_dynamics(workspace, q, dq, ddq, tau);
    const VectorXd sum =
      parts.inertia(q) * ddq + parts.coriolis(q, dq) + parts.gravity(q) + parts.friction(dq);
    const VectorXd two = parts.torque(q, dq, ddq) + parts.friction(dq);
    worst = std::max({worst, (sum - tau).norm() / tau.norm(), (two - tau).norm() / tau.norm()});
    without = std::max(without, parts.friction(dq).norm());
  }
  EXPECT_LT(worst, 1e-12);
  EXPECT_GT(without, 0.1) << "with friction among them";
}

TEST(DynamicsParts, AreThoseOfTheClosedForm)
{
  const DynamicsParts parts{dynid::Mechanism(planar_arm())};
  const Vector2d q(0.4, -1.1);
  const Vector2d dq(1.5, -0.7);
  EXPECT_LT((parts.inertia(q) - planar_mass(q)).norm(), 1e-12);
  EXPECT_LT((parts.coriolis(q, dq) - planar_coriolis(q, dq) * dq).norm(), 1e-12);
  EXPECT_LT((parts.gravity(q) - planar_gravity(q)).norm(), 1e-12);
  EXPECT_EQ(parts.friction(dq).norm(), 0.0);
}

TEST(DynamicsParts, RefuseFrictionOfMoreThanTheVelocity)
{
  for (const auto & kind : dynid::term_kinds()) {
    if (kind.dissipative() && (kind.loaded || kind.has_memory())) {
      dynid::JointTerm term{&kind, 0, dynid::TermSide::joint};
      term.scale = kind.scaled ? 0.1 : 0.0;
      EXPECT_THROW(DynamicsParts{dynid::Mechanism(planar_arm({term}))}, std::invalid_argument)
        << kind.name;
    }
  }
}

TEST(DynamicsParts, RefuseAVectorOfAnotherSize)
{
  const DynamicsParts parts{dynid::Mechanism(planar_arm())};
  EXPECT_THROW(std::ignore = parts.gravity(VectorXd::Zero(3)), std::invalid_argument);
  EXPECT_THROW(std::ignore = parts.inertia(VectorXd::Zero(1)), std::invalid_argument);
  EXPECT_THROW(std::ignore = parts.friction(VectorXd::Zero(0)), std::invalid_argument);
}

}  // namespace
