#include "drive_inertia.hpp"

#include <algorithm>
#include <cmath>

#include "numbers.hpp"

namespace dynid
{

DriveInertia::DriveInertia(const Eigen::VectorXd & weights, const Eigen::VectorXd & torque_max)
: weights_(weights), torque_max_(torque_max), factor_(weights.size())
{
  const auto n = weights.size();
  for (auto * matrix : {&columns_, &mass_, &inverse_}) {
    matrix->setZero(n, n);
  }
  for (auto * vector : {&acceleration_, &torque_, &zero_}) {
    vector->setZero(n);
  }
  most_.setConstant(n, infinity);
}

void DriveInertia::start(ControlModel * model, const VectorIn & position) noexcept
{
  next_ = 0;
  known_ = false;
  most_.setConstant(infinity);
  for (Eigen::Index half = 0; half < 2 * weights_.size(); ++half) {
    update(model, position);
  }
}

void DriveInertia::update(ControlModel * model, const VectorIn & position) noexcept
{
  if (model == nullptr) {
    known_ = false;
    return;
  }
  const auto drive = next_ / 2;
  const double sign = next_ % 2 == 0 ? 1.0 : -1.0;
  acceleration_.setZero();
  acceleration_[drive] = sign;
  model->frictionless_torque(position, zero_, acceleration_, torque_);
  if (sign > 0.0) {
    columns_.col(drive) = torque_;
  } else {
    // what does not depend on the acceleration cancels
    columns_.col(drive) = 0.5 * (columns_.col(drive) - torque_);
  }
  ++next_;
  if (next_ == 2 * weights_.size()) {
    next_ = 0;
    invert();
  }
}

void DriveInertia::invert() noexcept
{
  known_ = false;
  most_.setConstant(infinity);
  if (!columns_.allFinite()) {
    return;
  }
  mass_ = columns_;
  factor_.compute(mass_);
  if (factor_.info() != Eigen::Success) {
    return;
  }
  known_ = true;
  inverse_.setIdentity();
  factor_.solveInPlace(inverse_);
  for (Eigen::Index i = 0; i < most_.size(); ++i) {
    const double most = 2.0 * (inverse_.row(i).cwiseAbs() * torque_max_).value();
    most_[i] = std::isfinite(most) ? most : infinity;
  }
}

double DriveInertia::norm(const Eigen::VectorXd & velocity) const noexcept
{
  double sum = 0.0;
  for (Eigen::Index i = 0; i < velocity.size(); ++i) {
    const double momentum = known_ ? mass_.col(i).dot(velocity) : weights_[i] * velocity[i];
    sum += momentum * velocity[i];
  }
  return std::sqrt(std::max(sum, 0.0));
}

}  // namespace dynid
