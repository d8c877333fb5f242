// Commands of the control law for arbitrary input: random settings within their ranges, cycles from
// 0.1 to 300 ms, references that are NaN, infinite, inconsistent or jump, missing feedback.
// Commands are checked from their values alone. At the end of each robot, a push of three times the
// threshold on a drive must be found, or the law must say that it does not evaluate that drive.
// Arguments: cycles, seed.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <iomanip>
#include <iostream>
#include <map>
#include <random>

#include "../test/cpp/allocation_counter.hpp"
#include "../test/cpp/simulated_robots.hpp"
#include "dynid/control_law.hpp"
#include "dynid/control_report.hpp"
#include "dynid/drive_clock.hpp"

namespace
{

using dynid::ControlLaw;
using dynid::ControlLawSettings;
using dynid::ControlModel;
using dynid::Feedback;
using dynid::Reference;

constexpr Eigen::Index drives = 2;
constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double rate_share = 1e-5;    // of a limit: ten times what the guard takes for rounding
constexpr double change_share = 1e-3;  // the same, summed up over a stop in front of a limit

class Dice
{
public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}

  bool one_in(int faces) { return std::uniform_int_distribution<int>(1, faces)(random_) == 1; }
  int below(int count) { return std::uniform_int_distribution<int>(0, count - 1)(random_); }
  double within(double low, double high)
  {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  /// Evenly over the orders of magnitude.
  double scale(double low, double high) { return std::exp(within(std::log(low), std::log(high))); }
  double scale_or(double other, double low, double high)
  {
    return one_in(5) ? other : scale(low, high);
  }
  template <typename Draw>
  VectorXd each(const Draw & draw)
  {
    VectorXd values(drives);
    for (double & value : values) {
      value = draw();
    }
    return values;
  }
  /// Values that no correct sender sends.
  double bad()
  {
    constexpr std::array<double, 8> values{nan,    infinity, -infinity, 1e308,
                                           -1e308, 1e12,     -1e7,      5e-324};
    return values.at(static_cast<std::size_t>(below(8)));
  }

private:
  std::mt19937_64 random_;
};

ControlModel make_model()
{
  dynid::MechanismDescription description;
  description.urdf_xml = arm_urdf;
  description.joints = {"one", "two"};
  const auto & coulomb = dynid::term_kind("coulomb");
  description.terms = {
    {&coulomb, 0, dynid::TermSide::joint}, {&coulomb, 1, dynid::TermSide::joint}};
  VectorXd parameters = dynid::Mechanism(description).urdf_parameters();
  parameters.tail(2) << 1.0, 0.3;
  return {description, parameters, VectorXd::Constant(drives, 0.02), false};
}

dynid::CollisionSettings draw_collision(Dice & dice, double rate)
{
  dynid::CollisionSettings settings;
  settings.control_rate = rate;
  settings.torque_error_enable = dice.each([&] { return dice.one_in(2) ? 1.0 : 0.0; });
  settings.torque_error_time_constant = dice.each([&] { return dice.scale_or(0.0, 1e-4, 60.0); });
  settings.torque_error_max = dice.each([&] { return dice.scale_or(infinity, 0.1, 1e4); });
  settings.velocity_factor = dice.each([&] { return dice.scale_or(0.0, 1e-3, 1e3); });
  settings.acceleration_factor = dice.each([&] { return dice.scale_or(0.0, 1e-3, 1e3); });
  settings.reversal_boost = dice.each([&] { return dice.scale_or(0.0, 1e-2, 1e3); });
  settings.low_speed = dice.each([&] { return dice.scale_or(0.0, 1e-3, 10.0); });
  settings.boost_time = dice.scale_or(0.0, 1e-3, 60.0);
  settings.warn_fraction = dice.within(0.01, 1.0);
  settings.acceleration_step = dice.each([&] { return dice.scale_or(infinity, 1e-2, 1e3); });
  settings.debounce_time = dice.scale_or(0.0, 1e-3, 1.0);
  settings.torque_threshold =
    dice.each([&] { return dice.one_in(2) ? infinity : dice.scale(1, 1e5); });
  return settings;
}

ControlLawSettings draw_settings(Dice & dice)
{
  ControlLawSettings settings;
  const double rate = dice.one_in(10) ? dice.scale(10.0, 1e5) : dice.scale(100.0, 4000.0);
  auto & torque = settings.feedforward;
  torque.control_rate = rate;
  torque.additive_torque_delay = dice.below(20);
  torque.ramp_time = dice.scale_or(0.0, 1e-3, 60.0);
  torque.torque_max = dice.each([&] { return dice.scale_or(0.0, 0.1, 1e3); });
  torque.position_jump = dice.each([&] { return dice.scale_or(infinity, 1e-5, 1.0); });
  torque.acceleration_jump = dice.each([&] { return dice.scale_or(infinity, 0.1, 1e6); });
  settings.collision = draw_collision(dice, rate);
  settings.torque_error_delay = dice.below(20) - 1;
  settings.method =
    dice.one_in(2) ? dynid::DetectionMethod::momentum : dynid::DetectionMethod::torque_error;
  settings.observer_gain = dice.scale(0.01, rate);
  settings.reaction =
    dice.one_in(2) ? dynid::CollisionReaction::hold : dynid::CollisionReaction::decelerate;
  settings.deceleration = dice.each([&] { return dice.scale(1e-3, 1e6); });
  settings.reference_tolerance =
    dice.each([&] { return dice.one_in(4) ? infinity : dice.scale_or(0.0, 1e-6, 10.0); });
  auto & limits = settings.limits;
  limits.position_min = dice.each([&] { return dice.scale_or(infinity, 0.01, 7.0); }) * -1.0;
  limits.position_max = dice.each([&] { return dice.scale_or(infinity, 0.01, 7.0); });
  limits.velocity_max = dice.each([&] { return dice.scale_or(infinity, 1e-3, 1e2); });
  limits.acceleration_max = dice.each([&] { return dice.scale_or(infinity, 1e-2, 1e4); });
  settings.max_age = dice.scale(1e-3, 10.0);
  settings.extrapolation_time = dice.one_in(3) ? dice.scale(1e-3, 0.3) : 0.0;
  settings.supervision.longest_blind_stop = dice.scale_or(infinity, 1e-2, 10.0);
  settings.model_check.enabled = dice.one_in(2);
  return settings;
}

/// References of a trajectory controller, and invalid ones.
class References
{
public:
  References(Dice & dice, const ControlLawSettings & settings) : dice_(dice), settings_(settings)
  {
    change(VectorXd::Zero(drives));
  }

