#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "dynid/control_model.hpp"

namespace dynid
{

/// Observes external torque, which is not exerted by the drives, from the measured motion:
///
///     dr/dt = K (dp/dt - tau + bias_torque - r),   p = M dq,
///
/// which follows that torque as a first-order low-pass of rate K (De Luca, Mattone, ICRA 2005).
///
/// A drive with a value that is not finite keeps its r until the next finite one, while its last
/// finite motion stays in the momentum of the others, whose observation continues.
class MomentumObserver
{
public:
  MomentumObserver(Eigen::Index drives, double gain, double control_rate)
  : gain_(gain), step_(1.0 / control_rate)
  {
    for (auto * vector :
         {&observed_, &before_, &passed_, &momentum_, &bias_torque_, &position_, &velocity_,
          &torque_}) {
      vector->setZero(drives);
    }
  }

  /// Clears the state; the next cycle is the first.
  void restart() noexcept
  {
    begun_ = false;
    age_ = 0.0;
  }

  /// One cycle, this time in nominal cycles after the last: the external torque (n,) from measured
  /// motion and torque (n,).
  const Eigen::VectorXd & update(
    ControlModel & model, const VectorIn & q, const VectorIn & dq, const VectorIn & tau,
    double cycles = 1.0) noexcept
  {
    keep_finite(q, position_);
    keep_finite(dq, velocity_);
    keep_finite(tau, torque_);
    model.momentum(position_, velocity_, momentum_, bias_torque_);
    const double time = cycles * step_;
    if (!begun_) {
      begun_ = q.allFinite() && dq.allFinite();
      observed_.setZero();
      passed_.setZero();
      before_ = momentum_;
      return observed_;
    }
    age_ += time;
    for (Eigen::Index i = 0; i < observed_.size(); ++i) {
      passed_[i] += time;
      if (measured(q[i], dq[i], tau[i])) {
        observe(i);
      }
    }
    return observed_;
  }

  /// Whether a drive is observed in a cycle with these values.
  [[nodiscard]] static bool measured(double q, double dq, double tau) noexcept
  {
    return std::isfinite(q) && std::isfinite(dq) && std::isfinite(tau);
  }

  /// Time after which r shows 95 % of an external torque [s], and whether it has passed since the
  /// restart.
  [[nodiscard]] double settling_time() const noexcept { return 3.0 / gain_; }
  [[nodiscard]] bool settled() const noexcept { return age_ >= settling_time(); }

private:
  /// One cycle of a drive, which may be the first after some without measured values.
  void observe(Eigen::Index i) noexcept
  {
    const double time = passed_[i];
    const double change = momentum_[i] - before_[i] - time * (torque_[i] - bias_torque_[i]);
    // in a time above 1 / K the mean external torque of that time replaces r
    observed_[i] += std::min(gain_, 1.0 / time) * (change - time * observed_[i]);
    before_[i] = momentum_[i];
    passed_[i] = 0.0;
  }

  static void keep_finite(const VectorIn & given, Eigen::VectorXd & kept) noexcept
  {
    kept = given.array().isFinite().select(given, kept);
  }

  double gain_;       // [1/s]
  double step_;       // [s]
  double age_ = 0.0;  // since the first cycle [s]
  bool begun_ = false;
  Eigen::VectorXd observed_;
  Eigen::VectorXd momentum_;
  Eigen::VectorXd before_;  // momentum when a drive was observed last
  Eigen::VectorXd passed_;  // time since then [s]
  Eigen::VectorXd bias_torque_;
  Eigen::VectorXd position_;
  Eigen::VectorXd velocity_;
  Eigen::VectorXd torque_;
};

}  // namespace dynid
