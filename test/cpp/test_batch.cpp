// Functions over whole arrays against the same functions, sample by sample.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "dynid/batch.hpp"
#include "dynid/gram.hpp"
#include "dynid/loop_closure.hpp"
#include "planar_arm.hpp"
#include "refusals.hpp"

namespace
{

using dynid::Mechanism;
using dynid::RowMajorMatrix;
using dynid::Samples;
using dynid::States;
using Eigen::Index;
using Eigen::VectorXd;

dynid::Mechanism arm_with_memory()
{
  auto stop = joint_term("presliding", 1);
  stop.scale = 0.3;
  const Mechanism plain(planar_arm({joint_term("viscous", 0), stop}));
  VectorXd parameters = plain.urdf_parameters();
  parameters.tail(2) << 1.3, 2.0;
  return plain.with_parameters(parameters);
}

/// Samples of a motion that turns around.
class Motion
{
public:
  explicit Motion(Index count) : q(count, 2), dq(count, 2), ddq(count, 2)
  {
    for (Index i = 0; i < count; ++i) {
      const double t = 0.05 * static_cast<double>(i);
      q.row(i) << std::sin(t), 0.8 * std::cos(1.7 * t);
      dq.row(i) << std::cos(t), -1.36 * std::sin(1.7 * t);
      ddq.row(i) << -std::sin(t), -2.312 * std::cos(1.7 * t);
    }
  }

  [[nodiscard]] States states(Index first, Index count) const
  {
    return {view(q, first, count), view(dq, first, count), view(ddq, first, count)};
  }
  [[nodiscard]] States states() const { return states(0, q.rows()); }
  [[nodiscard]] VectorXd at(const RowMajorMatrix & all, Index i) const { return all.row(i); }

  [[nodiscard]] static Samples view(const RowMajorMatrix & all, Index first, Index count)
  {
    return {all.data() + first * all.cols(), count, all.cols()};
  }

