#pragma once

// Robots drawn at random: 1 to 12 drives, revolute and prismatic, serial, branched and closed
// chains, with couplings and joint terms.

#include <memory>

#include "dynid/control_model.hpp"
#include "fuzz_dice.hpp"

namespace fuzz
{

struct Robot
{
  dynid::MechanismDescription description;
  Eigen::VectorXd parameters;
  Eigen::VectorXd smoothing;  ///< of dry friction [rad/s or m/s]
  Eigen::VectorXd home;       ///< at the commanded side, where closed chains are assembled
  double reach = 1.0;         ///< typical share of a unit, up to which it moves from there
  bool motor_side = false;    ///< whether commands and feedback are before the coupling

  [[nodiscard]] Eigen::Index drives() const { return home.size(); }
  [[nodiscard]] Eigen::VectorXd home_of_joints() const;
  [[nodiscard]] bool closed() const { return !description.chain.closures.empty(); }

  /// A model with these parameters, or others.
  [[nodiscard]] std::unique_ptr<dynid::ControlModel> model() const { return model(parameters); }
  [[nodiscard]] std::unique_ptr<dynid::ControlModel> model(const Eigen::VectorXd & other) const;

  /// At home: torques that hold it (n,), its mass matrix (n, n), and what each drive exerts in
  /// usual motion (n,) [N*m or N].
  [[nodiscard]] Eigen::VectorXd holding() const;
  [[nodiscard]] Eigen::MatrixXd mass() const;
  [[nodiscard]] Eigen::VectorXd usual_torque() const;
};

[[nodiscard]] Robot draw_robot(Dice & dice);

/// The same robot with bodies and friction that differ by up to this share.
[[nodiscard]] Eigen::VectorXd changed_parameters(Dice & dice, const Robot & robot, double share);

}  // namespace fuzz