  /// The reference after this time [s]; initially at the command.
  const Reference & next(double time, const VectorXd & command)
  {
    if (--left_ <= 0) {
      change(command);
    }
    now_ += measured_ ? time : 1.0 / settings_.feedforward.control_rate;
    for (Eigen::Index i = 0; i < drives; ++i) {
      const double w = rate_[i];
      made_.position[i] = centre_[i] + size_[i] * std::sin(w * now_ + phase_[i]);
      made_.velocity[i] = factor_ * w * size_[i] * std::cos(w * now_ + phase_[i]);
      made_.acceleration[i] = -w * w * size_[i] * std::sin(w * now_ + phase_[i]);
      if (dice_.one_in(badness_)) {
        made_.position[i] = dice_.one_in(3) ? dice_.bad() : made_.position[i] + dice_.within(-1, 1);
      }
      if (dice_.one_in(badness_)) {
        made_.velocity[i] = dice_.one_in(2) ? dice_.bad() : 57.3 * made_.velocity[i];
      }
      if (dice_.one_in(badness_)) {
        made_.acceleration[i] = dice_.bad();
      }
    }
    return made_;
  }

private:
  /// A sine that starts at the command (or not), from within all limits to far beyond.
  void change(const VectorXd & command)
  {
    left_ = 1 + dice_.below(dice_.one_in(3) ? 30 : 1000);
    now_ = 0.0;
    measured_ = dice_.one_in(2);
    constexpr std::array<double, 6> factors{1.0, 1.0, 1.0, 0.0, 57.3, -1.0};
    factor_ = factors.at(static_cast<std::size_t>(dice_.below(6)));
    badness_ = dice_.one_in(8) ? 20 : dice_.one_in(2) ? 2000 : 1'000'000;
    const bool elsewhere = dice_.one_in(10);
    const double excess = dice_.one_in(2) ? 0.9 : dice_.scale(0.1, 100.0);
    for (Eigen::Index i = 0; i < drives; ++i) {
      const auto & limits = settings_.limits;
      const double v = std::min(limits.velocity_max[i], 5.0) * excess;
      const double a = std::min(limits.acceleration_max[i], 50.0) * excess;
      size_[i] = dice_.one_in(4) ? 0.0 : dice_.scale(1e-4, 3.0) * (dice_.one_in(2) ? 1.0 : -1.0);
      const double size = std::abs(size_[i]);
      rate_[i] = size > 0.0 ? std::min(v / size, std::sqrt(a / size)) : 0.0;
      phase_[i] = -std::acos(0.0);  // begins at rest
      centre_[i] = command[i] + size_[i] + (elsewhere ? dice_.within(-0.3, 0.3) : 0.0);
    }
  }

