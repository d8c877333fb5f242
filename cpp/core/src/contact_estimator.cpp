#include "dynid/contact_estimator.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "link_tree.hpp"
#include "link_wrench.hpp"
#include "numbers.hpp"
#include "observable_part.hpp"
#include "setting_checks.hpp"

namespace dynid
{

using Matrix6 = Eigen::Matrix<double, 6, 6>;
using Vector6 = Eigen::Matrix<double, 6, 1>;
using Columns6 = Eigen::Matrix<double, Eigen::Dynamic, 6>;

constexpr int sizes = 18;  // of forces, each twice the last, from the smallest that is noticed

struct WrenchKind
{
  double log_weight = 0.0;
  Matrix6 root;           // of the mean of w w^T
  Vector6 eigenvalue;     // of the information in units of the expected wrench
  Vector6 squared_score;  // of each of its directions
};

/// A link, and where the wrench on it is given: at a point of its frame, in its axes.
struct WrenchPlace
{
  Link link;
  Eigen::Vector3d point;  // in the body's frame [m]
  Eigen::Matrix3d root;   // of the moments' covariance for forces of size 1 N [m]
  std::vector<WrenchKind> kinds;
  Columns6 torque;      // of unit forces and moments (n, 6)
  Matrix6 information;  // on force and moment
  Vector6 score;        // J S^-1 r
};

namespace
{

const Link & moving_link(const std::vector<Link> & links, const std::string & name)
{
  const auto found =
    std::find_if(links.begin(), links.end(), [&](const Link & one) { return one.name == name; });
  if (found == links.end()) {
    throw std::invalid_argument("The URDF has no link '" + name + "'.");
  }
  if (found->body < 0) {
    throw std::invalid_argument(
      "Link '" + name + "' is fixed to the base, whose contacts cause no torque of any joint.");
  }
  return *found;
}

/// The symmetric root of a covariance (K, K).
template <int K>
Eigen::Matrix<double, K, K> root_of(
  const Eigen::Matrix<double, K, K> & covariance, const std::string & link)
{
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, K, K>> solver(covariance);
  const auto & values = solver.eigenvalues();
  if (!(values.allFinite() && values[0] >= -1e-9 * values[K - 1])) {
    throw std::invalid_argument(
      "The contact region of link '" + link +
      "' must have covariances that are finite and not "
      "negative.");
  }
  return solver.eigenvectors() * values.cwiseMax(0.0).cwiseSqrt().asDiagonal() *
         solver.eigenvectors().transpose();
}

WrenchPlace place_of(
  const std::vector<Link> & links, const ContactRegion & region, Eigen::Index joints)
{
  if (!(region.centre.allFinite() && region.covariance.allFinite())) {
    throw std::invalid_argument("The contact region of link '" + region.link + "' is not finite.");
  }
  const auto & points = region.covariance;
  WrenchPlace place;
  place.link = moving_link(links, region.link);
  place.point = place.link.origin + place.link.rotation * region.centre;
  place.root =
    root_of<3>((points.trace() * Eigen::Matrix3d::Identity() - points) / 3.0, region.link);
  double sum = 0.0;
  for (const auto & kind : region.kinds) {
    if (!(std::isfinite(kind.weight) && kind.weight > 0.0 && kind.wrench.allFinite())) {
      throw std::invalid_argument(
        "The kinds of contact of link '" + region.link + "' must be finite, with weights above 0.");
    }
    sum += kind.weight;
  }
  for (const auto & kind : region.kinds) {
    place.kinds.emplace_back();
    place.kinds.back().log_weight = std::log(kind.weight / sum);
    place.kinds.back().root = root_of<6>(kind.wrench, region.link);
  }
  place.torque.setZero(joints, 6);
  return place;
}

/// Logarithm of the likelihood of the external torque with forces of size s, relative to that
/// without contact.
double log_likelihood(const WrenchKind & kind, double size) noexcept
{
  const Vector6 grown = size * size * kind.eigenvalue;
  double sum = 0.0;
  for (Eigen::Index i = 0; i < 6; ++i) {
    sum += size * size * kind.squared_score[i] / (1.0 + grown[i]) - std::log1p(grown[i]);
  }
  return kind.log_weight + 0.5 * sum;
}

ForceEstimate force_of(const WrenchPlace & place, double size, double largest_deviation) noexcept
{
  // the moment, of known covariance, is eliminated
  const Eigen::Matrix3d root = size * place.root;
  const Eigen::Matrix3d inner =
    root * place.information.bottomRightCorner<3, 3>() * root + Eigen::Matrix3d::Identity();
  const Eigen::Matrix3d mixed = place.information.topRightCorner<3, 3>() * root;
  const Eigen::LLT<Eigen::Matrix3d> solver(inner);
  const Eigen::Matrix3d information =
    place.information.topLeftCorner<3, 3>() - mixed * solver.solve(mixed.transpose());
  const Eigen::Vector3d score =
    place.score.head<3>() - mixed * solver.solve(root * place.score.tail<3>());
  ForceEstimate found;
  observable_part<3>(
    information, score, Eigen::Vector3d::Ones(), largest_deviation, found.value, found.covariance);
  return found;
}

}  // namespace

void ContactSettings::check() const
{
  check_range("threshold", threshold, 0.0, infinity);
  check_range("confidence", confidence, 0.5, 1.0);
  check_range("largest_deviation", largest_deviation, Setting::least, infinity);
}

struct ContactEstimator::Parts
{
  Parts(
    const MechanismDescription & description, bool motor_side,
    const std::vector<ContactRegion> & contact_regions, const std::vector<std::string> & links,
    const ContactSettings & given);

