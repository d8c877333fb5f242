#include "dynid/control_model.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "dynid/dynamics_parts.hpp"

namespace dynid
{
namespace
{

constexpr double saturated = 3.0;  // smoothing velocities: tanh is above 0.99 there

MechanismDescription smoothed(MechanismDescription description, const VectorIn & smoothing)
{
  const auto joints = static_cast<Eigen::Index>(description.joints.size());
  if (smoothing.size() != joints) {
    throw std::invalid_argument(
      "There are " + std::to_string(smoothing.size()) + " smoothing velocities, but must be " +
      std::to_string(joints) + ", one for each drive.");
  }
  if (!((smoothing.array() >= 0.0).all() && smoothing.allFinite())) {
    throw std::invalid_argument("A smoothing velocity is not 0 or above.");
  }
  for (auto & term : description.terms) {
    if (term.kind != nullptr && term.kind->smoothed && term.joint >= 0 && term.joint < joints) {
      term.smoothing = std::max(term.smoothing, smoothing[term.joint]);
    }
  }
  return description;
}

}  // namespace

void Payload::check() const
{
  if (!(std::isfinite(mass) && mass >= 0.0 && centre.allFinite() && inertia.allFinite())) {
    throw std::invalid_argument(
      "The payload has a negative mass, or a value that is not a finite number.");
  }
  if (!inertia.isApprox(inertia.transpose(), 1e-9)) {
    throw std::invalid_argument("The payload's inertia is not a symmetric matrix.");
  }
  const Eigen::Vector3d moments =
    Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(inertia, Eigen::EigenvaluesOnly).eigenvalues();
  const double rounding = 1e-9 * moments[2];
  if (moments[0] < -rounding || moments[0] + moments[1] < moments[2] - rounding) {
    throw std::invalid_argument(
      "The payload's inertia is not physically consistent: no principal moment may be negative or "
      "larger than the sum of the other two.");
  }
}

ControlModel::ControlModel(
  MechanismDescription description, const VectorIn & parameters, const VectorIn & smoothing,
  bool motor_side)
: mechanism_(Mechanism(smoothed(std::move(description), smoothing)).with_parameters(parameters)),
  commanded_(mechanism_.workspace()),
  measured_(mechanism_.workspace()),
  unsmoothed_(saturated * smoothing),
  own_(mechanism_.parameters()),
  parameters_(own_),
  frictionless_(frictionless_parameters(mechanism_)),
  friction_(own_ - frictionless_),
  motors_(Eigen::VectorXd::Zero(own_.size())),
  rotors_(motors_),
  links_(own_),
  converts_(motor_side && !mechanism_.coupling().isIdentity(0.0)),
  payload_offset_(10 * mechanism_.payload_body())
{
  const auto n = mechanism_.joint_count();
  if (converts_) {
    unsmoothed_.setConstant(unsmoothed_.maxCoeff());
  }
  for (auto * vector :
       {&q_, &dq_, &ddq_, &tau_, &momentum_, &gradient_, &zero_, &last_q_, &last_dq_, &last_ddq_,
        &last_tau_}) {
    vector->setZero(n);
  }
}

void ControlModel::set_payload(const Payload & payload) noexcept
{
  // about the origin of the joint's frame (Huygens, Steiner)
  const Eigen::Vector3d & c = payload.centre;
  const Eigen::Matrix3d inertia =
    payload.inertia +
    payload.mass * (c.squaredNorm() * Eigen::Matrix3d::Identity() - c * c.transpose());
  Eigen::Matrix<double, 10, 1> added;
  added << payload.mass, payload.mass * c, inertia(0, 0), inertia(0, 1), inertia(1, 1),
    inertia(0, 2), inertia(1, 2), inertia(2, 2);
  parameters_.segment<10>(payload_offset_) = own_.segment<10>(payload_offset_) + added;
  frictionless_.segment<10>(payload_offset_) = parameters_.segment<10>(payload_offset_);
  evaluated_ = false;
}

void ControlModel::supervise_gears(const VectorIn & gears) noexcept
{
  const auto & terms = mechanism_.terms();
  const auto first = own_.size() - static_cast<Eigen::Index>(terms.size());
  gears_ = (gears.array() > 0.5).any();
  motors_.setZero();
  rotors_.setZero();
  for (std::size_t k = 0; k < terms.size(); ++k) {
    const auto & term = terms[k];
    const bool at_gear = term.joint < gears.size() && gears[term.joint] > 0.5;
    if (at_gear && term.kind->role != TermRole::spring) {
      const auto place = first + static_cast<Eigen::Index>(k);
      motors_[place] = own_[place];
      rotors_[place] = term.kind->inertial() ? own_[place] : 0.0;
    }
  }
  links_ = own_ - motors_;
  coupled_ = gears_ && !mechanism_.coupling().isIdentity(0.0);
}

void ControlModel::reset_memory() noexcept
{
  mechanism_.reset_memory(commanded_);
  mechanism_.reset_memory(measured_);
  evaluated_ = false;
}

void ControlModel::to_joints(const VectorIn & side, Eigen::VectorXd & joints) const noexcept
{
  if (converts_) {
    joints.noalias() = mechanism_.coupling() * side;
  } else {
    joints = side;
  }
}

void ControlModel::to_side(const Eigen::VectorXd & joints, VectorOut side) const noexcept
{
  if (converts_) {
    side.noalias() = mechanism_.coupling().transpose() * joints;
  } else {
    side = joints;
  }
}

/// Computes the torque of a motion, unless it is that of the last one.
void ControlModel::evaluate(const VectorIn & q, const VectorIn & dq, const VectorIn & ddq) noexcept
{
  if (evaluated_ && q == last_q_ && dq == last_dq_ && ddq == last_ddq_) {
    return;
  }
  last_q_ = q;
  last_dq_ = dq;
  last_ddq_ = ddq;
  evaluated_ = true;
  if (!converts_) {
    mechanism_.torque(commanded_, q, dq, ddq, parameters_, last_tau_);
    return;
  }
  to_joints(q, q_);
  to_joints(dq, dq_);
  to_joints(ddq, ddq_);
  mechanism_.torque(commanded_, q_, dq_, ddq_, parameters_, tau_);
  to_side(tau_, last_tau_);
}

void ControlModel::torque(
  FeedforwardMode mode, const VectorIn & q, const VectorIn & dq, const VectorIn & ddq,
  VectorOut tau) noexcept
{
  if (mode == FeedforwardMode::full) {
    evaluate(q, dq, ddq);
    tau = last_tau_;
    return;
  }
  to_joints(q, q_);
  to_joints(dq, dq_);
  mechanism_.term_torque(commanded_, q_, dq_, zero_, ddq_);  // ddq_ holds a torque here
  mechanism_.gravity_torque(commanded_, q_, parameters_, tau_);
  tau_ += ddq_;
  to_side(tau_, tau);
}

void ControlModel::supervised_torque(
  const VectorIn & q, const VectorIn & dq, const VectorIn & ddq, VectorOut tau) noexcept
{
  evaluate(q, dq, ddq);
  tau = last_tau_;
  if (coupled_) {
    tau.setConstant(nan);
  } else if (gears_) {
    mechanism_.term_torque(commanded_, q, dq, ddq, motors_, tau_);
    tau -= tau_;
  }
}

void ControlModel::frictionless_torque(
  const VectorIn & q, const VectorIn & dq, const VectorIn & ddq, VectorOut tau) noexcept
{
  evaluate(q, dq, ddq);
  to_joints(q, q_);
  to_joints(dq, dq_);
  mechanism_.term_torque(commanded_, q_, dq_, zero_, friction_, tau_);
  to_side(tau_, tau);
  tau = last_tau_ - tau;
}

void ControlModel::holding_torque(const VectorIn & q, VectorOut tau) noexcept
{
  to_joints(q, q_);
  mechanism_.torque(measured_, q_, zero_, zero_, frictionless_, tau_);
  to_side(tau_, tau);
}

void ControlModel::dry_friction(VectorOut tau) noexcept { dry_friction(commanded_, tau); }

void ControlModel::observed_friction(VectorOut tau) noexcept { dry_friction(measured_, tau); }

void ControlModel::dry_friction(Workspace & workspace, VectorOut tau) noexcept
{
  if (converts_) {
    mechanism_.dry_friction(workspace, tau_);
    tau.noalias() = mechanism_.coupling().cwiseAbs().transpose() * tau_;
  } else {
    mechanism_.dry_friction(workspace, tau);
  }
}

void ControlModel::momentum(
  const VectorIn & q, const VectorIn & dq, VectorOut momentum, VectorOut bias_torque) noexcept
{
  to_joints(q, q_);
  to_joints(dq, dq_);
  mechanism_.momentum(measured_, q_, dq_, parameters_, momentum_, gradient_);
  leave_out_rotors();
  mechanism_.term_torque(measured_, q_, dq_, zero_, links_, tau_);
  tau_ -= gradient_;
  to_side(momentum_, momentum);
  to_side(tau_, bias_torque);
}

/// Subtracts the momentum of rotors whose gears are supervised.
void ControlModel::leave_out_rotors() noexcept
{
  if (coupled_) {
    momentum_.setConstant(nan);
  } else if (gears_) {
    mechanism_.term_torque(measured_, q_, zero_, dq_, rotors_, tau_);
    momentum_ -= tau_;
  }
}

void ControlModel::inertia_torque(const VectorIn & q, const VectorIn & ddq, VectorOut tau) noexcept
{
  to_joints(q, q_);
  to_joints(ddq, dq_);  // M times it, whatever it is
  mechanism_.momentum(measured_, q_, dq_, parameters_, momentum_, gradient_);
  leave_out_rotors();
  to_side(momentum_, tau);
}

}  // namespace dynid
