#pragma once

#include <Eigen/Core>

#include "disturbed_motion.hpp"
#include "dynid/control_law.hpp"
#include "dynid/delay_line.hpp"
#include "dynid/momentum_observer.hpp"
#include "input_monitor.hpp"

namespace dynid
{

/// Watches a robot under a control law: the torque error of its motion, the torque and the feedback
/// of its drives, its model, and for how long nothing was evaluated. One of the functions
/// expect...() comes before update() in each cycle, with the torque of the commanded motion.
/// Vectors (n,); for control cycles: no allocation, lock or exception.
class CollisionWatch
{
public:
  /// `gears` (n,): 1 where feedback is of the links and the torque in their gears, else 0.
  CollisionWatch(
    Eigen::Index drives, const ControlLawSettings & checked, const Eigen::VectorXd & gears);

  void restart() noexcept;
  void use(ControlModel * model) noexcept;
  void set(const CollisionSettings & settings) noexcept;

  /// Ignores torque errors while the drives' own loops replace a removed additive torque, or the
  /// motion is not that of the model.
  void suspend() noexcept { suspended_ = suspension_; }

  /// A cycle in which nothing is evaluated, because a hand moves the robot.
  void leave_unsupervised() noexcept;

  /// Stops for a cause that was found outside.
  void stop(const Collision & found) noexcept { detector_.stop(found); }

  /// The commands of this cycle have this torque of the model, velocity and acceleration.
  void expect(const Eigen::VectorXd & torque, const Reference & motion) noexcept;
  /// They have the torque of the model for their own motion, as at standstill.
  void expect_command(const Reference & commanded) noexcept;
  /// They have none that is known.
  void expect_nothing() noexcept;
  /// In these cycles the drives moved on by themselves to a position, at this velocity.
  void expect_coasting(
    const Eigen::VectorXd & position, const Eigen::VectorXd & velocity, int cycles) noexcept;

  /// Torque errors and measured torque of a cycle, these times in nominal cycles after the last
  /// one, and of the feedback after that of the last one.
  void update(const Feedback & feedback, double cycles, double measured) noexcept;

  /// Feedback of the drives and torque to compare that are missing, this time [s] after the last,
  /// with the command of the cycle before.
  void receive(
    const Feedback & feedback, const Eigen::VectorXd & torque, const Eigen::VectorXd & command,
    double time) noexcept;
  /// After update(): stops where torque was not evaluated for too long, or feedback is missing.
  void supervise(double time) noexcept;

  [[nodiscard]] const CollisionDetector & detector() const noexcept { return detector_; }
  [[nodiscard]] const Supervision & supervision() const noexcept { return supervision_; }
  [[nodiscard]] const Eigen::VectorXd & torque_error() const noexcept { return error_; }
  /// The drive whose torque errors show that the model is wrong; -1: none.
  [[nodiscard]] int wrong_drive() const noexcept { return monitor_.drive(); }

private:
  BlindReason find_error(const Feedback & feedback, const VectorIn & due, double cycles) noexcept;
  void observe(const Feedback & feedback, double cycles) noexcept;
  void restart_monitor() noexcept;
  void set_suspensions() noexcept;
  void set_slowest() noexcept;
  [[nodiscard]] double settling_time(Eigen::Index drive) const noexcept;

  double rate_;  // [Hz]
  bool observes_;
  Eigen::VectorXd gears_;
  bool any_gear_;
  Eigen::VectorXd low_speed_;
  Eigen::VectorXd slowest_;  // motion in which dry friction is known
  CollisionDetector detector_;
  MomentumObserver observer_;
  DisturbedMotion disturbed_;
  InputMonitor inputs_;
  Supervision supervision_;
  ModelMonitor monitor_;
  ControlModel * model_ = nullptr;
  double suspension_;       // time for which torque errors are ignored [s]
  double suspended_ = 0.0;  // remaining time of that [s]
  // of the commands: model torque, velocity, acceleration, and 1 where there is a model torque, or
  // 0
  DelayLine expected_;
  Eigen::VectorXd error_;
  Eigen::VectorXd friction_;  // dry, of the model
  Eigen::VectorXd of_links_;  // torque of the model
  Eigen::VectorXd no_error_;  // of a model without one
};

}  // namespace dynid
