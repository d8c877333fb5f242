#include "fuzz_stop_check.hpp"

#include <algorithm>
#include <cmath>

namespace fuzz
{
namespace
{

constexpr double unnoticed = 0.06;       // [s] of a fault: 40 ms of comparison, 20 ms of a gap
constexpr double unnoticed_speed = 0.1;  // [rad/s or m/s]: 2 mm in 40 ms, doubled

std::unique_ptr<dynid::ControlModel> model_at_joints(const Robot & robot)
{
  auto joints = robot;
  joints.motor_side = false;
  return joints.model();
}

}  // namespace

StopCheck::StopCheck(
  const Robot & robot, const dynid::TorqueLawSettings & settings, Findings & findings)
: findings_(findings),
  joints_(model_at_joints(robot)),
  tolerated_(3.0 * settings.stop_speed.array() + unnoticed_speed),
  momentum_(robot.drives()),
  period_(1.0 / settings.law.feedforward.control_rate)
{
  if (robot.motor_side) {
    tolerated_ = robot.description.coupling.cwiseAbs() * tolerated_;
  }
  const auto & most = settings.law.feedforward.torque_max;
  const double slew = (2.0 * most.array() / settings.torque_rate_max.array()).maxCoeff();
  reaction_ = slew + unnoticed + settings.feedback_delay + period_;
  longest_ = settings.stop_time;
}

void StopCheck::restart()
{
  duration_ = 0.0;
  acted_ = 0.0;
  fastest_ = 0.0;
}

double StopCheck::speed(const Eigen::VectorXd & position, const Eigen::VectorXd & velocity)
{
  joints_->inertia_torque(position, velocity, momentum_);
  return std::sqrt(std::max(0.0, velocity.dot(momentum_)));
}

void StopCheck::look(const dynid::TorqueLaw & law, const dynid::PlantTruth & truth, int cycles)
{
  if (law.phase() != dynid::TorquePhase::stopping) {
    restart();
    return;
  }
  duration_ += cycles * period_;
  findings_.expect(duration_ <= longest_ + 21 * period_, "stops longer than stop_time");
  const double now = speed(truth.position, truth.velocity);
  // In a late cycle the drives hold the last torque, which no law can change: damping of a motion
  // that has reversed since then drives the robot. The law has its reaction time again after that.
  acted_ = cycles > 1 ? 0.0 : acted_ + period_;
  if (acted_ <= reaction_) {
    fastest_ = std::max(fastest_, now);
    return;
  }
  findings_.expect(
    now <= fastest_ + speed(truth.position, tolerated_), "cycles of stops that became faster");
  ++findings_.stopping;
}

}  // namespace fuzz
