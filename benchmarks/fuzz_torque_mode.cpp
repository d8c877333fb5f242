// A TorqueLaw under random input, and a simulated robot that it moves.

#include <algorithm>
#include <optional>

#include "../test/cpp/allocation_counter.hpp"
#include "dynid/control_report.hpp"
#include "dynid/drive_plant.hpp"
#include "fuzz_checks.hpp"
#include "fuzz_feedback.hpp"
#include "fuzz_modes.hpp"
#include "fuzz_push.hpp"
#include "fuzz_settings.hpp"
#include "fuzz_stop_check.hpp"

namespace fuzz
{
namespace
{

using dynid::ControlModel;
using dynid::DrivePlant;
using dynid::Feedback;
using dynid::TorqueLaw;
using dynid::TorqueLawSettings;
using dynid::TorquePhase;
using Eigen::VectorXd;

constexpr int longest_phase = 600;  // cycles between two pushes
constexpr double epsilon = std::numeric_limits<double>::epsilon();

TorqueLawSettings settings_of(Dice & dice, const Robot & robot, bool controllable)
{
  auto settings = draw_torque_settings(dice, robot, controllable);
  if (!controllable && dice.one_in(3)) {
    move_to_ends(dice, settings);
  }
  return settings;
}

DrivePlant plant_of(const Robot & robot, const TorqueLawSettings & settings)
{
  const auto n = robot.drives();
  const VectorXd never = VectorXd::Constant(n, infinity);
  const VectorXd none = VectorXd::Zero(n);
  dynid::DrivePlantSettings plant;
  plant.control_rate = std::clamp(settings.law.feedforward.control_rate, 10.0, 1e5);
  plant.integration_rate = std::clamp(plant.control_rate, 500.0, 1e5);
  plant.command_delay = plant.feedback_delay = 1.0 / plant.control_rate;
  plant.mode = settings.gravity == dynid::GravityBy::by_robot ? dynid::DriveMode::torque_and_gravity
                                                              : dynid::DriveMode::torque;
  plant.motor_side = robot.motor_side;
  plant.bandwidth_hz = VectorXd::Constant(n, 5.0);
  plant.damping_ratio = VectorXd::Ones(n);
  plant.stop_deceleration = VectorXd::Constant(n, 10.0);
  plant.integral_time = plant.torque_max = plant.following_error = never;
  plant.position_resolution = plant.rated_torque = plant.torque_noise = plant.stribeck_torque =
    none;
  plant.stribeck_velocity = VectorXd::Ones(n);
  plant.lower = plant.upper = robot.home_of_joints();
  return {robot.description, robot.parameters, plant};
}

class TorqueRun
{
public:
  TorqueRun(Dice & dice, const Robot & robot, Findings & findings)
  : dice_(dice),
    robot_(robot),
    findings_(findings),
    controllable_(!dice.one_in(3)),
    settings_(settings_of(dice, robot, controllable_)),
    collision_(settings_.law.collision),
    model_(robot.model()),
    update_(robot.model(changed_parameters(dice, robot, 0.05))),
    law_(robot.drives(), settings_),
    plant_(plant_of(robot, settings_)),
    references_(dice, robot, settings_.law, controllable_),
    time_(settings_.law),
    commands_(settings_.law, findings),
    blind_(settings_.law, findings),
    stops_(robot, settings_, findings)
  {
    findings.count(controllable_ ? "controllable robots" : "robots with any loops");
    used_ = dice.one_in(20) ? nullptr : model_.get();
    law_.use(used_);
    begin();
  }

  /// Starts, moves with changes in between, and pushes.
  void phase()
  {
    if (law_.phase() != TorquePhase::following) {
      begin();
    }
    faults_ = controllable_ || dice_.one_in(2) ? Faults() : draw_faults(dice_, robot_.drives());
    evenness_ = dice_.one_in(3) ? 100 : 1'000'000'000;
    sensor_fault_ = SensorFault::none;
    const int fault_at = dice_.one_in(3) ? dice_.below(longest_phase) : longest_phase;
    const int cycles = dice_.below(longest_phase);
    for (int k = 0; k < cycles; ++k) {
      if (k == fault_at) {
        sensor_fault_ = static_cast<SensorFault>(1 + dice_.below(sensor_faults - 1));
        faulty_ = dice_.one_in(3) ? -1 : dice_.drive(robot_.drives());
        then_ = measured();
      }
      cycle(-1, 0.0);
      change_something();
    }
    if (law_.phase() != TorquePhase::following && dice_.one_in(2)) {
      sensor_fault_ = SensorFault::none;
      begin();
    }
    if (law_.phase() == TorquePhase::guided) {
      law_.stop();
    }
    ask();
    for (int left = longest_phase; left > 0 && law_.phase() == TorquePhase::stopping; --left) {
      cycle(-1, 0.0);
    }
    if (law_.stopped()) {
      findings_.count(law_.stop_failed() ? "stops given up" : "stops completed");
    }
  }

private:
  [[nodiscard]] Feedback measured() const
  {
    return {plant_.position(), plant_.velocity(), plant_.torque()};
  }

  /// Starts where the robot is, or at home.
  void begin()
  {
    plant_.start_control();
    if (plant_.fault().reason != dynid::FaultReason::none || dice_.one_in(2)) {
      plant_.reset(robot_.home);
    }
    auto answer = law_.start(plant_.position());
    if (!answer.done()) {
      plant_.reset(robot_.home);
      answer = law_.start(plant_.position());
    }
    findings_.count(answer.done() ? "starts" : "starts refused");
    time_.restart();
    commands_.restart(law_.law());
    blind_.restart();
    stops_.restart();
    references_.change();
    command_ = law_.torque_command();
  }

