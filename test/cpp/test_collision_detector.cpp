// Detection of collisions from torque errors, and the observer that needs no acceleration.

#include <gtest/gtest.h>

#include <array>
#include <functional>

#include "control_under_test.hpp"
#include "dynid/momentum_observer.hpp"
#include "refusals.hpp"

namespace
{

using dynid::CollisionDetector;
using dynid::CollisionSettings;

CollisionLevel detect(
  CollisionDetector & detector, double error, double torque = 0.0, double velocity = 0.0,
  double acceleration = 0.0)
{
  return detector.update(one(error), one(torque), one(velocity), one(acceleration));
}

TEST(CollisionDetector, FiltersDebouncesAndLatches)
{
  auto settings = law_settings().collision;
  settings.torque_error_time_constant = one(0.001 / std::log(2.0));  // half of it in a cycle
  CollisionDetector detector(1, settings);
  detect(detector, 4.0);
  EXPECT_NEAR(detector.filtered_error()[0], 2.0, 1e-12) << "e_f <- f e_f + (1 - f) e";
  detect(detector, 4.0);
  EXPECT_NEAR(detector.filtered_error()[0], 3.0, 1e-12) << "cycle by cycle";

  settings.torque_error_time_constant = zero;
  detector = CollisionDetector(1, settings);
  EXPECT_EQ(detect(detector, 3.0), CollisionLevel::none) << "a small error is not a collision";
  EXPECT_EQ(detector.warning().cause, CollisionCause::none) << "and gives no warning";
  EXPECT_EQ(detect(detector, -4.0), CollisionLevel::warn) << "a larger one warns";
  EXPECT_EQ(detector.warning().drive, 0) << "and names the drive";
  EXPECT_EQ(detector.warning().value, -4.0);
  detect(detector, 6.0);
  EXPECT_EQ(detect(detector, -6.0), CollisionLevel::warn) << "two cycles above it are not enough";
  for (int k = 0; k < 4; ++k) {
    detect(detector, 4.0);
  }
  detect(detector, 6.0);
  EXPECT_EQ(detect(detector, 6.0), CollisionLevel::warn) << "nor two others some time later";
  EXPECT_EQ(detect(detector, 6.5), CollisionLevel::stop) << "three are";
  const auto & collision = detector.collision();
  EXPECT_EQ(collision.cause, CollisionCause::torque_error) << "its cause is reported";
  EXPECT_EQ(collision.drive, 0);
  EXPECT_EQ(collision.value, 6.5);
  EXPECT_EQ(collision.threshold, 5.0);
  EXPECT_EQ(collision.cycle, 10);
  EXPECT_EQ(detect(detector, 0.0), CollisionLevel::stop) << "it stays latched until it is reset";
  detector.reset();
  EXPECT_EQ(detect(detector, 0.0), CollisionLevel::none) << "and not after";
}

TEST(CollisionDetector, ThresholdsGrowWithMotionAndAtReversals)
{
  auto settings = law_settings().collision;
  settings.velocity_factor = one(2.0);
  settings.acceleration_factor = one(0.5);
  settings.reversal_boost = one(10.0);
  settings.boost_time = 0.002;
  CollisionDetector detector(1, settings);
  const auto at = [&](double v, double a) {
    detect(detector, 0.0, 0.0, v, a);
    return detector.threshold()[0];
  };
  EXPECT_EQ(at(0.5, 0.0), 6.0) << "it grows with velocity";
  EXPECT_EQ(at(-0.5, 4.0), 8.0) << "and acceleration";
  EXPECT_EQ(at(0.0, 0.0), 15.0) << "it is boosted at rest";
  EXPECT_EQ(at(-0.05, 0.0), 15.1);
  EXPECT_EQ(at(0.5, 0.0), 16.0) << "and for boost_time after";
  EXPECT_EQ(at(0.5, 0.0), 16.0);
  EXPECT_EQ(at(0.5, 0.0), 6.0) << "but not longer";

  settings.torque_error_enable = zero;
  settings.torque_threshold = one(20.0);
  detector = CollisionDetector(1, settings);
  for (int k = 0; k < 10; ++k) {
    detect(detector, 1000.0, 19.0);
  }
  EXPECT_EQ(detector.collision().cause, CollisionCause::none)
    << "a joint that is not enabled has no error";
  for (int k = 0; k < 3; ++k) {
    detect(detector, 0.0, -21.0);
  }
  EXPECT_EQ(detector.collision().cause, CollisionCause::torque_threshold)
    << "the measured torque has a threshold of its own";
}

/// Whether a value for each cycle is a collision within a second, as a torque error at a threshold
/// of 5, and as a measured torque at the same.
bool is_collision(const std::function<double(int)> & value)
{
  std::array<bool, 2> found{};
  for (const bool error : {false, true}) {
    auto settings = law_settings().collision;
    settings.torque_threshold = one(5.0);
    CollisionDetector detector(1, settings);
    for (int k = 0; k < 1000; ++k) {
      detect(detector, error ? value(k) : 0.0, error ? 0.0 : value(k));
    }
    found.at(error ? 1 : 0) = detector.level() == CollisionLevel::stop;
  }
  EXPECT_EQ(found[0], found[1]);
  return found[0];
}

/// above(k): whether cycle k of a period is
auto at(double size, int period, const std::function<bool(int)> & above)
{
  return [=](int k) { return above(k % period) ? size : 0.0; };
}

TEST(CollisionDetector, FindsErrorsThatAlternateAroundTheThreshold)
{
  const auto first = [](int cycles) { return [cycles](int k) { return k < cycles; }; };
  EXPECT_TRUE(is_collision(at(15.0, 2, first(1))))
    << "three times the threshold every second cycle";
  EXPECT_TRUE(is_collision(at(15.0, 5, first(2)))) << "bursts of two cycles";
  EXPECT_TRUE(is_collision([](int k) { return 6.0 + 5.0 * std::sin(2.5 * k); }))
    << "a vibration whose mean is above the threshold";
  EXPECT_FALSE(is_collision(at(15.0, 3, first(1)))) << "a third of the time is not enough";
  EXPECT_FALSE(is_collision(at(15.0, 20, first(2)))) << "nor are bursts far apart";
  EXPECT_FALSE(is_collision([](int k) { return 3.8 + 1.4 * std::sin(2.5 * k); }))
    << "nor a vibration whose mean is below";
}

/// Results of a detector for one course of torque error and acceleration over time, at a rate.
struct Course
{
  double filtered = 0.0;   // 40 ms after the error's onset
  double found = -1.0;     // when it was a collision [s]
  bool glitch = false;     // whether 8 ms of error were one
  double raised = -1.0;    // when the threshold was raised by abrupt acceleration [s]
  double unraised = -1.0;  // when no longer
};

Course course(double rate)
{
  auto settings = law_settings().collision;
  settings.control_rate = rate;
  settings.torque_error_time_constant = one(0.02);
  settings.debounce_time = 0.012;
  CollisionDetector detector(1, settings);
  Course found;
  const double dt = 1.0 / rate;
  const auto cycles = [&](double time) { return static_cast<int>(std::lround(time * rate)); };
  for (int k = 1; k <= cycles(0.4); ++k) {
    detect(detector, k > cycles(0.1) ? 8.0 : 0.0, 0.0, 1.0);
    found.filtered = k == cycles(0.14) ? detector.filtered_error()[0] : found.filtered;
    if (found.found < 0.0 && detector.level() == CollisionLevel::stop) {
      found.found = k * dt;
    }
  }
  settings.torque_error_time_constant = zero;
  settings.reversal_boost = one(10.0);
  settings.acceleration_step = one(2.0);
  settings.boost_time = 0.1;
  detector = CollisionDetector(1, settings);
  for (int k = 1; k <= cycles(1.0); ++k) {
    const double acceleration = std::clamp(100.0 * (k * dt - 0.2), 0.0, 5.0);  // within 50 ms
    detect(detector, k > cycles(0.1) && k <= cycles(0.108) ? 8.0 : 0.0, 0.0, 1.0, acceleration);
    found.glitch = found.glitch || detector.level() == CollisionLevel::stop;
    const bool raised = detector.threshold()[0] > 10.0;
    found.raised = found.raised < 0.0 && raised ? k * dt : found.raised;
    found.unraised = raised ? k * dt : found.unraised;
  }
  return found;
}

TEST(CollisionDetector, IsIndependentOfTheControlRate)
{
  const double cycle = 0.004 + 1e-9;  // of the slowest
  const auto fast = course(1000.0);
  EXPECT_NEAR(fast.filtered, 8.0 * (1.0 - std::exp(-2.0)), 1e-12) << "a first-order low-pass";
  // 8 (1 - exp(-t / 0.02)) > 5 from 19.6 ms on, and 12 ms more
  EXPECT_NEAR(fast.found, 0.132, 0.002)
    << "a collision is detected after filter and debounce times";
  EXPECT_GT(fast.raised, 0.2) << "abrupt acceleration raises the threshold";
  EXPECT_LT(fast.raised, 0.25);
  // |a - mean| = 3.9 exp(-t / 0.1) after the ramp's end is below 2 after 68 ms; 100 ms more
  EXPECT_NEAR(fast.unraised, 0.418, 0.01) << "until it has lasted, and for boost_time after";
  for (const double rate : {250.0, 500.0}) {
    const auto slow = course(rate);
    EXPECT_NEAR(slow.filtered, fast.filtered, 1e-12)
      << "the filtered error is the same at any rate";
    EXPECT_NEAR(slow.found, fast.found, cycle) << "a collision is found at the same time";
    EXPECT_NEAR(slow.raised, fast.raised, cycle) << "thresholds rise at the same time";
    EXPECT_NEAR(slow.unraised, fast.unraised, 2.0 * cycle) << "and fall";
    EXPECT_FALSE(slow.glitch) << "8 ms of error are not a collision";
    EXPECT_FALSE(fast.glitch);
  }
}

TEST(CollisionDetector, AbruptMotionOfOneJointRaisesAllThresholds)
{
  auto settings = law_settings().collision;
  const VectorXd both = VectorXd::Ones(2);
  for (auto * values :
       {&settings.torque_error_enable, &settings.torque_error_max, &settings.reversal_boost,
        &settings.acceleration_step}) {
    *values = both;
  }
  for (auto * values :
       {&settings.torque_error_time_constant, &settings.velocity_factor,
        &settings.acceleration_factor, &settings.low_speed}) {
    *values = 0.0 * both;
  }
  settings.torque_threshold = infinity * both;
  CollisionDetector detector(2, settings);
  const VectorXd still = 0.0 * both;
  detector.update(still, still, both, still);
  EXPECT_EQ(detector.threshold(), both) << "smooth motion raises no threshold";
  detector.update(still, still, both, Eigen::Vector2d(0.0, -1.5));
  EXPECT_EQ(detector.threshold(), 2.0 * both)
    << "an abrupt stop of one joint raises the thresholds of all";
}

TEST(CollisionDetector, ThresholdsAtRestAreNotBelowFriction)
{
  auto settings = law_settings().collision;
  settings.reversal_boost = one(1.0);
  settings.boost_time = 0.0;
  CollisionDetector detector(1, settings);
  detector.set_friction(one(8.0));
  detect(detector, 0.0, 0.0, 0.0);
  EXPECT_EQ(detector.threshold()[0], 8.0) << "at rest the threshold is not below friction";
  detect(detector, 0.0, 0.0, 0.5);
  EXPECT_EQ(detector.threshold()[0], 5.0) << "but in motion, where the model has the friction";

  auto low = law_settings();
  low.collision.torque_error_max = one(0.3);
  low.collision.low_speed = one(0.1);
  auto model = pendulum_model();  // with 1 N m of it
  ControlLaw law(1, low);
  law.use(&model);
  law.start(zero);
  law.update(reference(0.0), feedback(torque_of(0, 0, 0)));
  EXPECT_EQ(law.detector().threshold()[0], 1.0) << "the law takes it from its model";
  law.use(nullptr);
  law.update(reference(0.0), feedback(torque_of(0, 0, 0)));
  EXPECT_EQ(law.detector().threshold()[0], 0.3) << "and has none without the model";
}

/// Terms whose dry friction can be computed by hand.
TEST(CollisionDetector, DryFrictionOfAllTermsIsKnown)
{
  dynid::MechanismDescription description;
  description.urdf_xml = pendulum_urdf;
  description.joints = {"axis"};
  const auto term = [](const char * kind, double scale = 0.0) {
    dynid::JointTerm made{&dynid::term_kind(kind), 0, dynid::TermSide::joint};
    made.scale = scale;
    return made;
  };
  description.terms = {term("coulomb"),          term("coulomb_positive"),
                       term("coulomb_negative"), term("presliding", 1e-3),
                       term("coulomb_load"),     term("stribeck", 0.1),
                       term("viscous"),          term("offset")};
  const auto bare = dynid::Mechanism(description).urdf_parameters();
  const auto friction = [&](const std::vector<double> & terms, double q = 0.0) {
    VectorXd parameters = bare;
    parameters.tail(8) = Eigen::Map<const VectorXd>(terms.data(), 8);
    ControlModel model(description, parameters, one(0.01), false);
    VectorXd tau(1);
    model.torque(dynid::FeedforwardMode::full, one(q), zero, zero, tau);
    model.dry_friction(tau);
    return tau[0];
  };
  constexpr double tolerance = 1e-12;
  EXPECT_NEAR(friction({1, 0, 0, 2, 0, 0.5, 0, 0}), 3.5, tolerance)
    << "terms that act together are summed";
  EXPECT_NEAR(friction({1, 3, 2, 0, 0, 0, 0, 0}), 4.0, tolerance)
    << "of two directions the larger one counts";
  EXPECT_NEAR(friction({0, 0, 0, 0, 0.1, 0, 0, 0}), 0.1 * weight, tolerance)
    << "of the load at this pose";
  EXPECT_LT(std::abs(friction({0, 0, 0, 0, 0.1, 0, 0, 0}, std::acos(-1.0) / 2)), 1e-6)
    << "none where it hangs down";
  EXPECT_EQ(friction({0, 0, 0, 0, 0, 0, 5, 5}), 0.0) << "viscous friction and offsets are not dry";
}

TEST(CollisionDetector, SkipsInvalidSamples)
{
  CollisionDetector detector(1, law_settings().collision);
  detect(detector, nan);
  detect(detector, 0.0, infinity);
  EXPECT_EQ(detect(detector, 1.0), CollisionLevel::none) << "a lost measurement is not a collision";
  EXPECT_EQ(detector.filtered_error()[0], 1.0) << "and does not change the filter";
  for (int k = 0; k < 3; ++k) {
    detect(detector, 0.0, nan);
  }
  EXPECT_EQ(detector.level(), CollisionLevel::none)
    << "the detector does not limit how long it may be lost";
  detector.stop({CollisionCause::no_torque, 0, 0.2, 0.1});
  detect(detector, 9.0);
  EXPECT_EQ(detector.level(), CollisionLevel::stop)
    << "a caller can stop it, latched like a collision";
  EXPECT_EQ(detector.collision().cause, CollisionCause::no_torque);
}

/// A pendulum that falls freely from horizontal, with an external torque of 3 N m from 0.5 s on.
TEST(CollisionDetector, MomentumObserverFollowsAnExternalTorque)
{
  auto model = pendulum_model();
  dynid::MomentumObserver observer(1, 50.0, 10000.0);
  double q = 0.0;
  double dq = 0.0;
  double largest = 0.0;
  double at_time_constant = 0.0;
  const double dt = 1e-4;
  for (int k = 0; k < 10000; ++k) {
    const double external = k >= 5000 ? 3.0 : 0.0;
    const double tau = 2.0 * std::sin(0.002 * k);
    const double seen = observer.update(model, one(q), one(dq), one(tau))[0];
    if (k < 5000) {
      largest = std::max(largest, std::abs(seen));
    }
    at_time_constant = k == 5200 ? seen : at_time_constant;
    const double ddq = (tau + external + weight * std::cos(q) - std::tanh(dq / 0.01)) / inertia;
    dq += dt * ddq;
    q += dt * dq;
  }
  const double last = observer.update(model, one(q), one(dq), one(2.0 * std::sin(20.0)))[0];
  EXPECT_LT(largest, 0.05) << "without external torque the observer is near 0";
  EXPECT_NEAR(at_time_constant, 3.0 * (1.0 - std::exp(-1.0)), 0.05)
    << "it follows the external torque as a first-order low-pass";
  EXPECT_NEAR(last, 3.0, 0.05) << "and converges to it";
}

TEST(CollisionDetector, RefusesInvalidSettings)
{
  const auto refused = [](const std::function<void(CollisionSettings &)> & change) {
    auto settings = law_settings().collision;
    change(settings);
    return refusal_of([&] { CollisionDetector(1, settings); });
  };
  EXPECT_TRUE(refused([](auto &) {}).empty()) << "valid settings are accepted";
  EXPECT_FALSE(refused([](auto & s) { s.torque_error_time_constant = one(-0.1); }).empty())
    << "times are not negative, and a filter's time constant is finite";
  EXPECT_FALSE(refused([](auto & s) { s.torque_error_time_constant = one(infinity); }).empty());
  EXPECT_FALSE(refused([](auto & s) { s.debounce_time = -1.0; }).empty());
  EXPECT_FALSE(refused([](auto & s) { s.acceleration_step = zero; }).empty());
  EXPECT_EQ(
    refused([](auto & s) { s.torque_error_max = one(nan); }),
    "The setting torque_error_max is nan, but must be above 0.")
    << "a threshold is a number";
  EXPECT_EQ(
    refused([](auto & s) { s.low_speed = VectorXd::Zero(2); }),
    "The setting low_speed has 2 values, but must have 1, one for each drive.")
    << "there is one for each drive";
}

}  // namespace
