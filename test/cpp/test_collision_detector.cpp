// When an error of the torque is a collision, and the observer that needs no acceleration.

#include "checks.hpp"
#include "control_under_test.hpp"
#include "dynid/momentum_observer.hpp"

namespace
{

using dynid::CollisionDetector;
using dynid::CollisionSettings;

CollisionLevel see(
  CollisionDetector & detector, double error, double torque = 0.0, double velocity = 0.0,
  double acceleration = 0.0)
{
  return detector.update(one(error), one(torque), one(velocity), one(acceleration));
}

void test_of_filter_and_debounce()
{
  auto settings = law_settings().collision;
  settings.torque_error_filter = one(0.5);
  CollisionDetector detector(1, settings);
  see(detector, 4.0);
  expect(detector.filtered_error()[0] == 2.0, "e_f <- f e_f + (1 - f) e");
  see(detector, 4.0);
  expect(detector.filtered_error()[0] == 3.0, "cycle by cycle");

  settings.torque_error_filter = zero;
  detector = CollisionDetector(1, settings);
  expect(see(detector, 3.0) == CollisionLevel::none, "a small error is none");
  expect(detector.warning().cause == CollisionCause::none, "of which nobody is warned");
  expect(see(detector, -4.0) == CollisionLevel::warn, "a larger one warns");
  expect(detector.warning().drive == 0 && detector.warning().value == -4.0, "of what is so large");
  see(detector, 6.0);
  see(detector, -6.0);
  see(detector, 4.0);
  see(detector, 6.0);
  expect(see(detector, 6.0) == CollisionLevel::warn, "two cycles in a row are not enough");
  expect(see(detector, 6.5) == CollisionLevel::stop, "three are");
  const auto & collision = detector.collision();
  expect(
    collision.cause == CollisionCause::torque_error && collision.drive == 0 &&
      collision.value == 6.5 && collision.threshold == 5.0 && collision.cycle == 7,
    "it is known what happened");
  expect(see(detector, 0.0) == CollisionLevel::stop, "it stays until it is reset");
  detector.reset();
  expect(see(detector, 0.0) == CollisionLevel::none, "and not after");
}

void test_of_thresholds()
{
  auto settings = law_settings().collision;
  settings.velocity_factor = one(2.0);
  settings.acceleration_factor = one(0.5);
  settings.reversal_boost = one(10.0);
  settings.boost_time = 0.002;
  CollisionDetector detector(1, settings);
  const auto at = [&](double v, double a) {
    see(detector, 0.0, 0.0, v, a);
    return detector.threshold()[0];
  };
  expect(at(0.5, 0.0) == 6.0, "it grows with velocity");
  expect(at(-0.5, 4.0) == 8.0, "and acceleration");
  expect(at(0.0, 0.0) == 15.0 && at(-0.05, 0.0) == 15.1, "it is boosted at rest");
  expect(at(0.5, 0.0) == 16.0 && at(0.5, 0.0) == 16.0, "and for a while after");
  expect(at(0.5, 0.0) == 6.0, "but not for ever");

  settings.torque_error_enable = zero;
  settings.torque_threshold = one(20.0);
  detector = CollisionDetector(1, settings);
  for (int k = 0; k < 10; ++k) {
    see(detector, 1000.0, 19.0);
  }
  expect(
    detector.collision().cause == CollisionCause::none, "a joint that is not enabled has no error");
  for (int k = 0; k < 3; ++k) {
    see(detector, 0.0, -21.0);
  }
  expect(
    detector.collision().cause == CollisionCause::torque_threshold,
    "the measured torque has a threshold of its own");
}

void test_of_blindness()
{
  CollisionDetector detector(1, law_settings().collision);
  see(detector, nan);
  see(detector, 0.0, infinity);
  expect(see(detector, 1.0) == CollisionLevel::none, "a lost measurement is not a collision");
  expect(detector.filtered_error()[0] == 1.0, "and leaves no trace");
  for (int k = 0; k < 3; ++k) {
    see(detector, 0.0, nan);
  }
  expect(detector.level() == CollisionLevel::none, "how long it may be lost is not decided here");
  detector.stop({CollisionCause::no_torque, 0, 0.2, 0.1});
  see(detector, 9.0);
  expect(
    detector.level() == CollisionLevel::stop &&
      detector.collision().cause == CollisionCause::no_torque,
    "who decides it can have it stop, for as long as a collision does");
}

/// A pendulum that falls freely from level, and is pushed by 3 N m from 0.5 s on.
void test_of_the_observer()
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
  expect(largest < 0.05, "the observer sees nothing where nothing is");
  expect(
    std::abs(at_time_constant - 3.0 * (1.0 - std::exp(-1.0))) < 0.05,
    "it follows a push as a first-order low-pass");
  expect(std::abs(last - 3.0) < 0.05, "and ends up at its torque");
}

void test_of_refusals()
{
  const auto refused = [](const std::function<void(CollisionSettings &)> & change) {
    auto settings = law_settings().collision;
    change(settings);
    try {
      CollisionDetector(1, settings);
    } catch (const std::invalid_argument & error) {
      return std::string(error.what());
    }
    return std::string();
  };
  expect(refused([](auto &) {}).empty(), "possible settings are taken");
  expect(
    refused([](auto & s) { s.torque_error_filter = one(1.0); }) ==
      "The setting torque_error_filter has 1, but must be 0 or above, and at most 1.",
    "a filter of 1 would never see anything");
  expect(
    refused([](auto & s) { s.torque_error_max = one(nan); }) ==
      "The setting torque_error_max has nan, but must be above 0.",
    "a threshold is a number");
  expect(
    refused([](auto & s) { s.low_speed = VectorXd::Zero(2); }) ==
      "The setting low_speed has 2 values, but must have 1, one for each drive.",
    "there is one for each drive");
}

}  // namespace

int main()
{
  test_of_filter_and_debounce();
  test_of_thresholds();
  test_of_blindness();
  test_of_the_observer();
  test_of_refusals();
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
