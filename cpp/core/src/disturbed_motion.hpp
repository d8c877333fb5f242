#pragma once

#include <Eigen/Core>

#include "dynid/control_law.hpp"

namespace dynid
{

/// The torque error of a robot that does not move as commanded, because commands came late: the
/// drives' loops then exert torque on it that the commanded motion does not have. What accelerates
/// the robot beyond that motion is known from its measured velocity:
///
///     e + M d(dq_measured - dq_commanded)/dt,
///
/// both through the same low-pass of second order, because the derivative of a velocity in whole
/// encoder steps is noise; less what is not known of errors between samples, which come late. What
/// changed the velocity in a long time without a sample is not known at all: there errors are NaN.
/// This holds from a late cycle until the motion is that of the commands again; torque errors of
/// other cycles stay as they are. Vectors (n,); for control cycles: no allocation, lock or
/// exception.
class DisturbedMotion
{
public:
  DisturbedMotion(Eigen::Index drives, double control_rate);

  /// Forgets the motion before the next cycle.
  void restart() noexcept;

  /// One cycle, this time in nominal cycles after the last, with the commanded velocity of the same
  /// time as the torque error: replaces errors that are finite by those of the robot's motion. A
  /// drive with a value that is not finite keeps its state.
  void correct(
    ControlModel & model, const Feedback & feedback, const VectorIn & commanded, double cycles,
    Eigen::VectorXd & error) noexcept;

private:
  /// Values (n,), and the same through one low-pass and through two.
  struct LowPass
  {
    void begin() noexcept { once = twice = last; }
    void pass(Eigen::Index i, double value, int steps, double share) noexcept;
    /// Takes over a value without its change.
    void shift(Eigen::Index i, double value) noexcept;

    Eigen::VectorXd last;
    Eigen::VectorXd once;
    Eigen::VectorXd twice;
  };

  void begin() noexcept;
  void skip(const Eigen::VectorXd & error) noexcept;
  void pass(const Eigen::VectorXd & error, double cycles) noexcept;

  double rate_;         // time constants in a cycle
  double share_;        // of its input that a low-pass takes over in a cycle
  double disturbed_;    // time for which a late cycle disturbs the motion [cycles]
  double longest_;      // without a measurement, for which torque is interpolated [cycles]
  double left_ = 0.0;   // of that
  bool known_ = false;  // the last values are those of the cycle before
  LowPass error_;
  LowPass deviation_;  // of velocity
  LowPass unknown_;    // of errors between samples
  Eigen::VectorXd deviates_;
  Eigen::VectorXd acceleration_;
  Eigen::VectorXd torque_;
};

}  // namespace dynid
