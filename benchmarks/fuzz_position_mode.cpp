// A ControlLaw under random input.

#include <algorithm>
#include <tuple>

#include "../test/cpp/allocation_counter.hpp"
#include "dynid/control_report.hpp"
#include "dynid/model_updates.hpp"
#include "fuzz_checks.hpp"
#include "fuzz_feedback.hpp"
#include "fuzz_modes.hpp"
#include "fuzz_push.hpp"
#include "fuzz_settings.hpp"

namespace fuzz
{
namespace
{

using dynid::ControlLaw;
using dynid::ControlLawSettings;
using dynid::ControlModel;
using dynid::Feedback;

constexpr int longest_phase = 1000;  // cycles between two pushes

ControlLawSettings settings_of(Dice & dice, const Robot & robot)
{
  auto settings = draw_settings(dice, robot);
  if (dice.one_in(4)) {
    move_to_ends(dice, settings);
  }
  return settings;
}

dynid::ModelUpdatesSettings updates_of(
  Dice & dice, const Robot & robot, const ControlLawSettings & settings)
{
  const auto & feedforward = settings.feedforward;
  dynid::ModelUpdatesSettings updates;
  updates.control_rate = feedforward.control_rate;
  updates.torque_error_delay = error_delay(settings);
  updates.ramp_time = std::max(feedforward.ramp_time, 1.0 / updates.control_rate);
  updates.timeout = dice.scale_or(infinity, 1e-2, 10.0);
  updates.hold_time = dice.scale_or(0.0, 1e-2, 10.0);
  updates.residual_time = std::max(dice.scale(1e-2, 1.0), 1.0 / updates.control_rate);
  updates.torque_difference = dice.scale(0.01, 10.0) * robot.usual_torque();
  updates.low_speed = Eigen::VectorXd::Constant(robot.drives(), dice.scale_or(0.0, 1e-3, 0.1));
  return updates;
}

/// A model, and one of the same robot for the drives: both may have memory of their own motion.
struct ModelPair
{
  std::unique_ptr<ControlModel> law;
  std::unique_ptr<ControlModel> drives;
};

class PositionRun
{
public:
  PositionRun(Dice & dice, const Robot & robot, Findings & findings)
  : dice_(dice),
    robot_(robot),
    findings_(findings),
    settings_(settings_of(dice, robot)),
    collision_(settings_.collision),
    law_(robot.drives(), settings_),
    updates_(robot.drives(), updates_of(dice, robot, settings_)),
    references_(dice, robot, settings_, false),
    drives_(
      dice, robot.drives(),
      dynid::delay_cycles(error_delay(settings_), settings_.feedforward.control_rate)),
    time_(settings_),
    commands_(settings_, findings),
    blind_(settings_, findings)
  {
    for (const double share : {0.0, 0.05}) {
      const auto parameters = changed_parameters(dice, robot, share);
      models_.push_back({robot.model(parameters), robot.model(parameters)});
    }
    use(dice.one_in(8) ? -1 : 0);
    start(robot.home);
    faults_ = draw_faults(dice, robot.drives());
    evenness_ = dice.one_in(3) ? 20 : 10'000;
    feedback_ = drives_.feedback();
  }

