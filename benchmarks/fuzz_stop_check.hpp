#pragma once

// The oracle for damped stops: they never make the robot faster.

#include <memory>

#include "dynid/drive_plant.hpp"
#include "dynid/torque_law.hpp"
#include "fuzz_findings.hpp"
#include "fuzz_robots.hpp"

namespace fuzz
{

/// Checks the true speed of a simulated robot, sqrt(dq^T M dq), in damped stops. It may grow while
/// the torque still changes and a fault of feedback is not noticed yet, also after a late cycle;
/// after that, by what stop_speed and the resolution of feedback explain.
class StopCheck
{
public:
  StopCheck(const Robot & robot, const dynid::TorqueLawSettings & settings, Findings & findings);

  void restart();

  /// After these cycles of the robot.
  void look(const dynid::TorqueLaw & law, const dynid::PlantTruth & truth, int cycles);

private:
  [[nodiscard]] double speed(const Eigen::VectorXd & position, const Eigen::VectorXd & velocity);

  Findings & findings_;
  std::unique_ptr<dynid::ControlModel> joints_;  // at the joints, where the truth is
  Eigen::VectorXd tolerated_;                    // speeds [rad/s or m/s]
  Eigen::VectorXd momentum_;
  double period_;    // [s]
  double longest_;   // duration of a stop [s]
  double reaction_;  // [s] in which the robot may become faster
  double fastest_ = 0.0;
  double duration_ = 0.0;  // [s]
  double acted_ = 0.0;     // since the beginning or the last late cycle [s]
};

}  // namespace fuzz
