// dynid/FeedforwardController: parameters, modes, commands of the drives, and cycles without
// allocation.

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <controller_manager/controller_manager.hpp>
#include <diagnostic_msgs/msg/diagnostic_array.hpp>
#include <diagnostic_msgs/msg/diagnostic_status.hpp>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <random>
#include <rclcpp/rclcpp.hpp>
#include <sensor_msgs/msg/joint_state.hpp>
#include <std_srvs/srv/trigger.hpp>
#include <thread>
#include <trajectory_msgs/msg/joint_trajectory.hpp>

#include "allocation_checks.hpp"
#include "controller_under_test.hpp"
#include "pendulum_model.hpp"

namespace
{

using namespace std::chrono_literals;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
Parameters settings(const Parameters & more = {})
{
  Parameters all{
    {"torque_max", std::vector<double>{20.0}},
    {"ramp_time", 0.01},
    {"additive_torque_delay", 0.0},
    {"collision.torque_error_max", std::vector<double>{5.0}},
    {"collision.torque_error_time_constant", std::vector<double>{0.0}}};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

Parameters with_model(const Parameters & more = {})
{
  auto all = model();
  all.insert(all.end(), more.begin(), more.end());
  return settings(all);
}

/// Runs cycles at rest with the torque that this requires as feedback.
void rest(ControllerUnderTest & controller, int cycles, double effort = -weight)
{
  controller.set_reference(0, 0.0, 0.0, 0.0);
  controller.measure(0, 0.0, 0.0, effort);
  for (int k = 0; k < cycles; ++k) {
    controller.update();
  }
}

constexpr double tolerance = 1e-8;  // of torques of some 10 N m

bool near(double a, double b) { return std::abs(a - b) < tolerance; }

/// Lets callbacks run until something has happened.
bool happens(ControllerUnderTest & controller, const std::function<bool()> & event)
{
  const auto deadline = std::chrono::steady_clock::now() + 10min;
  while (!event() && std::chrono::steady_clock::now() < deadline) {
    controller.executor().spin_some(10ms);
    controller.update();
  }
  return event();
}

TEST(FeedforwardController, RunsCycles)
{
  ControllerUnderTest controller({"axis"}, with_model());
  EXPECT_TRUE(controller.initialised()) << "it is configured";
  EXPECT_TRUE(controller.configure());
  EXPECT_TRUE(controller.activate(0.3)) << "and activated";
  EXPECT_EQ(controller.position(), 0.3) << "with the measured position as command";
  EXPECT_EQ(controller.torque_offset(), 0.0);
  controller.update();
  EXPECT_EQ(controller.position(), 0.3) << "and keeps it without a reference";
  EXPECT_EQ(controller.torque_offset(), 0.0);
  EXPECT_EQ(controller.references().size(), 3) << "references have the controller's name";
  EXPECT_EQ(controller.references()[0]->get_name(), "feedforward_controller/axis/position");
  EXPECT_EQ(controller.references()[2]->get_name(), "feedforward_controller/axis/acceleration");
  controller.deactivate();

  controller.activate(0.0);
  rest(controller, 50);
  EXPECT_NEAR(controller.torque_offset(), -weight, tolerance)
    << "the model's gravity is compensated";
  controller.set_reference(0, 0.0, 0.0, 0.0);
  controller.measure(0, 0.0, 0.0, -weight + 9.0);
  for (int k = 0; k < 3; ++k) {
    controller.update();
  }
  EXPECT_EQ(controller.torque_offset(), 0.0) << "a collision ends that";
  controller.set_reference(0, 0.05, 1.0, 0.0);
  controller.update();
  EXPECT_EQ(controller.position(), 0.0) << "and the motion";
  controller.deactivate();
  controller.activate(0.0);
  rest(controller, 50);
  EXPECT_NEAR(controller.torque_offset(), -weight, tolerance) << "activation clears the collision";
  controller.deactivate();
  EXPECT_EQ(controller.torque_offset(), 0.0) << "deactivation sets the torque offset to 0";
}

/// Of a controller that compares the torque in the gear; friction of its motor is not in it.
Parameters with_gear(const Parameters & more)
{
  auto all = with_model(more);
  for (const auto & one : Parameters{
         {"elastic.link_torque", std::vector<bool>{true}},
         {"elastic.stiffness", std::vector<double>{1000.0}},
         {"collision.debounce_time", 0.0},
         {"collision.reversal_boost", std::vector<double>{0.0}}}) {
    all.push_back(one);
  }
  for (auto & one : all) {
    if (one.get_name() == "collision.torque_error_max") {
      one = {"collision.torque_error_max", std::vector<double>{0.5}};  // Coulomb friction is 1
    }
  }
  return all;
}

TEST(FeedforwardController, ComparesTheTorqueInGears)
{
  const Parameter encoder("elastic.link_position_interface", "link_position");
  const Parameter sensor("elastic.link_torque_interface", "link_torque");
  for (const auto & measured : {encoder, sensor}) {
    const bool by_sensor = measured == sensor;
    const std::string name = by_sensor ? "axis/link_torque" : "axis/link_position";
    ControllerUnderTest controller({"axis"}, with_gear({measured}));
    ASSERT_TRUE(controller.configure());
    const auto names = controller.state_names();
    EXPECT_EQ(names.back(), name) << "which is claimed";
    ASSERT_TRUE(controller.activate());
    const auto transmit = [&](double torque) {
      controller.set_state(name, by_sensor ? torque : -torque / 1000.0);
    };
    transmit(-weight);
    rest(controller, 50, nan);
    EXPECT_NEAR(controller.torque_offset(), -weight, tolerance)
      << "the motor's torque need not be known";
    transmit(-weight + 0.4);
    rest(controller, 5, nan);
    EXPECT_NE(controller.torque_offset(), 0.0);
    transmit(-weight + 0.6);
    rest(controller, 2, nan);
    EXPECT_EQ(controller.torque_offset(), 0.0) << "a contact smaller than friction stops the robot";
  }
}

TEST(FeedforwardController, StopsWhereALinkIsNotMeasured)
{
  const Parameters encoder{
    {"elastic.link_position_interface", "link_position"}, {"cycle_interface", "robot/cycles"}};
  ControllerUnderTest controller({"axis"}, with_gear(encoder));
  ASSERT_TRUE(controller.configure());
  ASSERT_TRUE(controller.activate());
  controller.set_state("axis/link_position", weight / 1000.0);
  rest(controller, 50);
  EXPECT_NE(controller.torque_offset(), 0.0);
  controller.set_state("axis/link_position", nan);
  rest(controller, 90);
  EXPECT_NE(controller.torque_offset(), 0.0);
  rest(controller, 20);
  EXPECT_EQ(controller.torque_offset(), 0.0);
}

TEST(FeedforwardController, RefusesGearsThatItCannotCompare)
{
  EXPECT_FALSE(ControllerUnderTest({"axis"}, with_gear({})).configure())
    << "nothing measures the link";
  Parameters rigid{
    {"elastic.link_torque", std::vector<bool>{true}},
    {"elastic.link_position_interface", "link_position"}};
  EXPECT_FALSE(ControllerUnderTest({"axis"}, with_model(rigid)).configure())
    << "no stiffness is known";
  rigid.emplace_back("elastic.link_torque_interface", "link_torque");
  EXPECT_TRUE(ControllerUnderTest({"axis"}, with_model(rigid)).configure())
    << "a sensor needs none";
}

TEST(FeedforwardController, RefusesChangedModels)
{
  ControllerUnderTest controller({"axis"}, settings(sealed()));
  EXPECT_TRUE(controller.configure()) << "a sealed model is used from the start";
  EXPECT_TRUE(controller.activate());
  rest(controller, 50);
  EXPECT_NEAR(controller.torque_offset(), -weight, tolerance) << "and compensates gravity";
  const auto refused = [&](const Parameters & change, const std::string & sentence) {
    const auto answer = controller.set(change);
    EXPECT_NE(answer.find(sentence), std::string::npos) << "refused: " << sentence;
    rest(controller, 50);
    EXPECT_NEAR(controller.torque_offset(), -weight, tolerance) << "and the model before goes on";
  };
  const std::string altered = "were altered after they were written";
  refused({{"model.gravity", std::vector<double>{0.0, 0.0, -1.6}}}, altered);
  for (std::size_t k = 0; k < 11; ++k) {
    auto values = sealed()[13].as_double_array();
    values[k] += 1e-12;
    refused({{"model.parameters", values}}, altered);
  }
  refused({{"model.sha256", std::string(64, '0')}}, altered);
  refused({{"model.urdf", std::string(pendulum) + " "}}, "The model's URDF was altered");
  auto unsealed = sealed();
  unsealed.pop_back();
  refused(unsealed, "The model has no seal");
  refused(sealed(-2.0), "The model is not physically consistent: the pseudo-inertia");
  auto other = model("success", 1.0);
  other[13] = {
    "model.parameters", std::vector<double>{1.0, 0.5, 0, 0, .01, 0, .51, 0, 0, .51, -1.0}};
  refused(other, "'Fc1' (coulomb) is -1, but cannot be below 0");
  EXPECT_TRUE(controller.set(sealed(1.0, "2026-02-01T12:00:00Z")).empty())
    << "a valid model is accepted";
  rest(controller, 50, -weight / 2);
  EXPECT_NEAR(controller.torque_offset(), -weight / 2, tolerance) << "and used";
  EXPECT_TRUE(controller.set(sealed()).empty()) << "another whole model replaces it";
  EXPECT_TRUE(controller.set({{"force", true}}).empty()) << "so that it is still valid on its own";

  auto bad = sealed();
  bad[13] = model("success", 3.0)[13];
  ControllerUnderTest altered_before({"axis"}, settings(bad));
  EXPECT_TRUE(altered_before.initialised()) << "with a changed model it is not configured";
  EXPECT_FALSE(altered_before.configure());
  ControllerUnderTest repaired({"axis"}, settings(bad));
  EXPECT_TRUE(repaired.set(sealed()).empty()) << "until it gets a valid one";
  EXPECT_TRUE(repaired.configure());
}

TEST(FeedforwardController, TakesAndRefusesParameters)
{
  EXPECT_FALSE(ControllerUnderTest({"axis"}, {}).initialised())
    << "without torque_max there is no controller";
  ControllerUnderTest counted({"axis"}, settings({{"friction_smoothing", std::vector{0.1, 0.2}}}));
  EXPECT_FALSE(counted.configure()) << "nor with a list of the wrong length";

  ControllerUnderTest controller({"axis"}, settings());
  controller.configure();
  controller.activate();
  rest(controller, 50);
  EXPECT_EQ(controller.torque_offset(), 0.0) << "without a model there is no additive torque";
  EXPECT_EQ(
    controller.set(model("failed")),
    "The model's identification failed; identify again, or set 'force' to use it anyway.")
    << "a failed model is refused";
  auto other = model();
  other[4] = {"model.joints", std::vector<std::string>{"other"}};
  EXPECT_EQ(controller.set(other), "The model has the joints other, but the controller has axis.")
    << "and one of another robot";
  other = model();
  other[13] = {"model.parameters", std::vector<double>{1.0}};
  EXPECT_EQ(controller.set(other), "The mechanism has 11 parameters, but got 1.")
    << "and one that is incomplete";
  EXPECT_NE(
    controller.set({{"model.format", 1}}).find("'model.status' is missing"), std::string::npos)
    << "and a part of a model";
  rest(controller, 50);
  EXPECT_EQ(controller.torque_offset(), 0.0) << "refused models have no effect";
  EXPECT_TRUE(controller.set(model()).empty()) << "a valid model is accepted at run time";
  rest(controller, 50);
  EXPECT_NEAR(controller.torque_offset(), -weight, tolerance) << "and used";
  auto forced = model("failed", 1.0);
  forced.emplace_back("force", true);
  EXPECT_TRUE(controller.set(forced).empty()) << "so is a failed one with 'force'";
  rest(controller, 50, -weight / 2);
  EXPECT_NEAR(controller.torque_offset(), -weight / 2, tolerance) << "in place of the first";
  EXPECT_TRUE(controller.set({{"gain", 0.5}}).empty()) << "the gain can be changed";
  rest(controller, 50, -weight / 2);
  EXPECT_NEAR(controller.torque_offset(), -weight / 4, tolerance) << "and has an effect";
  EXPECT_FALSE(controller.set({{"gain", 2.0}}).empty()) << "but only from 0 to 1";
  EXPECT_EQ(
    controller.set({{"collision.torque_error_max", std::vector{1.0, 2.0}}}),
    "The parameter 'collision.torque_error_max' has 2 values, but must have 1 or 1, one for each "
    "joint.")
    << "there must be one threshold for each joint";
  EXPECT_FALSE(
    controller.set({{"payload.inertia", std::vector{1.0, 0.0, 0.1, 0.0, 0.0, 0.1}}}).empty())
    << "and a payload must be physically consistent";
  EXPECT_TRUE(
    controller
      .set({{"gain", 1.0}, {"payload.mass", 1.0}, {"payload.centre", std::vector{1.0, 0.0, 0.0}}})
      .empty())
    << "a valid payload is compensated";
  rest(controller, 50, -weight / 2 - 9.81);
  EXPECT_NEAR(controller.torque_offset(), -weight / 2 - 9.81, tolerance) << "too";
}

TEST(FeedforwardController, TimesAreInSecondsAtAnyRate)
{
  ControllerUnderTest filter(
    {"axis"},
    {{"torque_max", std::vector{20.0}}, {"collision.torque_error_filter", std::vector{0.9}}});
  EXPECT_FALSE(filter.configure()) << "a filter in control cycles is refused, not ignored";
  ControllerUnderTest debounce({"axis"}, settings({{"collision.debounce", 3}}));
  EXPECT_FALSE(debounce.configure()) << "so is a debounce in cycles";
  const ControllerUnderTest delay(
    {"axis"}, {{"torque_max", std::vector{20.0}}, {"additive_torque_delay", 3}});
  EXPECT_FALSE(delay.initialised())
    << "and a delay in cycles, which has the name of that in seconds";

  ControllerUnderTest controller({"axis"}, with_model());
  controller.configure();
  controller.activate(0.0);
  rest(controller, 50);
  EXPECT_TRUE(controller
                .set(
                  {{"collision.torque_error_time_constant", std::vector{0.0}},
                   {"collision.acceleration_step", std::vector{3.0}},
                   {"collision.debounce_time", 60.0}})
                .empty())
    << "times can be changed while it runs";
  rest(controller, 50, -weight + 9.0);
  EXPECT_NEAR(controller.torque_offset(), -weight, tolerance)
    << "and have an effect: a debounce of a minute detects nothing";
}

// The measured torque in this test is that at rest, so a faster start would be a collision.
TEST(FeedforwardController, KeepsLimits)
{
  ControllerUnderTest reversed(
    {"axis"}, settings({{"position_min", std::vector{1.0}}, {"position_max", std::vector{0.5}}}));
  EXPECT_FALSE(reversed.configure()) << "limits that are not in order are refused";
  ControllerUnderTest controller(
    {"axis"}, with_model(
                {{"position_max", std::vector{0.08}},
                 {"velocity_max", std::vector{0.5}},
                 {"acceleration_max", std::vector{5.0}}}));
  controller.configure();
  controller.activate(0.0);
  double before = 0.0;
  double fastest = 0.0;
  const auto follow = [&](double position) {
    for (int k = 0; k < 400; ++k) {
      controller.set_reference(0, position, 0.0, 0.0);
      controller.measure(0, before, 1e-9 * k, -weight);
      controller.update();
      fastest = std::max(fastest, std::abs(controller.position() - before));
      before = controller.position();
    }
  };
  follow(0.0);
  follow(0.07);
  EXPECT_EQ(controller.position(), 0.07) << "a reference within the limits is reached";
  EXPECT_LT(fastest, 0.5001e-3) << "at the velocity limit";
  follow(0.09);
  EXPECT_LE(controller.position(), 0.08)
    << "and one beyond a limit is not, without additive torque";
  EXPECT_EQ(controller.torque_offset(), 0.0);
}

TEST(FeedforwardController, StopsWithoutMeasuredEffort)
{
  ControllerUnderTest controller({"axis"}, with_model());
  controller.configure();
  controller.activate(0.0);
  rest(controller, 50);
  rest(controller, 80, nan);
  EXPECT_NEAR(controller.torque_offset(), -weight, tolerance)
    << "effort may be missing for less than max_age";
  rest(controller, 40, nan);
  EXPECT_EQ(controller.torque_offset(), 0.0) << "but then the robot is stopped";
  controller.set_reference(0, 0.05, 0.0, 0.0);
  controller.update();
  EXPECT_EQ(controller.position(), 0.0) << "and follows no reference";
}

TEST(FeedforwardController, HasTopicsAndServices)
{
  ControllerUnderTest controller({"axis"}, with_model());
  controller.configure();
  auto user = std::make_shared<rclcpp::Node>("user");
  controller.executor().add_node(user);
  sensor_msgs::msg::JointState state;
  diagnostic_msgs::msg::DiagnosticStatus collision;
  const auto states = user->create_subscription<sensor_msgs::msg::JointState>(
    "/feedforward_controller/state", 10,
    [&](const sensor_msgs::msg::JointState & m) { state = m; });
  const auto collisions = user->create_subscription<diagnostic_msgs::msg::DiagnosticStatus>(
    "/feedforward_controller/collision", rclcpp::QoS(1).transient_local(),
    [&](const diagnostic_msgs::msg::DiagnosticStatus & m) { collision = m; });
  const auto references = user->create_publisher<trajectory_msgs::msg::JointTrajectory>(
    "/feedforward_controller/reference", 10);
  const auto resets = user->create_client<std_srvs::srv::Trigger>("/feedforward_controller/reset");

  controller.activate(0.0, false);
  controller.measure(0, 0.0, 0.0, -weight);
  trajectory_msgs::msg::JointTrajectory message;
  message.joint_names = {"axis"};
  message.points.resize(1);
  message.points[0].positions = {0.002};
  message.points[0].velocities = {0.0};
  message.points[0].accelerations = {0.0};
  EXPECT_TRUE(happens(
    controller,
    [&] {
      references->publish(message);
      return near(controller.position(), 0.002);
    }))
    << "references are received by topic where the controller is not chained";
  EXPECT_TRUE(
    happens(controller, [&] { return state.name.size() == 6 && near(state.effort[1], -weight); }))
    << "its state is published";
  EXPECT_EQ(state.name[1], "axis/feedback");

  controller.deactivate();
  controller.activate(0.0);
  rest(controller, 50);
  controller.measure(0, 0.0, 0.0, 9.0 - weight);
  EXPECT_TRUE(happens(controller, [&] { return collision.level == collision.ERROR; }))
    << "a collision is published";
  EXPECT_EQ(
    collision.message,
    "Collision at joint 'axis': torque error -9 N m exceeds 5 N m; the robot is stopped until "
    "~/reset.")
    << "with its cause";
  EXPECT_EQ(collision.values.size(), 5);
  EXPECT_EQ(collision.values[0].value, "axis");

  // the service waits for the control cycle, which runs in another thread
  std::atomic<bool> running{true};
  const auto ask = [&] {
    auto answer = resets->async_send_request(std::make_shared<std_srvs::srv::Trigger::Request>());
    std::thread cycle([&] {
      while (running) {
        controller.update();
        std::this_thread::sleep_for(1ms);
      }
    });
    controller.executor().spin_until_future_complete(answer, 10min);
    running = false;
    cycle.join();
    running = true;
    return *answer.get();
  };
  controller.set_reference(0, 0.5, 0.0, 0.0);
  controller.update();
  auto answer = ask();
  EXPECT_FALSE(answer.success) << "a reset is refused while the reference is away";
  EXPECT_NE(answer.message.find("is 0.5 rad away"), std::string::npos);
  controller.measure(0, 0.0, 0.0, -weight);
  controller.set_reference(0, 0.0, 0.0, 0.0);
  controller.update();
  answer = ask();
  EXPECT_TRUE(answer.success) << "and accepted when it is near";
  EXPECT_TRUE(happens(controller, [&] { return collision.level == collision.OK; }))
    << "which is published too";
}

TEST(FeedforwardController, SaysHowLateItsCyclesCame)
{
  ControllerUnderTest controller({"axis"}, with_model());
  controller.configure();
  auto user = std::make_shared<rclcpp::Node>("user");
  controller.executor().add_node(user);
  std::map<std::string, std::string> values;
  const auto diagnostics = user->create_subscription<diagnostic_msgs::msg::DiagnosticArray>(
    "/diagnostics", 10, [&](const diagnostic_msgs::msg::DiagnosticArray & m) {
      for (const auto & value : m.status.front().values) {
        values[value.key] = value.value;
      }
    });
  controller.activate(0.0);
  rest(controller, 20);
  controller.update(12);
  controller.update(3);
  EXPECT_TRUE(happens(controller, [&] { return values["late cycles"] == "2"; }));
  EXPECT_EQ(values["longest cycle"], "0.012") << "in seconds";
  controller.deactivate();
  controller.activate(0.0);
  EXPECT_TRUE(happens(controller, [&] { return values["late cycles"] == "0"; }))
    << "they are counted from the activation";
}

TEST(FeedforwardController, CommandsAreValidForAnyInput)
{
  ControllerUnderTest controller(
    {"axis"}, with_model({{"state_publish_rate", 500.0}, {"collision.method", "momentum"}}));
  controller.configure();
  controller.activate();
  rest(controller, 100);
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::uniform_int_distribution<int> dice(0, 20);
  const auto any = [&](double usual) {
    const int thrown = dice(random);
    return thrown == 0   ? nan
           : thrown == 1 ? infinity
           : thrown == 2 ? -1e300
                         : usual * uniform(random);
  };
  bool good = true;
  const auto run = [&](int cycles) {
    for (int k = 0; k < cycles; ++k) {
      controller.set_reference(0, any(0.02), any(1.0), any(10.0));
      controller.measure(0, any(0.02), any(1.0), any(5.0));
      good = controller.update() && good && std::isfinite(controller.position()) &&
             std::abs(controller.torque_offset()) <= 20.0;
    }
  };
  expect_no_allocation("a cycle with any input", [&] { run(2000); });
  controller.deactivate();
  controller.activate();
  expect_no_allocation("publishing", [&] { rest(controller, 1000); });
  controller.set(model("success", 3.0));
  controller.set({{"collision.torque_error_max", std::vector{1.0}}, {"payload.mass", 0.5}});
  expect_no_allocation("taking over a model and settings", [&] { rest(controller, 1000); });
  expect_no_allocation("a collision", [&] { rest(controller, 1000, 100.0); });
  EXPECT_TRUE(good) << "commands of the drives are finite and within the limits";
}

TEST(FeedforwardController, IsLoadedByTheControllerManager)
{
  const auto executor = std::make_shared<rclcpp::executors::SingleThreadedExecutor>();
  const std::string robot =
    std::string(pendulum).substr(0, std::string(pendulum).rfind("</robot>")) +
    R"(<ros2_control name="mock" type="system"><hardware>
         <plugin>mock_components/GenericSystem</plugin></hardware>
       <joint name="axis"><command_interface name="position"/><command_interface name="effort"/>
         <state_interface name="position"><param name="initial_value">0.0</param></state_interface>
         <state_interface name="velocity"><param name="initial_value">0.0</param></state_interface>
         <state_interface name="effort"><param name="initial_value">0.0</param></state_interface>
       </joint></ros2_control></robot>)";
  controller_manager::ControllerManager manager(executor, robot, true, "test_manager");
  const auto file = std::filesystem::temp_directory_path() /
                    ("dynid_controller_" + std::to_string(::getpid()) + ".yaml");
  std::ofstream(file) << "feedforward_controller:\n  ros__parameters:\n    joints: [axis]\n"
                      << "    torque_max: [20.0]\n";
  manager.set_parameter({"feedforward_controller.type", "dynid/FeedforwardController"});
  EXPECT_EQ(manager.load_controller("feedforward_controller"), nullptr)
    << "a controller manager does not load it without parameters";
  manager.set_parameter(
    {"feedforward_controller.params_file", std::vector<std::string>{file.string()}});
  EXPECT_NE(manager.load_controller("feedforward_controller"), nullptr) << "but with them";
  EXPECT_EQ(
    manager.configure_controller("feedforward_controller"), controller_interface::return_type::OK)
    << "and configures it";
  std::filesystem::remove(file);
}

}  // namespace
