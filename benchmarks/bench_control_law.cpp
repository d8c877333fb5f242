// Cost of the control law's cycle with six joints, without ROS, against pinocchio's bare recursive
// Newton-Euler algorithm for the same robot in the same run: by the system's clock, and by the time
// of this thread alone, which other processes do not lengthen. Arguments: a URDF, cycles, and one
// of torque_error, momentum (methods of detection) and elastic (joints, by torque errors); without
// it, all.
//
// Instructions of a cycle of one method, which no load of the machine changes, are those of
//   valgrind --tool=callgrind --collect-atstart=no --toggle-collect='dynid::ControlLaw::update*'
// divided by twice the cycles, because they run once by each clock; those of the reference are the
// same with --toggle-collect='*pinocchio::impl::rnea*'.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <string>

#include "control_cycles.hpp"
#include "dynid/control_law.hpp"

namespace
{

using control_cycles::joint_count;

Eigen::VectorXd all(double value) { return Eigen::VectorXd::Constant(joint_count, value); }

struct Variant
{
  const char * name;
  const char * what;
  dynid::DetectionMethod method;
  bool elastic;
};

constexpr std::array<Variant, 3> variants{{
  {"torque_error", "ControlLaw::update, torque error", dynid::DetectionMethod::torque_error, false},
  {"momentum", "ControlLaw::update, momentum observer", dynid::DetectionMethod::momentum, false},
  {"elastic", "ControlLaw::update, elastic joints", dynid::DetectionMethod::torque_error, true},
}};

dynid::ControlLawSettings settings(const Variant & variant)
{
  const double infinity = std::numeric_limits<double>::infinity();
  dynid::ControlLawSettings law;
  law.method = variant.method;
  if (variant.elastic) {
    law.elastic.elastic_cutoff = 15.0;
    law.elastic.stiffness = all(2e4);
    law.elastic.rotor_inertia = all(0.5);
    law.elastic.backlash = all(1e-4);
    law.model_monitor.model_check = false;  // the simulated torque is not late by the filter
  }
  law.feedforward.torque_max = all(500.0);
  law.feedforward.position_jump = all(0.05);
  law.feedforward.acceleration_jump = all(1e3);
  law.collision.torque_error_enable = all(1.0);
  law.collision.torque_error_time_constant = all(0.01);
  law.collision.torque_error_max = all(1e6);
  law.collision.velocity_factor = all(1.0);
  law.collision.acceleration_factor = all(0.0);
  law.collision.reversal_boost = all(0.0);
  law.collision.low_speed = all(0.01);
  law.collision.acceleration_step = all(infinity);
  law.collision.torque_threshold = all(infinity);
  law.deceleration = all(10.0);
  law.reference_tolerance = all(0.1);
  law.limits.position_min = all(-3.0);
  law.limits.position_max = all(3.0);
  law.limits.velocity_max = all(5.0);
  law.limits.acceleration_max = all(1e3);
  return law;
}

/// A control law that follows a motion, and its inputs.
class Cycle
{
public:
  Cycle(const std::string & urdf, const Variant & variant)
  : model_(
      control_cycles::description(urdf),
      control_cycles::parameters(control_cycles::description(urdf)), all(0.02), false),
    robot_(
      control_cycles::description(urdf),
      control_cycles::parameters(control_cycles::description(urdf)), all(0.02), false),
    law_(joint_count, settings(variant))
  {
    law_.use(&model_);
    prepare(0);
    law_.start(motion_.q);
  }

  void prepare(int cycle)
  {
    motion_.move(cycle);
    reference_ = {motion_.q, motion_.dq, motion_.ddq};
    robot_.torque(dynid::FeedforwardMode::full, motion_.q, motion_.dq, motion_.ddq, torque_);
    feedback_ = {motion_.q, motion_.dq, torque_};
  }
  void run() { law_.update(reference_, feedback_); }
  [[nodiscard]] const dynid::ControlLaw & law() const { return law_; }

private:
  dynid::ControlModel model_;
  dynid::ControlModel robot_;  // of which the law's model is right
  Eigen::VectorXd torque_ = all(0.0);
  dynid::ControlLaw law_;
  control_cycles::Motion motion_;
  dynid::Reference reference_;
  dynid::Feedback feedback_;
};

}  // namespace

int main(int count, char ** arguments)
{
  const auto given = control_cycles::read_arguments(count, arguments, 200'000, 1);
  if (!given) {
    return 2;
  }
  const std::string wanted = count > 3 ? arguments[3] : "";
  const auto is_wanted = [&](const Variant & one) { return wanted.empty() || wanted == one.name; };
  if (std::none_of(variants.begin(), variants.end(), is_wanted)) {
    std::cerr << "The third argument is torque_error, momentum or elastic.\n";
    return 2;
  }
  for (const auto & variant : variants) {
    if (!is_wanted(variant)) {
      continue;
    }
    for (const auto clock : {CLOCK_MONOTONIC, CLOCK_THREAD_CPUTIME_ID}) {
      Cycle cycle(given->urdf, variant);
      const double checksum = control_cycles::compare(
        clock, given->cycles, given->urdf, variant.what, [&](int k) { cycle.prepare(k); },
        [&] { cycle.run(); }, [] {});
      if (!std::isfinite(checksum) || cycle.law().torque_offset().isZero(0.0)) {
        std::cerr << "The control law gave no torque.\n";
        return EXIT_FAILURE;
      }
    }
  }
  return EXIT_SUCCESS;
}