  Dice & dice_;
  const ControlLawSettings & settings_;
  Reference made_{VectorXd::Zero(drives), VectorXd::Zero(drives), VectorXd::Zero(drives)};
  VectorXd centre_ = VectorXd::Zero(drives);
  VectorXd size_ = centre_;
  VectorXd rate_ = centre_;
  VectorXd phase_ = centre_;
  double now_ = 0.0;
  double factor_ = 1.0;
  bool measured_ = true;  // the reference is where it is after the time that has passed
  int badness_ = 20;
  int left_ = 0;
};

/// Violations found, and counts of events.
struct Findings
{
  long not_finite = 0;
  long beyond_position = 0;
  long beyond_velocity = 0;
  long beyond_acceleration = 0;
  long no_braking = 0;  // after a collision
  long beyond_torque = 0;
  long allocations = 0;
  long found_pushes = 0;
  long missed_pushes = 0;
  long as_wanted = 0;
  long moving = 0;
  double furthest = 0.0;  // change of step beyond acceleration_max, as a share of it
  std::map<int, long> inactive_cycles;
  std::map<std::string, long> causes;
  std::vector<float> times;  // [ns]

  [[nodiscard]] long bad() const
  {
    return not_finite + beyond_position + beyond_velocity + beyond_acceleration + no_braking +
           beyond_torque + allocations + missed_pushes;
  }
};

/// Checks commands, using only latched() besides.
class Checker
{
public:
  Checker(const ControlLawSettings & settings, const VectorXd & start, Findings & findings)
  : settings_(settings), findings_(findings), position_(start), step_(VectorXd::Zero(drives))
  {
  }

