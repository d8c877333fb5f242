#pragma once

#include <Eigen/Core>

#include "dynid/control_model.hpp"

namespace dynid
{

/// Observes external torque, which is not exerted by the drives, from the measured motion:
///
///     r = K (p - p_0 - integral of (tau - bias_torque + r) dt),   p = M dq,
///
/// which follows that torque as a first-order low-pass of rate K (De Luca, Mattone, ICRA 2005).
class MomentumObserver
{
public:
  MomentumObserver(Eigen::Index drives, double gain, double control_rate)
  : gain_(gain), step_(1.0 / control_rate)
  {
    for (auto * vector : {&observed_, &integral_, &momentum_, &bias_torque_}) {
      vector->setZero(drives);
    }
  }

  /// Clears the state; the next cycle is the first.
  void restart() noexcept { begun_ = false; }

  /// One cycle: the external torque (n,) from measured motion and torque (n,).
  const Eigen::VectorXd & update(
    ControlModel & model, const VectorIn & q, const VectorIn & dq, const VectorIn & tau) noexcept
  {
    model.momentum(q, dq, momentum_, bias_torque_);
    if (!begun_) {
      begun_ = true;
      observed_.setZero();
      integral_ = momentum_;
    } else {
      integral_ += step_ * (tau - bias_torque_ + observed_);
      observed_ = gain_ * (momentum_ - integral_);
    }
    return observed_;
  }

private:
  double gain_;  // [1/s]
  double step_;  // [s]
  bool begun_ = false;
  Eigen::VectorXd observed_;
  Eigen::VectorXd integral_;
  Eigen::VectorXd momentum_;
  Eigen::VectorXd bias_torque_;
};

}  // namespace dynid