  bool update(
    const VectorIn & side_position, const VectorIn & torque,
    const Eigen::Ref<const Eigen::MatrixXd> & covariance) noexcept;
  bool locate(WrenchPlace & place) noexcept;
  void weigh() noexcept;
  [[nodiscard]] double weigh(
    const WrenchPlace & place, double least, double & likely) const noexcept;
  void forget() noexcept;

  Mechanism mechanism;
  Workspace workspace;
  KinematicTree tree;
  bool converts;  // between motors and joints
  ContactSettings settings;
  std::vector<WrenchPlace> regions;
  std::vector<WrenchPlace> frames;
  double length = 0.0;  // of levers on which moments are compared with forces [m]

  Eigen::VectorXd q;             // at the joints
  Eigen::VectorXd all;           // positions of all moving joints
  Columns6 all_torque;           // of these
  Columns6 joint_torque;         // of the actuated ones
  Columns6 whitened;             // L^-1 J^T, S = L L^T
  Eigen::VectorXd white_torque;  // L^-1 r
  Eigen::LLT<Eigen::MatrixXd> cholesky;

  double distance = nan;
  Eigen::VectorXd probability;
  Eigen::VectorXd size;  // of the most likely force in each region [N]
  int best = -1;
};

ContactEstimator::Parts::Parts(
  const MechanismDescription & description, bool motor_side,
  const std::vector<ContactRegion> & contact_regions, const std::vector<std::string> & links,
  const ContactSettings & given)
: mechanism(description),
  workspace(mechanism.workspace()),
  converts(motor_side && !mechanism.coupling().isIdentity(0.0)),
  settings(given)
{
  settings.check();
  const auto read = read_link_tree(description);
  tree = read.kinematics;
  const auto n = mechanism.joint_count();
  const auto moving = static_cast<Eigen::Index>(mechanism.moving_joints().size());
  for (const auto & one : contact_regions) {
    regions.push_back(place_of(read.links, one, n));
    if (one.kinds.empty()) {
      throw std::invalid_argument(
        "The contact region of link '" + one.link + "' needs at least one kind of contact.");
    }
    length += one.covariance.trace() / static_cast<double>(contact_regions.size());
  }
  if (regions.empty()) {
    throw std::invalid_argument("A contact needs at least one link on which it can be.");
  }
  length = length > 0.0 ? std::sqrt(length) : 1.0;
  for (const auto & name : links) {
    const ContactRegion frame{name, Eigen::Vector3d::Zero(), Eigen::Matrix3d::Zero(), {}};
    frames.push_back(place_of(read.links, frame, n));
  }
  q.setZero(n);
  all.setZero(moving);
  all_torque.setZero(moving, 6);
  joint_torque.setZero(n, 6);
  whitened.setZero(n, 6);
  white_torque.setZero(n);
  cholesky = Eigen::LLT<Eigen::MatrixXd>(n);
  const auto count = static_cast<Eigen::Index>(regions.size());
  size.setZero(count);
  probability.setZero(count);
  forget();
}

void ContactEstimator::Parts::forget() noexcept
{
  distance = nan;
  best = -1;
  probability.setConstant(nan);
  size.setConstant(nan);
  for (auto * places : {&regions, &frames}) {
    for (auto & place : *places) {
      place.information.setConstant(nan);
      place.score.setConstant(nan);
    }
  }
}

bool ContactEstimator::Parts::update(
  const VectorIn & side_position, const VectorIn & torque,
  const Eigen::Ref<const Eigen::MatrixXd> & covariance) noexcept
{
  bool known = side_position.allFinite() && torque.allFinite() && covariance.allFinite();
  if (known) {
    cholesky.compute(covariance);
    known = cholesky.info() == Eigen::Success;
  }
  if (known) {
    if (converts) {
      q.noalias() = mechanism.coupling() * side_position;
    } else {
      q = side_position;
    }
    white_torque = torque;
    cholesky.matrixL().solveInPlace(white_torque);
    mechanism.spread(workspace, q, all);
    known = all.allFinite() && mechanism.closed(workspace);
  }
  for (auto * places : {&regions, &frames}) {
    for (auto & place : *places) {
      known = known && locate(place);
    }
  }
  if (!known) {
    forget();
    return false;
  }
  distance = white_torque.squaredNorm();
  weigh();
  return true;
}

/// The information on wrenches at a place; false where it is not finite.
bool ContactEstimator::Parts::locate(WrenchPlace & place) noexcept
{
  Eigen::Matrix<double, 3, 6> force = Eigen::Matrix<double, 3, 6>::Zero();
  Eigen::Matrix<double, 3, 6> moment = Eigen::Matrix<double, 3, 6>::Zero();
  force.leftCols<3>() = place.link.rotation;
  moment.rightCols<3>() = place.link.rotation;
  for (Eigen::Index k = 0; k < 3; ++k) {
    moment.col(k) = place.point.cross(force.col(k));
  }
  wrench_torque<6>(tree, place.link.body, all, force, moment, all_torque);
  for (Eigen::Index k = 0; k < 6; ++k) {
    mechanism.project(workspace, q, all_torque.col(k), joint_torque.col(k));
  }
  if (converts) {
    place.torque.noalias() = mechanism.coupling().transpose() * joint_torque;
  } else {
    place.torque = joint_torque;
  }
  whitened = place.torque;
  cholesky.matrixL().solveInPlace(whitened);
  place.information.noalias() = whitened.transpose() * whitened;
  place.score.noalias() = whitened.transpose() * white_torque;
  return place.information.allFinite() && place.score.allFinite();
}

/// The probabilities of the regions.
void ContactEstimator::Parts::weigh() noexcept
{
  double largest = 0.0;
  for (auto & place : regions) {
    for (auto & kind : place.kinds) {
      const Matrix6 scaled = kind.root * place.information * kind.root;
      const Eigen::SelfAdjointEigenSolver<Matrix6> solver(scaled);
      kind.eigenvalue = solver.eigenvalues().cwiseMax(0.0);
      kind.squared_score =
        (solver.eigenvectors().transpose() * (kind.root * place.score)).cwiseAbs2();
      largest = std::max(largest, kind.eigenvalue[5]);
    }
  }
  const double least = largest > 0.0 ? 1.0 / std::sqrt(largest) : 1.0;
  double highest = -infinity;
  for (Eigen::Index k = 0; k < probability.size(); ++k) {
    probability[k] = weigh(regions[static_cast<std::size_t>(k)], least, size[k]);
    highest = std::max(highest, probability[k]);
  }
  probability = (probability.array() - highest).exp();
  probability /= probability.sum();
  Eigen::Index row = 0;
  best = probability.maxCoeff(&row) >= settings.confidence ? static_cast<int>(row) : -1;
}

/// The logarithm of a region's likelihood; `likely` becomes that of its most likely force [N].
double ContactEstimator::Parts::weigh(
  const WrenchPlace & place, double least, double & likely) const noexcept
{
  double highest = -infinity;
  for (int pass = 0; pass < 2; ++pass) {  // the largest term first, so that the sum is finite
    double sum = 0.0;
    for (int i = 0; i < sizes; ++i) {
      const double force = std::ldexp(least, i);
      for (const auto & kind : place.kinds) {
        const double term = log_likelihood(kind, force);
        if (pass == 1) {
          sum += std::exp(term - highest);
        } else if (term > highest) {
          highest = term;
          likely = force;
        }
      }
    }
    if (pass == 1) {
      return highest + std::log(sum);
    }
  }
  return highest;
}

ContactEstimator::ContactEstimator(
  const MechanismDescription & description, bool motor_side,
  const std::vector<ContactRegion> & regions, const std::vector<std::string> & frames,
  const ContactSettings & settings)
: parts_(std::make_unique<Parts>(description, motor_side, regions, frames, settings))
{
}
ContactEstimator::ContactEstimator(ContactEstimator && other) noexcept = default;
ContactEstimator & ContactEstimator::operator=(ContactEstimator && other) noexcept = default;
ContactEstimator::~ContactEstimator() = default;

Eigen::Index ContactEstimator::joint_count() const noexcept
{
  return parts_->mechanism.joint_count();
}
Eigen::Index ContactEstimator::region_count() const noexcept { return parts_->probability.size(); }
Eigen::Index ContactEstimator::frame_count() const noexcept
{
  return static_cast<Eigen::Index>(parts_->frames.size());
}

bool ContactEstimator::update(
  const VectorIn & q, const VectorIn & torque,
  const Eigen::Ref<const Eigen::MatrixXd> & covariance) noexcept
{
  return parts_->update(q, torque, covariance);
}

double ContactEstimator::distance() const noexcept { return parts_->distance; }
bool ContactEstimator::contact() const noexcept
{
  return parts_->distance > parts_->settings.threshold;
}
const Eigen::VectorXd & ContactEstimator::probability() const noexcept
{
  return parts_->probability;
}
int ContactEstimator::region() const noexcept { return parts_->best; }

WrenchEstimate ContactEstimator::wrench(Eigen::Index frame) const noexcept
{
  const auto & place = parts_->frames[static_cast<std::size_t>(frame)];
  Vector6 unit = Vector6::Ones();
  unit.tail<3>().setConstant(parts_->length);
  WrenchEstimate found;
  observable_part<6>(
    place.information, place.score, unit, parts_->settings.largest_deviation, found.value,
    found.covariance);
  return found;
}

ForceEstimate ContactEstimator::force_at_origin(Eigen::Index frame) const noexcept
{
  return force_of(
    parts_->frames[static_cast<std::size_t>(frame)], 0.0, parts_->settings.largest_deviation);
}

ForceEstimate ContactEstimator::force(Eigen::Index region) const noexcept
{
  return force_of(
    parts_->regions[static_cast<std::size_t>(region)], parts_->size[region],
    parts_->settings.largest_deviation);
}

}  // namespace dynid