  /// After update() and before reset(), with the cycles in which the drives moved on by themselves.
  void look(const ControlLaw & law, int coasted)
  {
    if (coasted < 0) {
      findings_.beyond_velocity += law.position_command() == position_ ? 0 : 1;
      return;
    }
    const auto & limits = settings_.limits;
    const double rate = settings_.feedforward.control_rate;
    const auto & command = law.position_command();
    const auto & torque = law.torque_offset();
    findings_.not_finite += command.allFinite() && torque.allFinite() ? 0 : 1;
    for (Eigen::Index i = 0; i < drives; ++i) {
      const double p = command[i];
      const double was = position_[i];
      const double step = p - was;
      const double rounded = 8.0 * epsilon * (std::abs(p) + std::abs(was) + std::abs(step_[i]));
      const bool within =
        p <= std::max(was, limits.position_max[i]) && p >= std::min(was, limits.position_min[i]);
      findings_.beyond_position += within ? 0 : 1;
      const double fastest = (1 + coasted) * limits.velocity_max[i] / rate;
      findings_.beyond_velocity += std::abs(step) <= (1.0 + rate_share) * fastest + rounded ? 0 : 1;
      const double hardest = limits.acceleration_max[i] / rate / rate;
      const double change = std::abs(step - step_[i]) - 2.0 * rounded;
      if (coasted > 0 || coasted_ > 0) {
        // the change of a single step is not known
      } else if (law.latched()) {
        const bool slower = std::abs(step) <= std::abs(step_[i]) + rounded;
        findings_.no_braking += slower ? 0 : 1;
      } else {
        findings_.beyond_acceleration += change <= (1.0 + change_share) * hardest ? 0 : 1;
        findings_.furthest = std::max(findings_.furthest, change / hardest - 1.0);
      }
      findings_.beyond_torque += std::abs(torque[i]) <= settings_.feedforward.torque_max[i] ? 0 : 1;
      findings_.moving += step != 0.0 ? 1 : 0;
      step_[i] = step;
    }
    position_ = command;
    coasted_ = coasted;
  }

private:
  const ControlLawSettings & settings_;
  Findings & findings_;
  VectorXd position_;
  VectorXd step_;
  int coasted_ = 0;
};

double thread_time()
{
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

double draw_time(Dice & dice, double period, int evenness)
{
  switch (dice.below(evenness)) {
    case 0:
      return dice.scale(1e-4, 0.3);
    case 1:
      return dice.one_in(50) ? dice.bad() : 0.0;
    case 2:
    case 3:
    case 4:
    case 5:
      return period * dice.within(0.9, 1.1);
    default:
      return period;
  }
}

/// Cycles in which the drives of a law move on by themselves, counted as it does; -1 where they
/// have not taken the last command yet.
class Coasting
{
public:
  explicit Coasting(const ControlLawSettings & settings)
  : most_(static_cast<int>(settings.extrapolation_time * settings.feedforward.control_rate + 1e-9))
  {
  }

  int pass(double cycles) { return most_ > 0 ? std::min(clock_.pass(cycles) - 1, most_) : 0; }
  void restart() { clock_.restart(); }

private:
  int most_;
  dynid::DriveClock clock_;
};

enum class Answer
{
  found,
  missed,
  excused  ///< the law was stopped, or says that it does not evaluate the drive
};

/// What a law at rest makes of a push of three times the threshold on a drive.
Answer push(
  Dice & dice, ControlLaw & law, const ControlLawSettings & settings,
  const dynid::CollisionSettings & collision, ControlModel * model)
{
  const double rate = settings.feedforward.control_rate;
  const auto pushed = static_cast<Eigen::Index>(dice.below(drives));
  const VectorXd none = VectorXd::Zero(drives);
  const Reference rest{law.position_command(), none, none};
  Feedback measured{law.position_command(), none, none};
  if (model != nullptr) {
    model->torque(dynid::FeedforwardMode::full, rest.position, none, none, measured.torque);
  }
  const bool observes = settings.method == dynid::DetectionMethod::momentum;
  const double settles = 6.0 * collision.torque_error_time_constant[pushed] +
                         (observes ? 6.0 / settings.observer_gain : 0.0);
  const double wait = rate * (0.2 + collision.debounce_time + settles);
  if (wait > 20'000.0) {
    return Answer::excused;
  }
  const VectorXd quiet = measured.torque;
  const auto cycle = [&](double torque) {
    measured.torque = quiet;
    measured.torque[pushed] -= torque;
    measured.torque.array() += dice.within(-1e-9, 1e-9);
    law.update(rest, measured);
    return law.latched();
  };
  for (int k = 0; k < 50; ++k) {
    if (cycle(0.0)) {
      return Answer::excused;
    }
  }
  const bool errors = dynid::watches_errors(collision, pushed) && model != nullptr;
  const double threshold =
    errors ? law.detector().threshold()[pushed] : collision.torque_threshold[pushed];
  const double size = 3.0 * threshold + (errors ? 0.0 : std::abs(quiet[pushed]));
  if (!std::isfinite(size)) {
    return Answer::excused;
  }
  for (double evaluated = 0.0, k = 0.0; evaluated < wait && k < 3.0 * wait; k += 1.0) {
    if (cycle(size)) {
      return Answer::found;
    }
    const auto reason = law.supervision().reason(pushed);
    evaluated += reason == dynid::BlindReason::none ? 1.0 : 0.0;
    if (evaluated >= wait) {
      return Answer::missed;
    }
  }
  return Answer::excused;
}

/// One control law with random settings, for some cycles.
void run(Dice & dice, long cycles, ControlModel & model, ControlModel & other, Findings & findings)
{
  const auto settings = draw_settings(dice);
  const double rate = settings.feedforward.control_rate;
  ControlLaw law(drives, settings);
  VectorXd start = dice.each([&] { return dice.within(-0.01, 0.01); });
  if (dice.one_in(5)) {  // outside of the limits, perhaps
    start = dice.each([&] { return dice.within(-9.0, 9.0); });
  }
  ControlModel * used = dice.one_in(5) ? nullptr : &model;
  law.use(used);
  law.start(start);
  Coasting coasting(settings);
  References references(dice, settings);
  Checker checker(settings, start, findings);
  Feedback feedback{start, VectorXd::Zero(drives), VectorXd::Zero(drives)};
  const int lost = dice.one_in(2) ? 1'000'000 : 100;
  const int evenness = dice.one_in(3) ? 20 : 10'000;
  int frozen = 0;
  auto in_use = settings.collision;
  for (long k = 0; k < cycles; ++k) {
    const double time = draw_time(dice, 1.0 / rate, evenness);
    const auto & reference =
      references.next(std::isfinite(time) ? time : 0.0, law.position_command());
    frozen = dice.one_in(20'000) ? 500 : frozen - 1;
    if (frozen < 0) {
      for (Eigen::Index i = 0; i < drives; ++i) {
        feedback.position[i] = law.position_command()[i] + dice.within(-1e-3, 1e-3);
        feedback.velocity[i] = dice.one_in(lost) ? dice.bad() : reference.velocity[i];
        feedback.torque[i] = dice.one_in(lost) ? dice.bad() : dice.within(-10.0, 10.0);
      }
    }
    const auto collision = dice.one_in(5000) ? draw_collision(dice, rate) : settings.collision;
    double before = 0.0;
    double after = 0.0;
    findings.allocations += allocations_in([&] {
      before = thread_time();
      law.update(reference, feedback, time * rate);
      after = thread_time();
    });
    checker.look(law, coasting.pass(time * rate));
    findings.allocations += allocations_in([&] {
      if (law.latched() ? dice.one_in(50) : dice.one_in(1000)) {
        if (law.reset().answer == dynid::ResetAnswer::done) {
          coasting.restart();
        }
      }
      if (dice.one_in(2000)) {
        used = dice.one_in(3) ? nullptr : dice.one_in(2) ? &other : &model;
        law.use(used);
        law.set_payload({1.0, {0.1, 0.0, 0.0}, Eigen::Matrix3d::Identity()});
        law.set_gain(dice.within(-0.1, 1.1));
        law.set_mode(
          dice.one_in(2) ? dynid::FeedforwardMode::full : dynid::FeedforwardMode::semi_static);
        law.set_collision(collision);
        in_use = collision;
      }
    });
    findings.times.push_back(static_cast<float>(after - before));
    findings.as_wanted += law.position_command() == reference.position ? 1 : 0;
    ++findings.inactive_cycles[static_cast<int>(law.inactive_reason())];
    ++findings.causes[dynid::name_of(law.detector().collision().cause)];
  }
  const auto answer = push(dice, law, settings, in_use, used);
  findings.found_pushes += answer == Answer::found ? 1 : 0;
  findings.missed_pushes += answer == Answer::missed ? 1 : 0;
}

double quantile(std::vector<float> & values, double share)
{
  const auto at =
    values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

void print(Findings & found)
{
  const auto line = [](const std::string & name, long count) {
    std::cout << std::setw(12) << count << "  " << name << "\n";
  };
  line("commands that are not finite", found.not_finite);
  line("positions beyond a limit, and further out than before", found.beyond_position);
  line("steps beyond velocity_max", found.beyond_velocity);
  line("changes of step beyond acceleration_max", found.beyond_acceleration);
  line("steps after a collision that are longer than the one before", found.no_braking);
  line("torque offsets beyond torque_max", found.beyond_torque);
  line("allocations", found.allocations);
  line("pushes that were missed", found.missed_pushes);
  std::cout << "largest change of step: acceleration_max and " << found.furthest << " of it\n"
            << "on the way: " << found.as_wanted << " cycles whose command is the reference, "
            << found.moving << " steps other than 0; " << found.found_pushes << " pushes found\n";
  for (const auto & [reason, count] : found.inactive_cycles) {
    line(dynid::describe(static_cast<dynid::InactiveReason>(reason)), count);
  }
  for (const auto & [cause, count] : found.causes) {
    line("cycles with the collision's cause " + cause, count);
  }
  std::vector<float> clock(10'000);
  for (float & time : clock) {
    const double before = thread_time();
    time = static_cast<float>(thread_time() - before);
  }
  const double own = quantile(clock, 0.5);
  std::cout << std::fixed << std::setprecision(0) << "update(), thread CPU time [ns], without the "
            << "clock's own " << own << ":";
  for (const double share : {0.5, 0.99, 0.999, 1.0}) {
    std::cout << std::setprecision(1) << "  p" << 100.0 * share << " " << std::setprecision(0)
              << quantile(found.times, share) - own;
  }
  std::cout << "\n";
}

}  // namespace

int main(int count, char ** arguments)
{
  const long cycles = count > 1 ? std::stol(arguments[1]) : 10'000'000;
  const auto seed = count > 2 ? std::stoull(arguments[2]) : 1;
  Dice dice(seed);
  auto model = make_model();
  auto other = make_model();
  Findings findings;
  findings.times.reserve(static_cast<std::size_t>(cycles));
  for (long done = 0; done < cycles;) {
    const long some = std::min<long>(cycles - done, 1 + dice.below(20'000));
    run(dice, some, model, other, findings);
    done += some;
  }
  std::cout << cycles << " cycles, seed " << seed << "\n";
  print(findings);
  return findings.bad() == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
