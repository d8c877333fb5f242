// Assembly of a closed chain.

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "closed_chain.hpp"

namespace dynid
{
namespace
{

constexpr int most_at_start = 100;

Eigen::VectorXd start_of(
  const ClosedChainDescription & description, const std::vector<std::string> & joints)
{
  const auto actuated = joints.size() - description.passive.size();
  const auto & given = description.assembled_at;
  if (!given.empty() && given.size() != actuated) {
    throw std::invalid_argument(
      "'assembled_at' of the closed chain has " + std::to_string(given.size()) +
      " values, but must have " + std::to_string(actuated) + ", one for each actuated joint.");
  }
  Eigen::VectorXd start = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(joints.size()));
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const auto found = description.start.find(joints[i]);
    if (i < actuated) {
      start[static_cast<Eigen::Index>(i)] = given.empty() ? 0.0 : given[i];
    } else if (found != description.start.end()) {
      start[static_cast<Eigen::Index>(i)] = found->second;
    }
  }
  if (!start.allFinite()) {
    throw std::invalid_argument("A start position of the closed chain is not a finite number.");
  }
  return start;
}

void check_gear(int a, int b, double ratio, const std::string & name)
{
  if (a < 0 || b < 0 || a == b) {
    throw std::invalid_argument(
      "The gear of " + name + " needs two links that different joints move.");
  }
  if (!std::isfinite(ratio) || ratio == 0.0) {
    throw std::invalid_argument("The gear of " + name + " has a ratio that is 0 or not finite.");
  }
}

}  // namespace

Eigen::Index condition_count(ClosureKind kind) noexcept
{
  switch (kind) {
    case ClosureKind::distance:
    case ClosureKind::gear:
      return 1;
    case ClosureKind::point:
      return 3;
    default:
      return 5;
  }
}

ClosedChain::Memory::Memory(const ClosedChain & chain)
: bodies(chain.tree_.bodies.size()),
  angles(chain.tree_.bodies.size()),
  placements(chain.tree_.bodies.size()),
  passive(chain.rows_, static_cast<Eigen::Index>(chain.joints_.size()) - chain.actuated_)
{
  const auto count = static_cast<Eigen::Index>(chain.joints_.size());
  const auto passive_count = count - chain.actuated_;
  q = chain.start_;
  for (auto * vector : {&dq, &ddq, &joints}) {
    vector->setZero(count);
  }
  for (auto * vector : {&gap, &conditions}) {
    vector->setZero(chain.rows_);
  }
  for (auto * vector : {&tangent, &curve, &curve_before, &solved}) {
    vector->setZero(passive_count);
  }
  for (auto * vector : {&step, &step_before}) {
    vector->setZero(chain.actuated_);
  }
  transfer.setIdentity(count, chain.actuated_);
  transfer_rate.setZero(count, chain.actuated_);
  jacobian.setZero(chain.rows_, count);
  jacobian_rate.setZero(chain.rows_, count);
}

ClosedChain::ClosedChain(
  KinematicTree tree, const std::vector<Link> & links, const ClosedChainDescription & description,
  std::vector<std::string> joints)
: tree_(std::move(tree)),
  turns_(tree_.bodies.begin(), tree_.bodies.end()),
  joints_(std::move(joints)),
  actuated_(static_cast<Eigen::Index>(joints_.size() - description.passive.size())),
  start_(start_of(description, joints_))
{
  for (const auto & closure : description.closures) {
    add(links, closure);
  }
  const auto passive = static_cast<Eigen::Index>(description.passive.size());
  if (rows_ < passive) {
    throw std::invalid_argument(
      "There are " + std::to_string(passive) + " passive joints, but the closures have only " +
      std::to_string(rows_) + " conditions for them.");
  }
  assemble();
}

void ClosedChain::add(const std::vector<Link> & links, const LoopClosure & closure)
{
  Closure added;
  added.kind = closure.kind;
  added.name = "'" + closure.link_a + "' and '" + closure.link_b + "'";
  added.a = side(links, closure.link_a, closure.point_a, closure.axis_a);
  added.b = side(links, closure.link_b, closure.point_b, closure.axis_b);
  added.length = closure.length;
  added.row = rows_;
  if (closure.kind == ClosureKind::distance && !(closure.length > 0.0)) {
    throw std::invalid_argument(
      "The closure of " + added.name + " keeps a distance, whose length must be above 0 m.");
  }
  if (closure.kind == ClosureKind::gear) {
    check_gear(added.a.body, added.b.body, closure.length, added.name);
    added.offset = start_[column(added.a)] - closure.length * start_[column(added.b)];
  }
  if (closure.kind == ClosureKind::revolute) {
    if (!(closure.axis_a.norm() > 1e-9 && closure.axis_b.norm() > 1e-9)) {
      throw std::invalid_argument(
        "The closure of " + added.name + " is a hinge, but has no axis on one of the links.");
    }
    const Vector axis = added.b.axis;
    const Eigen::Vector3d own(axis.x, axis.y, axis.z);
    const Eigen::Vector3d across = own.unitOrthogonal();
    added.across = vector(across);
    added.over = cross(axis, added.across);
  }
  rows_ += condition_count(closure.kind);
  closures_.push_back(std::move(added));
}

/// Of the joint that moves a side, in vectors of all joints.
Eigen::Index ClosedChain::column(const Side & side) const noexcept
{
  return tree_.bodies[static_cast<std::size_t>(side.body)].number;
}

ClosedChain::Side ClosedChain::side(
  const std::vector<Link> & links, const std::string & link, const Eigen::Vector3d & point,
  const Eigen::Vector3d & axis) const
{
  const auto found = std::find_if(
    links.begin(), links.end(), [&](const Link & candidate) { return candidate.name == link; });
  if (found == links.end()) {
    throw std::invalid_argument(
      "A closure names link '" + link + "', which the URDF does not have.");
  }
  if (!(point.allFinite() && axis.allFinite())) {
    throw std::invalid_argument(
      "The closure at link '" + link + "' has a point or axis that is not three finite numbers.");
  }
  Side side;
  side.body = found->body;
  side.point = vector(Eigen::Vector3d(found->origin + found->rotation * point));
  side.axis = vector(Eigen::Vector3d(found->rotation * axis.normalized()));
  return side;
}

/// Closes the loops near the given start, and checks that the actuated joints can move.
void ClosedChain::assemble()
{
  Memory memory(*this);
  if (!correct(memory, most_at_start, false)) {
    throw std::invalid_argument(
      "The closed chain cannot be assembled: " + describe(memory.failure, start_.head(actuated_)) +
      " Give other start positions of the passive joints, or other closures.");
  }
  start_ = memory.q;
  spread(memory);
  if (!((memory.jacobian * memory.transfer).cwiseAbs().maxCoeff() < 1e-8)) {
    throw std::invalid_argument(
      "The closures also constrain the actuated joints: give fewer closures, or make the joints "
      "without a drive passive.");
  }
}

}  // namespace dynid