  RowMajorMatrix q;
  RowMajorMatrix dq;
  RowMajorMatrix ddq;
};

TEST(Batch, TorqueAndRegressorAreThoseOfEachSample)
{
  const auto mechanism = arm_with_memory();
  const Motion motion(40);
  const Index p = mechanism.parameter_count();
  RowMajorMatrix regressor(80, p);
  RowMajorMatrix torque(40, 2);
  RowMajorMatrix inverse(40, 2);
  dynid::batch::regressor(mechanism, motion.states(), regressor.data());
  const VectorXd parameters = 1.1 * mechanism.parameters();
  dynid::batch::torque(mechanism, motion.states(), parameters, torque.data());
  dynid::batch::inverse_dynamics(mechanism, motion.states(), inverse.data());
  auto workspace = mechanism.workspace();
  VectorXd expected(2);
  for (Index i = 0; i < 40; ++i) {
    const auto row = [&](const RowMajorMatrix & all) { return motion.at(all, i); };
    mechanism.inverse_dynamics(workspace, row(motion.q), row(motion.dq), row(motion.ddq), expected);
    EXPECT_EQ(row(inverse), expected) << "sample " << i;
    EXPECT_LT((row(torque) - 1.1 * expected).norm(), 1e-12);
    const VectorXd product = regressor.middleRows(2 * i, 2) * mechanism.parameters();
    EXPECT_LT((product - expected).norm(), 1e-12);
  }
}

TEST(Batch, MemoryGoesOnInTheNextArray)
{
  const auto mechanism = arm_with_memory();
  const Motion motion(40);
  const auto & own = mechanism.parameters();
  RowMajorMatrix whole(40, 2);
  RowMajorMatrix parts(40, 2);
  dynid::batch::torque(mechanism, motion.states(), own, whole.data());
  dynid::Presliding past;
  dynid::batch::torque(mechanism, motion.states(0, 15), own, parts.data(), &past);
  dynid::batch::torque(mechanism, motion.states(15, 25), own, parts.data() + 30, &past);
  EXPECT_EQ(whole, parts);

  dynid::Presliding advanced;
  dynid::batch::advance(
    mechanism, Motion::view(motion.q, 0, 40), Motion::view(motion.dq, 0, 40), &advanced);
  EXPECT_EQ(advanced.deflection, past.deflection);
  EXPECT_EQ(advanced.position, past.position);

  RowMajorMatrix rows(80, mechanism.parameter_count());
  dynid::Presliding of_rows;
  dynid::batch::regressor(mechanism, motion.states(), rows.data(), &of_rows);
  EXPECT_EQ(of_rows.deflection, past.deflection);
  EXPECT_NE(past.deflection, 0.0);
}

TEST(Batch, RigidBodyFunctionsAreThoseOfEachSample)
{
  const auto mechanism = arm_with_memory();
  const Motion motion(7);
  const auto states = motion.states();
  RowMajorMatrix gravity(7, 2);
  RowMajorMatrix mass(14, 2);
  RowMajorMatrix coriolis(14, 2);
  RowMajorMatrix all(7, 2);
  RowMajorMatrix terms(7, 2);
  dynid::batch::gravity_torque(mechanism, states.q, gravity.data());
  dynid::batch::mass_matrix(mechanism, states.q, mass.data());
  dynid::batch::coriolis_matrix(mechanism, states.q, states.dq, coriolis.data());
  dynid::batch::spread(mechanism, states.q, all.data());
  dynid::batch::term_torque(mechanism, states, terms.data());
  EXPECT_EQ(all, motion.q) << "a tree has no other joints";
  auto workspace = mechanism.workspace();
  VectorXd expected(2);
  for (Index i = 0; i < 7; ++i) {
    const Eigen::Vector2d q = motion.q.row(i);
    const Eigen::Vector2d dq = motion.dq.row(i);
    EXPECT_LT((motion.at(gravity, i) - planar_gravity(q)).norm(), 1e-12);
    EXPECT_LT((mass.middleRows(2 * i, 2) - planar_mass(q)).norm(), 1e-12);
    EXPECT_LT((coriolis.middleRows(2 * i, 2) - planar_coriolis(q, dq)).norm(), 1e-12);
    mechanism.term_torque(workspace, q, dq, motion.at(motion.ddq, i), expected);
    EXPECT_EQ(motion.at(terms, i), expected);
  }
}

TEST(Batch, ForwardDynamicsInvertsInverseDynamics)
{
  const Mechanism mechanism(planar_arm());
  const Motion motion(7);
  RowMajorMatrix torque(7, 2);
  RowMajorMatrix solved(7, 2);
  dynid::batch::inverse_dynamics(mechanism, motion.states(), torque.data());
  const States given{motion.states().q, motion.states().dq, Motion::view(torque, 0, 7)};
  dynid::batch::forward_dynamics(mechanism, given, solved.data());
  EXPECT_LT((solved - motion.ddq).norm(), 1e-10);
  VectorXd weightless = mechanism.parameters();
  weightless.tail(10).setZero();
  const auto broken = mechanism.with_parameters(weightless);
  const auto problem =
    refusal_of([&] { dynid::batch::forward_dynamics(broken, given, solved.data()); });
  EXPECT_NE(problem.find("not positive definite at sample 0"), std::string::npos) << problem;
}

TEST(Batch, RefusesArraysOfAnotherShape)
{
  const auto mechanism = arm_with_memory();
  const Motion motion(7);
  RowMajorMatrix out(140, 40);
  const auto q = Motion::view(motion.q, 0, 7);
  const auto fewer = Motion::view(motion.q, 0, 6);
  const Samples narrow(motion.q.data(), 7, 1);
  const Samples wide(out.data(), 7, 3);
  const auto refused = [&](const std::function<void()> & call, const std::string & part) {
    const auto problem = refusal_of(call);
    EXPECT_NE(problem.find(part), std::string::npos) << problem;
  };
  const std::string rows = "has shape (6, 2), but must have (7, 2)";
  const std::string columns = "has shape (7, 1), but must have (7, 2)";
  using namespace dynid::batch;
  const VectorXd own = mechanism.parameters();
  double * const to = out.data();
  for (const auto & states : {States{q, fewer, q}, States{q, q, fewer}}) {
    refused([&] { regressor(mechanism, states, to); }, rows);
    refused([&] { torque(mechanism, states, own, to); }, rows);
    refused([&] { inverse_dynamics(mechanism, states, to); }, rows);
    refused([&] { term_torque(mechanism, states, to); }, rows);
    refused([&] { forward_dynamics(mechanism, states, to); }, rows);
  }
  refused([&] { gravity_torque(mechanism, narrow, to); }, columns);
  refused([&] { mass_matrix(mechanism, narrow, to); }, columns);
  refused([&] { spread(mechanism, narrow, to); }, columns);
  refused([&] { coriolis_matrix(mechanism, narrow, q, to); }, columns);
  refused([&] { coriolis_matrix(mechanism, q, fewer, to); }, rows);
  refused([&] { advance(mechanism, narrow, q, nullptr); }, columns);
  refused([&] { advance(mechanism, q, fewer, nullptr); }, rows);
  refused([&] { static_cast<void>(reachable(mechanism, wide)); }, "(7, 3), but must have (7, 2)");
  refused(
    [&] { torque(mechanism, motion.states(), own.head(21), to); }, "has 22 parameters, but got 21");
}

TEST(Batch, RefusesParametersThatAreNoRigidBodies)
{
  const Mechanism plain(planar_arm());
  VectorXd parameters = plain.parameters();
  parameters[10] = 0.0;
  const auto mechanism = plain.with_parameters(parameters);
  const Motion motion(2);
  RowMajorMatrix out(8, 2);
  const auto states = motion.states();
  using namespace dynid::batch;
  EXPECT_THROW(inverse_dynamics(mechanism, states, out.data()), std::invalid_argument);
  EXPECT_THROW(mass_matrix(mechanism, states.q, out.data()), std::invalid_argument);
  EXPECT_THROW(coriolis_matrix(mechanism, states.q, states.dq, out.data()), std::invalid_argument);
  EXPECT_THROW(forward_dynamics(mechanism, states, out.data()), std::invalid_argument);
  EXPECT_NO_THROW(torque(mechanism, states, parameters, out.data()));
  EXPECT_NO_THROW(gravity_torque(mechanism, states.q, out.data()));
}

/// Weighted A^T A of one joint from the stored regressor, over `columns` and the torque.
RowMajorMatrix explicit_gram(
  const Mechanism & mechanism, const Motion & motion, const RowMajorMatrix & tau,
  const std::vector<int> & columns, const RowMajorMatrix & weights, Index joint)
{
  const Index count = motion.q.rows();
  RowMajorMatrix regressor(2 * count, mechanism.parameter_count());
  dynid::batch::regressor(mechanism, motion.states(), regressor.data());
  const auto size = static_cast<Index>(columns.size());
  RowMajorMatrix a(count, size + 1);
  for (Index i = 0; i < count; ++i) {
    for (Index k = 0; k < size; ++k) {
      a(i, k) = regressor(2 * i + joint, columns[static_cast<std::size_t>(k)]);
    }
    a(i, size) = tau(i, joint);
  }
  return a.transpose() * weights.col(joint).asDiagonal() * a;
}

TEST(Gram, IsThatOfTheStoredRegressor)
{
  const auto mechanism = arm_with_memory();
  const std::vector<int> columns{21, 0, 6, 10, 11, 16, 20};
  for (const Index count : {1, 255, 256, 257, 700}) {  // around its blocks of samples
    const Motion motion(count);
    const RowMajorMatrix tau = 3.0 * motion.q - motion.ddq;
    RowMajorMatrix weights = (motion.q.array() + 1.2).matrix();
    weights(0, 1) = 0.0;
    for (const bool weighted : {false, true}) {
      std::vector<double> out(128, 0.5);
      dynid::Presliding past;
      dynid::accumulate_gram(
        mechanism, motion.states(), Motion::view(tau, 0, count), columns,
        weighted ? weights.data() : nullptr, out.data(), &past);
      const RowMajorMatrix ones = RowMajorMatrix::Ones(count, 2);
      for (Index joint = 0; joint < 2; ++joint) {
        const auto expected =
          explicit_gram(mechanism, motion, tau, columns, weighted ? weights : ones, joint);
        const Eigen::Map<RowMajorMatrix> found(out.data() + 64 * joint, 8, 8);
        // added to what was there
        EXPECT_LT(((found.array() - 0.5).matrix() - expected).norm(), 1e-11 * (1 + expected.norm()))
          << count << " samples, joint " << joint;
      }
      EXPECT_FALSE(std::isnan(past.position)) << "memory is handed back";
    }
  }
}

TEST(Products, AreThoseOfTheStoredRegressor)
{
  const auto mechanism = arm_with_memory();
  const Index count = 300;
  const Motion motion(count);
  RowMajorMatrix regressor(2 * count, mechanism.parameter_count());
  dynid::batch::regressor(mechanism, motion.states(), regressor.data());
  for (const Index several : {1, 3}) {
    const RowMajorMatrix vectors = RowMajorMatrix::Random(several, 2 * count);
    std::vector<double> out(static_cast<std::size_t>(22 * several), 0.5);
    dynid::Presliding past;
    dynid::accumulate_products(
      mechanism, motion.states(), Motion::view(vectors, 0, several), out.data(), &past);
    const RowMajorMatrix expected = vectors * regressor;
    const Eigen::Map<RowMajorMatrix> found(out.data(), several, 22);
    EXPECT_LT(((found.array() - 0.5).matrix() - expected).norm(), 1e-11 * (1 + expected.norm()));
    EXPECT_FALSE(std::isnan(past.position)) << "memory is handed back";
  }
  std::vector<double> out(22);
  const RowMajorMatrix short_one = RowMajorMatrix::Zero(1, 2 * count - 1);
  EXPECT_THROW(
    dynid::accumulate_products(
      mechanism, motion.states(), Motion::view(short_one, 0, 1), out.data()),
    std::invalid_argument);
}

TEST(Gram, RefusesColumnsAndShapesThatAreNotThere)
{
  const auto mechanism = arm_with_memory();
  const Motion motion(4);
  const auto tau = Motion::view(motion.q, 0, 4);
  std::vector<double> out(128);
  const auto call = [&](const Samples & torque, const std::vector<int> & columns) {
    dynid::accumulate_gram(mechanism, motion.states(), torque, columns, nullptr, out.data());
  };
  EXPECT_EQ(refusal_of([&] { call(tau, {0, 21}); }), "");
  EXPECT_EQ(
    refusal_of([&] { call(tau, {0, 22}); }), "There is no column 22: the regressor has 22.");
  EXPECT_EQ(refusal_of([&] { call(tau, {-1}); }), "There is no column -1: the regressor has 22.");
  EXPECT_THROW(call(Motion::view(motion.q, 0, 3), {0}), std::invalid_argument);
}

TEST(LoopClosureLists, BecomeClosuresInOrder)
{
  dynid::ClosedChainLists lists;
  lists.passive_joints = {"pin", "guide"};
  lists.passive_positions = {2.0, 0.4};
  lists.assembled_at = {0.3};
  lists.closure_kinds = {"point", "distance"};
  lists.closure_links = {"a", "b", "c", "d"};
  lists.closure_points = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  lists.closure_axes = {0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1, 1};
  lists.closure_lengths = {0.0, 0.7};
  const auto chain = dynid::closed_chain(lists);
  EXPECT_EQ(chain.passive, lists.passive_joints);
  EXPECT_EQ(chain.assembled_at, lists.assembled_at);
  EXPECT_EQ(chain.start.at("guide"), 0.4);
  ASSERT_EQ(chain.closures.size(), 2U);
  const auto & second = chain.closures[1];
  EXPECT_EQ(second.kind, dynid::ClosureKind::distance);
  EXPECT_EQ(second.link_a, "c");
  EXPECT_EQ(second.link_b, "d");
  EXPECT_EQ(second.point_a, Eigen::Vector3d(7, 8, 9));
  EXPECT_EQ(second.point_b, Eigen::Vector3d(10, 11, 12));
  EXPECT_EQ(second.axis_a, Eigen::Vector3d(1, 0, 0));
  EXPECT_EQ(second.axis_b, Eigen::Vector3d(1, 1, 1));
  EXPECT_EQ(second.length, 0.7);
  EXPECT_EQ(chain.closures[0].kind, dynid::ClosureKind::point);
  EXPECT_EQ(dynid::closure_kind("revolute"), dynid::ClosureKind::revolute);
  EXPECT_THROW(static_cast<void>(dynid::closure_kind("ball")), std::invalid_argument);

  const auto refused = [&](auto change, const std::string & name) {
    auto wrong = lists;
    change(wrong);
    const auto problem = refusal_of([&] { static_cast<void>(dynid::closed_chain(wrong)); });
    EXPECT_NE(problem.find("'" + name + "'"), std::string::npos) << problem;
  };
  refused([](auto & l) { l.passive_positions.pop_back(); }, "passive_positions");
  refused([](auto & l) { l.closure_links.pop_back(); }, "closure_links");
  refused([](auto & l) { l.closure_points.pop_back(); }, "closure_points");
  refused([](auto & l) { l.closure_axes.push_back(1); }, "closure_axes");
  refused([](auto & l) { l.closure_lengths.pop_back(); }, "closure_lengths");
}

}  // namespace
