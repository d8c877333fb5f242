#pragma once

// What a control law is called with: references and times between cycles.

#include "dynid/control_law.hpp"
#include "dynid/drive_clock.hpp"
#include "fuzz_robots.hpp"

namespace fuzz
{

/// References of a trajectory controller, and invalid ones unless they are tame.
class References
{
public:
  References(
    Dice & dice, const Robot & robot, const dynid::ControlLawSettings & settings, bool tame);

  /// The reference after this time [s]; initially at the command.
  const dynid::Reference & next(double time, const Eigen::VectorXd & command);

  /// Begins another motion with the next reference.
  void change() { left_ = 0; }

private:
  void change(const Eigen::VectorXd & command);
  void spoil(Eigen::Index drive);

  Dice & dice_;
  const Robot & robot_;
  const dynid::ControlLawSettings & settings_;
  bool tame_;
  dynid::Reference made_;
  Eigen::VectorXd centre_;
  Eigen::VectorXd size_;
  Eigen::VectorXd rate_;
  double now_ = 0.0;
  double factor_ = 1.0;   // of the velocity that it should be
  bool measured_ = true;  // the reference is where it is after the time that has passed
  int badness_ = 20;
  int left_ = 0;
};

/// The time of a cycle [s], the more often uneven the smaller `evenness` is; perhaps no time.
[[nodiscard]] double draw_time(Dice & dice, double period, int evenness);

/// The drives' cycles and the time that the law counts, of which it may skip the cycles in which
/// the drives have not taken its last command yet.
class Time
{
public:
  explicit Time(const dynid::ControlLawSettings & settings)
  : most_(static_cast<int>(settings.extrapolation_time * settings.feedforward.control_rate + 1e-9))
  {
  }

  void pass(double cycles)
  {
    given_ += cycles > 0.0 ? cycles : 0.0;
    if (most_ == 0) {
      given_ = cycles;
      coasted_ = 0;
    } else {
      const int passed = clock_.pass(cycles) - 1;
      coasted_ = std::min(passed, most_);
    }
    if (!skipped()) {
      counted_ = given_ > 0.0 ? std::min(given_, longest) : 1.0;
      given_ = 0.0;
    }
  }
  void restart()
  {
    clock_.restart();
    given_ = 0.0;
  }

  [[nodiscard]] bool skipped() const { return coasted_ < 0; }
  /// Cycles in which the drives moved on by themselves.
  [[nodiscard]] int coasted() const { return coasted_; }
  /// Time of the last cycle that was not skipped [cycles].
  [[nodiscard]] double counted() const { return counted_; }

private:
  static constexpr double longest = 1e6;  // [cycles]

  int most_;
  dynid::DriveClock clock_;
  double given_ = 0.0;
  double counted_ = 1.0;
  int coasted_ = 0;
};

}  // namespace fuzz