  double cycle(Eigen::Index drive, double torque)
  {
    const double rate = settings_.law.feedforward.control_rate;
    const double time = draw_time(dice_, 1.0 / rate, evenness_);
    const bool usable = std::isfinite(time) && time > 0.0;
    const auto & reference = references_.next(usable ? time : 0.0, law_.law().position_command());
    auto feedback = measured();
    for (Eigen::Index i = 0; i < robot_.drives(); ++i) {
      if (faulty_ < 0 || faulty_ == i) {
        spoil(sensor_fault_, i, then_, feedback);
      }
    }
    spoil(dice_, faults_, feedback);
    if (drive >= 0) {
      feedback.torque[drive] -= torque;
    }
    const auto before = law_.phase();
    findings_.expect(
      allocations_in([&] { law_.update(reference, feedback, time * rate); }) == 0, "allocations");
    time_.pass(time * rate);
    look(before);
    ++findings_.cycles;
    move(usable ? time * rate : 1.0);
    return time_.skipped() ? 0.0 : time_.counted();
  }

  /// The robot, for about this time.
  void move(double cycles)
  {
    if (law_.stopped()) {
      plant_.stop_control();
    }
    const int steps = static_cast<int>(std::clamp(std::round(cycles), 1.0, 20.0));
    for (int k = 0; k < steps; ++k) {
      plant_.step(robot_.home, law_.torque_command());
    }
    if (controllable_) {
      stops_.look(law_, plant_.truth(), steps);
    }
  }

  void look(TorquePhase before)
  {
    const auto & now = law_.torque_command();
    const auto & most = settings_.law.feedforward.torque_max;
    const double rate = settings_.law.feedforward.control_rate;
    findings_.expect(now.allFinite(), "torques that are not finite");
    for (Eigen::Index i = 0; i < now.size(); ++i) {
      findings_.expect(std::abs(now[i]) <= most[i], "torques beyond torque_max");
      const double rounded = 8.0 * epsilon * (std::abs(now[i]) + std::abs(command_[i]));
      findings_.expect(
        std::abs(now[i] - command_[i]) <= settings_.torque_rate_max[i] / rate + rounded,
        "changes of torque beyond torque_rate_max");
      findings_.steps += now[i] != command_[i] ? 1 : 0;
    }
    command_ = now;
    if (before != TorquePhase::following && law_.phase() == TorquePhase::following) {
      findings_.count("held after hand guiding");
      time_.restart();
      commands_.restart(law_.law());
      blind_.restart();
    }
    if (before == TorquePhase::following) {
      commands_.look(law_.law(), time_);
      if (law_.phase() == TorquePhase::following) {
        blind_.look(law_.law(), collision_, time_);
      }
    }
  }

  void change_something()
  {
    if (!dice_.one_in(500)) {
      return;
    }
    switch (dice_.below(6)) {
      case 0:
        law_.stop();
        break;
      case 1:
        collision_ = draw_collision(dice_, robot_, settings_.law.feedforward.control_rate);
        law_.set_collision(collision_);
        break;
      case 2:
        use(controllable_ || dice_.one_in(3) ? model_.get() : nullptr);
        break;
      case 3:
        use(update_.get());
        break;
      case 4:
        if (law_.guide().done()) {
          findings_.count("guided by hand");
        }
        break;
      default:
        if (!controllable_) {
          const double mass = dice_.scale_or(0.0, 1e-3, 1.0);
          law_.set_payload({mass, {0.1, 0.0, 0.0}, 0.01 * mass * Eigen::Matrix3d::Identity()});
        }
    }
  }

  void use(ControlModel * model)
  {
    used_ = model;
    law_.use(model);
  }

  void ask()
  {
    const auto drive = draw_pushed(dice_, collision_);
    faults_.random = false;
    if (dice_.one_in(3)) {
      faults_ = {};
      sensor_fault_ = SensorFault::none;
      evenness_ = 1'000'000'000;
    }
    const auto answer = push(
      {law_.law(), settings_.law, collision_, used_ != nullptr, true,
       [&] { return law_.phase() != TorquePhase::following; }},
      drive, [&](double torque) { return cycle(drive, torque); },
      [&] { return plant_.torque()[drive]; });
    ++findings_.answers[answer];
    findings_.expect(answer != Answer::missed, "pushes that were missed");
    if (answer == Answer::said) {
      findings_.count(
        "said to be blind: " + dynid::describe(law_.law().supervision().reason(drive)));
    }
    if (law_.law().latched()) {
      findings_.count("stops by " + dynid::name_of(law_.law().detector().collision().cause));
    }
  }

  Dice & dice_;
  const Robot & robot_;
  Findings & findings_;
  bool controllable_;
  TorqueLawSettings settings_;
  dynid::CollisionSettings collision_;
  std::unique_ptr<ControlModel> model_;
  std::unique_ptr<ControlModel> update_;
  TorqueLaw law_;
  DrivePlant plant_;
  References references_;
  Time time_;
  CommandCheck commands_;
  BlindCheck blind_;
  StopCheck stops_;
  ControlModel * used_ = nullptr;
  Faults faults_;
  SensorFault sensor_fault_ = SensorFault::none;
  Eigen::Index faulty_ = -1;  // drive with that; -1: all
  Feedback then_;             // when it began
  VectorXd command_;
  int evenness_ = 1'000'000'000;
};

}  // namespace

void run_torque_mode(Dice & dice, const Robot & robot, long cycles, Findings & findings)
{
  run_phases<TorqueRun>(dice, robot, cycles, findings);
}

}  // namespace fuzz
