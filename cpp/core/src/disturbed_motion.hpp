#pragma once

#include <Eigen/Core>

#include "dynid/control_model.hpp"

namespace dynid
{

/// The torque error of a robot that does not move as commanded, because commands came late: the
/// drives' loops then exert torque on it that the commanded motion does not have. What accelerates
/// the robot beyond that motion is known from its measured velocity:
///
///     e + M d(dq_measured - dq_commanded)/dt,
///
/// both through the same low-pass of second order, because the derivative of a velocity in whole
/// encoder steps is noise; less what is not known of errors between samples, which come late.
/// Vectors (n,); for control cycles: no allocation, lock or exception.
class DisturbedMotion
{
public:
  DisturbedMotion(Eigen::Index drives, double control_rate);

  void restart() noexcept;

  /// One cycle, this time in nominal cycles after the last: torque error, measured and commanded
  /// velocity of the same time. A drive with a value that is not finite keeps its state.
  void update(
    const Eigen::VectorXd & error, const Eigen::VectorXd & measured, const VectorIn & commanded,
    double cycles) noexcept;

  /// Replaces torque errors that are finite by those of the robot's motion at a position.
  void correct(ControlModel & model, const VectorIn & position, Eigen::VectorXd & error) noexcept;

private:
  /// Values (n,), and the same through one low-pass and through two.
  struct LowPass
  {
    void begin(Eigen::Index i, double value) noexcept;
    void pass(Eigen::Index i, double value, int steps, double share) noexcept;

    Eigen::VectorXd last;
    Eigen::VectorXd once;
    Eigen::VectorXd twice;
  };

  double rate_;   // time constants in a cycle
  double share_;  // of its input that a low-pass takes over in a cycle
  LowPass error_;
  LowPass deviation_;  // of velocity
  LowPass unknown_;    // of errors between samples
  bool begun_ = false;
  Eigen::VectorXd acceleration_;
  Eigen::VectorXd torque_;
};

}  // namespace dynid
