#pragma once

#include <Eigen/Core>
#include <cstdint>

namespace dynid
{

/// What the drives are commanded with.
enum class DriveMode
{
  position,           ///< a target position, and an additive torque
  torque,             ///< a torque
  torque_and_gravity  ///< a torque, to which the robot adds that against gravity and springs
};

/// Control loops and measurement of the drives. Vectors have one value for each drive (n,), in SI
/// behind the gear.
struct DrivePlantSettings
{
  double control_rate = 1000.0;      ///< [Hz]
  double integration_rate = 1000.0;  ///< fewest steps of bodies and loops per second [Hz]
  double command_delay = 0.001;      ///< until a target acts [s]
  double feedback_delay = 0.002;     ///< until a measurement arrives [s]
  DriveMode mode = DriveMode::position;
  bool motor_side = false;  ///< whether commands and feedback are before the coupling, or at joints

  Eigen::VectorXd bandwidth_hz;       ///< natural frequency of position and velocity loop [Hz]
  Eigen::VectorXd damping_ratio;      ///< of both [1]
  Eigen::VectorXd integral_time;      ///< of the velocity loop [s]; infinity: no integrator
  Eigen::VectorXd torque_max;         ///< [N*m or N]; infinity: unlimited
  Eigen::VectorXd stop_deceleration;  ///< in a fault [rad/s^2 or m/s^2]; infinity: at once
  Eigen::VectorXd following_error;    ///< that trips the drives [rad or m]

  Eigen::VectorXd position_resolution;  ///< [rad or m]; 0 measures exactly
  Eigen::VectorXd
    rated_torque;  ///< torque feedback is in whole thousandths of it [N*m or N]; 0: exact
  Eigen::VectorXd torque_noise;  ///< standard deviation of white noise on it [N*m or N]
  std::uint64_t seed = 0;        ///< of that noise

  Eigen::VectorXd stribeck_torque;    ///< friction besides the terms, see DryFriction::Stribeck
  Eigen::VectorXd stribeck_velocity;  ///< [rad/s or m/s]

  /// Elastic joints, all behind the gear; empty vectors: rigid joints without any of it. The rotor
  /// inertia term of an elastic joint is not used: its motor has `rotor_inertia` instead.
  Eigen::VectorXd joint_stiffness;  ///< [N*m/rad or N/m]; infinity: rigid
  Eigen::VectorXd joint_hardening;  ///< cubic stiffness [N*m/rad^3 or N/m^3]
  Eigen::VectorXd joint_damping;    ///< [N*m*s/rad or N*s/m]
  Eigen::VectorXd joint_backlash;   ///< total [rad or m]
  Eigen::VectorXd rotor_inertia;    ///< above 0 where elastic [kg*m^2 or kg]

  Eigen::VectorXd lower;  ///< range of joint positions over which the gains' inertia is averaged
  Eigen::VectorXd upper;  ///< [rad or m]

  /// Throws std::invalid_argument where a value is invalid for that many drives.
  void check(Eigen::Index drives) const;

  /// Integration steps in a control cycle.
  [[nodiscard]] int steps_per_cycle() const noexcept;
};

}  // namespace dynid
