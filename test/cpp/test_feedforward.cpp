// The additive torque: what it is, when it is sent, and when it is not.

#include "checks.hpp"
#include "control_under_test.hpp"

namespace
{

dynid::FeedforwardSettings settings(int delay, double ramp_time = 0.0)
{
  auto found = law_settings(delay).feedforward;
  found.ramp_time = ramp_time;
  return found;
}

double send(dynid::Feedforward & feedforward, double q, double dq = 0.0, double ddq = 0.0)
{
  return feedforward.update(one(q), one(dq), one(ddq))[0];
}

bool near(double a, double b) { return std::abs(a - b) < 1e-12 * (1.0 + std::abs(b)); }

void test_of_torque_and_delay()
{
  auto model = pendulum_model();
  for (const int delay : {0, 1, 3}) {
    dynid::Feedforward feedforward(1, settings(delay));
    feedforward.use(&model);
    bool right = true;
    for (int k = 0; k < 50; ++k) {
      const double q = 1e-3 * k;
      const double sent = send(feedforward, q, 1.0, 2.0);
      right = right && near(sent, k < delay ? 0.0 : torque_of(q - 1e-3 * delay, 1.0, 2.0));
    }
    expect(right, "what is sent is the torque of " + std::to_string(delay) + " cycles before");
  }
}

void test_of_limits_and_ramps()
{
  auto model = pendulum_model();
  dynid::Feedforward feedforward(1, settings(0, 0.1));
  feedforward.use(&model);
  double largest = 0.0;
  double before = 0.0;
  for (int k = 0; k < 100; ++k) {
    const double sent = send(feedforward, 0.0);
    largest = std::max(largest, std::abs(sent - before));
    before = sent;
  }
  expect(near(before, torque_of(0, 0, 0)), "after the ramp all of the torque is sent");
  expect(largest < 1.01 * weight / 100, "and on it never more than a hundredth at once");

  feedforward.set_gain(0.5);
  for (int k = 0; k < 100; ++k) {
    before = send(feedforward, 0.0);
  }
  expect(near(before, 0.5 * torque_of(0, 0, 0)), "a gain of one half sends half of it");
  feedforward.set_gain(nan);
  for (int k = 0; k < 100; ++k) {
    before = send(feedforward, 0.0);
  }
  expect(before == 0.0, "a gain that is no number sends none");
  feedforward.set_gain(1.0);
  for (int k = 0; k < 100; ++k) {
    before = send(feedforward, 0.0, 0.0, 900.0);
  }
  expect(before == 50.0, "torque_max is never exceeded");
}

void test_of_silence()
{
  auto model = pendulum_model();
  dynid::Feedforward feedforward(1, settings(2));
  expect(
    send(feedforward, 0.0) == 0.0 && feedforward.silence() == Silence::no_model,
    "without a model nothing is sent");
  feedforward.use(&model);
  const auto settle = [&] {
    for (int k = 0; k < 5; ++k) {
      send(feedforward, 0.0);
    }
    return near(send(feedforward, 0.0), torque_of(0, 0, 0));
  };
  expect(settle(), "with one it is");
  for (const double bad : {nan, infinity, -infinity}) {
    expect(
      send(feedforward, bad) == 0.0 && feedforward.silence() == Silence::not_finite && settle() &&
        send(feedforward, 0.0, bad) == 0.0 && settle() && send(feedforward, 0.0, 0.0, bad) == 0.0 &&
        settle(),
      "nothing is sent for a command of " + std::to_string(bad));
  }
  feedforward.update(one(0.03), zero, zero, 4.0);
  expect(feedforward.silence() == Silence::none, "a late cycle may bring a longer way");
  expect(
    send(feedforward, 0.5) == 0.0 && feedforward.silence() == Silence::command_jump,
    "nor after a jump of the command");
  expect(send(feedforward, 0.5) == 0.0, "and what it would have taken is not sent later");
  expect(
    send(feedforward, 0.5, 0.0, 1001.0) == 0.0 && feedforward.silence() == Silence::acceleration,
    "nor for an acceleration that no motion has");
  expect(
    send(feedforward, 0.5, 0.0, -1001.0) == 0.0 && feedforward.silence() == Silence::acceleration,
    "in either direction");

  dynid::Feedforward paused(1, settings(0));
  paused.use(&model);
  send(paused, 0.0);
  paused.update(one(0.99), zero, zero, 500.0);
  expect(paused.silence() == Silence::none, "a pause may bring the way of 100 cycles");
  paused.update(one(2.0), zero, zero, 500.0);
  expect(paused.silence() == Silence::command_jump, "but of no more, however long it was");
}

void test_of_going()
{
  auto model = pendulum_model();
  for (const bool taken : {true, false}) {
    dynid::Feedforward feedforward(1, settings(3, 0.1));
    feedforward.use(&model);
    for (int k = 0; k < 200; ++k) {
      send(feedforward, 0.0);
    }
    feedforward.use(taken ? nullptr : &model);
    double before = feedforward.torque_offset()[0];
    double largest = 0.0;
    for (int k = 0; k < 110; ++k) {
      const double sent =
        taken ? send(feedforward, 0.0) : feedforward.fade(Silence::uneven, zero, zero, zero)[0];
      largest = std::max(largest, std::abs(sent - before));
      before = sent;
    }
    const std::string name = taken ? "where the model is taken away" : "where the robot stops";
    expect(before == 0.0, name + " additive torque goes");
    expect(largest < 1.01 * weight / 100, "along its ramp");
    feedforward.use(&model);
    expect(std::abs(send(feedforward, 0.0)) < 1.01 * weight / 100, "as it comes again");
  }
}

void test_of_models()
{
  auto model = pendulum_model();
  auto other = pendulum_model();
  dynid::Payload payload;
  payload.mass = 1.0;
  payload.centre = {0.4, 0.0, 0.0};
  payload.inertia.diagonal() << 0.02, 0.03, 0.03;
  other.set_payload(payload);
  const double heavier = torque_of(0, 0, 0) - 9.81 * 0.4;
  dynid::Feedforward feedforward(1, settings(0, 0.1));
  feedforward.use(&model);
  for (int k = 0; k < 200; ++k) {
    send(feedforward, 0.0);
  }
  feedforward.use(&other);
  double before = torque_of(0, 0, 0);
  double largest = 0.0;
  for (int k = 0; k < 110; ++k) {
    const double sent = send(feedforward, 0.0);
    largest = std::max(largest, std::abs(sent - before));
    before = sent;
  }
  expect(near(before, heavier), "a payload adds its weight");
  expect(largest < 1.01 * 9.81 * 0.4 / 100, "another model comes gradually");
  VectorXd torque(1);
  other.torque(dynid::FeedforwardMode::full, zero, zero, one(1.0), torque);
  expect(near(torque[0], heavier + inertia + 0.03 + 0.16), "and its inertia (Steiner)");
  other.set_payload({});
  other.torque(dynid::FeedforwardMode::semi_static, zero, one(1.0), one(7.0), torque);
  expect(near(torque[0], torque_of(0, 1.0, 0)), "semi-static is gravity and friction only");
  feedforward.set_mode(dynid::FeedforwardMode::semi_static);
  feedforward.use(&model);
  for (int k = 0; k < 110; ++k) {
    send(feedforward, 0.0, 1.0, 7.0);
  }
  expect(
    near(feedforward.torque_offset()[0], torque_of(0, 1.0, 0)) &&
      near(feedforward.model_torque()[0], torque_of(0, 1.0, 7.0)),
    "of which the torque error knows all");
  other.torque(dynid::FeedforwardMode::full, zero, one(0.001), zero, torque);
  expect(near(torque[0], torque_of(0, 0.001, 0)), "friction is smooth about rest");
}

void test_of_memory()
{
  dynid::MechanismDescription description;
  description.urdf_xml = pendulum_urdf;
  description.joints = {"axis"};
  description.gravity.setZero();
  for (const auto * kind : {"presliding", "lugre"}) {
    description.terms.push_back({&dynid::term_kind(kind), 0, dynid::TermSide::joint, 0.0, 1e-3});
  }
  VectorXd parameters = dynid::Mechanism(description).urdf_parameters();
  parameters.tail(2) << 1.0, 2.0;
  ControlModel model(description, parameters, zero, false);
  dynid::Feedforward feedforward(1, law_settings().feedforward);
  feedforward.use(&model);
  feedforward.set_gain(1.0);
  const auto friction = [&](double position) {
    return feedforward.update(one(position), zero, zero, 1.0)[0];
  };
  feedforward.restart();
  friction(0.0);
  for (int k = 1; k <= 40; ++k) {
    friction(1e-3 * k);
  }
  expect(near(friction(0.04), 3.0), "a joint that slid and stopped keeps its friction");
  feedforward.restart();
  expect(near(friction(0.04), 0.0), "which is forgotten where control is activated anew");
}

void test_of_motor_side()
{
  dynid::MechanismDescription description;
  description.urdf_xml = arm_urdf;
  description.joints = {"one", "two"};
  description.coupling = (Eigen::Matrix2d() << 0.5, 0.0, -0.25, 1.0).finished();
  description.terms = {{&dynid::term_kind("rotor_inertia"), 1, dynid::TermSide::motor}};
  const dynid::Mechanism mechanism(description);
  VectorXd parameters = mechanism.urdf_parameters();
  parameters[20] = 0.2;
  ControlModel at_motors(description, parameters, VectorXd::Zero(2), true);
  ControlModel at_joints(description, parameters, VectorXd::Zero(2), false);
  const VectorXd q = Eigen::Vector2d(0.3, -0.4);
  const VectorXd dq = Eigen::Vector2d(1.0, 0.5);
  const VectorXd ddq = Eigen::Vector2d(-2.0, 3.0);
  const auto & t = description.coupling;
  VectorXd motors(2);
  VectorXd joints(2);
  at_motors.torque(dynid::FeedforwardMode::full, q, dq, ddq, motors);
  const VectorXd tq = t * q;
  const VectorXd tdq = t * dq;
  const VectorXd tddq = t * ddq;
  at_joints.torque(dynid::FeedforwardMode::full, tq, tdq, tddq, joints);
  expect(
    (motors - t.transpose() * joints).norm() < 1e-12,
    "motors are commanded through the coupling, and their torque is T^T that of the joints");
}

}  // namespace

int main()
{
  test_of_torque_and_delay();
  test_of_limits_and_ramps();
  test_of_silence();
  test_of_going();
  test_of_models();
  test_of_memory();
  test_of_motor_side();
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