  /// Cycles with changes in between, and then a push.
  void phase()
  {
    faults_ = dice_.one_in(3) ? draw_faults(dice_, robot_.drives()) : faults_;
    for (int left = dice_.below(longest_phase); left > 0; --left) {
      cycle(-1, 0.0);
      findings_.expect(
        allocations_in([&] { change_something(); }) == 0, "allocations between cycles");
      if (law_.latched() && dice_.one_in(200)) {
        start(law_.position_command());
      }
    }
    ask();
    if (dice_.one_in(4)) {
      start(dice_.one_in(4) ? draw_elsewhere() : law_.position_command());
    }
    for (int left = 100; left > 0 && law_.latched(); --left) {
      cycle(-1, 0.0);
      reset();
    }
    if (law_.latched()) {
      start(law_.position_command());
    }
  }

private:
  /// One cycle, with an additional torque on a drive.
  double cycle(Eigen::Index drive, double torque)
  {
    const double rate = settings_.feedforward.control_rate;
    const double time = draw_time(dice_, 1.0 / rate, evenness_);
    const double passed = std::isfinite(time) ? time : 0.0;
    const auto & reference = references_.next(passed, law_.position_command());
    // at rest, frozen feedback looks as that of a robot at rest, so nobody can be asked to notice
    frozen_ = drive >= 0 ? -1 : dice_.one_in(20'000) ? 500 : frozen_ - 1;
    if (frozen_ < 0) {
      feedback_ = drives_.feedback();
      spoil(dice_, faults_, feedback_);
      if (drive >= 0) {
        feedback_.torque[drive] -= torque;
      }
    }
    double before = 0.0;
    double after = 0.0;
    const int allocations = allocations_in([&] {
      before = thread_time();
      law_.update(reference, feedback_, time * rate);
      after = thread_time();
    });
    findings_.expect(allocations == 0, "allocations");
    findings_.times.push_back(static_cast<float>(after - before));
    time_.pass(time * rate);
    if (drive < 0 && !time_.skipped() && dice_.one_in(3000)) {
      law_.stop({dynid::CollisionCause::torque_error, 0, 2.0, 1.0, 0});
    }
    look();
    follow_updates(time * rate);
    return time_.skipped() ? 0.0 : time_.counted();
  }

  void look()
  {
    commands_.look(law_, time_);
    blind_.look(law_, collision_, time_);
    ++findings_.cycles;
    if (!time_.skipped()) {
      drives_.command(
        law_.commanded_motion(),
        used_ < 0 ? nullptr : models_[static_cast<std::size_t>(used_)].drives.get());
    }
  }

  /// As a controller does after each cycle.
  void follow_updates(double cycles)
  {
    if (used_ < 0) {
      return;
    }
    updates_.update(law_.commanded_motion(), feedback_.torque, dynid::has_alarm(law_), cycles);
    const int chosen = updates_.report().updated ? 1 : 0;
    if (chosen != used_) {
      findings_.count(chosen == 1 ? "model updates used" : "model updates left");
      used_ = chosen;
      law_.use(updates_.chosen());
    }
  }

  void use(int pair)
  {
    used_ = pair;
    updates_.accept(pair < 0 ? nullptr : models_.front().law.get());
    law_.use(updates_.chosen());
  }

  void start(const Eigen::VectorXd & position)
  {
    law_.start(position);
    time_.restart();
    commands_.restart(law_);
    blind_.restart();
    references_.change();
    drives_.command(
      law_.commanded_motion(),
      used_ < 0 ? nullptr : models_[static_cast<std::size_t>(used_)].drives.get());
  }

  void reset()
  {
    if (law_.reset().answer == dynid::ResetAnswer::done) {
      time_.restart();
      blind_.restart();
    }
  }

  Eigen::VectorXd draw_elsewhere()
  {
    const double away = dice_.one_in(4) ? 9.0 : 0.1 * robot_.reach;
    Eigen::VectorXd position =
      robot_.home + dice_.each(robot_.drives(), [&] { return dice_.within(-away, away); });
    if (dice_.one_in(10)) {
      position[0] = nan;
    }
    return position;
  }

  void change_something()
  {
    if (law_.latched() ? dice_.one_in(50) : dice_.one_in(1000)) {
      reset();
    }
    if (!dice_.one_in(300)) {
      return;
    }
    switch (dice_.below(7)) {
      case 0:
        use(dice_.one_in(4) ? -1 : 0);
        break;
      case 1:
        set_payload(dice_.scale_or(0.0, 1e-3, 1.0));
        break;
      case 2:
        law_.set_gain(dice_.within(-0.1, 1.1));
        break;
      case 3:
        law_.set_mode(
          dice_.one_in(2) ? dynid::FeedforwardMode::full : dynid::FeedforwardMode::semi_static);
        break;
      case 4:
        law_.set_reaction(
          dice_.one_in(2) ? dynid::CollisionReaction::hold : dynid::CollisionReaction::decelerate);
        break;
      case 5:
        updates_.heard();
        updates_.take(models_.back().law.get());
        break;
      default:
        change_collision_ = true;
    }
  }

  void set_payload(double mass)
  {
    const dynid::Payload payload{mass, {0.1, 0.0, 0.0}, 0.01 * mass * Eigen::Matrix3d::Identity()};
    updates_.fall_back(dynid::FallbackCause::payload);
    if (used_ >= 0) {
      used_ = 0;
      law_.use(updates_.chosen());
      models_.front().drives->set_payload(payload);
    }
    law_.set_payload(payload);
  }

  void ask()
  {
    if (change_collision_) {
      change_collision_ = false;
      collision_ = draw_collision(dice_, robot_, settings_.feedforward.control_rate);
      law_.set_collision(collision_);
    }
    const auto drive = draw_pushed(dice_, collision_);
    const bool quiet = dice_.one_in(3);
    const auto evenness = evenness_;
    faults_.random = false;
    if (quiet) {
      faults_ = {};
      evenness_ = 1'000'000'000;
    }
    const auto answer = push(
      {law_, settings_, collision_, used_ >= 0, false, [&] { return law_.latched(); }}, drive,
      [&](double torque) { return cycle(drive, torque); },
      [&] { return drives_.feedback().torque[drive]; });
    evenness_ = evenness;
    ++findings_.answers[answer];
    findings_.expect(answer != Answer::missed, "pushes that were missed");
    if (answer == Answer::said) {
      findings_.count("said to be blind: " + dynid::describe(law_.supervision().reason(drive)));
    }
    if (law_.latched()) {
      findings_.count("stops by " + dynid::name_of(law_.detector().collision().cause));
    }
  }

  Dice & dice_;
  const Robot & robot_;
  Findings & findings_;
  ControlLawSettings settings_;
  dynid::CollisionSettings collision_;
  ControlLaw law_;
  dynid::ModelUpdates updates_;
  References references_;
  FollowingDrives drives_;
  Time time_;
  CommandCheck commands_;
  BlindCheck blind_;
  std::vector<ModelPair> models_;  // the accepted model, and an update
  int used_ = -1;                  // of them; -1: none
  Faults faults_;
  Feedback feedback_;
  int evenness_ = 10'000;
  int frozen_ = -1;
  bool change_collision_ = false;
};

}  // namespace

void run_position_mode(Dice & dice, const Robot & robot, long cycles, Findings & findings)
{
  run_phases<PositionRun>(dice, robot, cycles, findings);
}

}  // namespace fuzz
