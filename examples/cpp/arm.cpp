// An arm with dynid::core: inverse dynamics, the additive torque of a controller, and a detected
// collision. Argument: urdf/puma560.urdf.

#include <cmath>
#include <cstdlib>
#include <dynid/control_law.hpp>
#include <dynid/control_report.hpp>
#include <dynid/mechanism.hpp>
#include <exception>
#include <fstream>
#include <iostream>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>

namespace
{

using Eigen::VectorXd;

constexpr Eigen::Index n = 6;
constexpr double rate = 1000.0;  // [Hz]

const Eigen::IOFormat row(4, 0, "  ", "  ", "", "", "[", "]");

std::string read(const char * path)
{
  std::ifstream file(path);
  std::stringstream content;
  content << file.rdbuf();
  if (!file) {
    throw std::runtime_error(std::string(path) + " cannot be read.");
  }
  return content.str();
}

/// The URDF's bodies, and at each joint viscous and Coulomb friction.
dynid::MechanismDescription describe_arm(const char * urdf)
{
  dynid::MechanismDescription arm;
  arm.urdf_xml = read(urdf);
  arm.joints = {"joint_1", "joint_2", "joint_3", "joint_4", "joint_5", "joint_6"};
  for (const char * kind : {"viscous", "coulomb"}) {
    for (int joint = 0; joint < n; ++joint) {
      arm.terms.push_back({&dynid::term_kind(kind), joint});
    }
  }
  return arm;
}

/// Ten parameters per body, from the URDF, followed by one per term. A model.yaml has identified
/// parameters in the same order.
VectorXd parameters_of(const dynid::Mechanism & mechanism)
{
  VectorXd parameters = mechanism.urdf_parameters();
  parameters.tail(2 * n) << 5.0, 8.0, 4.0, 0.1, 0.1, 0.1,  // viscous [N m s/rad]
    9.0, 12.0, 6.0, 0.5, 0.6, 0.4;                         // Coulomb [N m]
  return parameters;
}

/// All joints swing by 0.2 rad at 0.5 Hz, from rest.
dynid::Reference motion(double time)
{
  const double w = 3.14159265358979;
  const VectorXd all = VectorXd::Constant(n, 0.2);
  return {
    (1.0 - std::cos(w * time)) * all, w * std::sin(w * time) * all,
    w * w * std::cos(w * time) * all};
}

dynid::ControlLawSettings settings()
{
  const auto each = [](double value) { return VectorXd::Constant(n, value); };
  dynid::ControlLawSettings law;
  auto & feedforward = law.feedforward;
  feedforward.control_rate = rate;
  feedforward.additive_torque_delay = 0;  // drives that apply a torque offset in the same cycle
  feedforward.torque_max = each(200.0);
  feedforward.position_jump = each(0.05);
  feedforward.acceleration_jump = each(500.0);
  auto & collision = law.collision;
  collision.control_rate = rate;
  collision.torque_error_enable = each(1.0);
  collision.torque_error_time_constant = each(0.005);
  collision.torque_error_max = each(10.0);
  collision.velocity_factor = each(0.0);
  collision.acceleration_factor = each(0.0);
  collision.reversal_boost = each(5.0);
  collision.low_speed = each(0.02);
  collision.acceleration_step = each(50.0);
  collision.torque_threshold = each(std::numeric_limits<double>::infinity());
  law.deceleration = each(5.0);
  law.reference_tolerance = each(0.1);
  return law;
}

void show_inverse_dynamics(const dynid::Mechanism & mechanism)
{
  auto workspace = mechanism.workspace();  // one per thread: the calls below do not allocate
  const auto at = motion(0.25);
  VectorXd tau(n);
  mechanism.inverse_dynamics(workspace, at.position, at.velocity, at.acceleration, tau);
  std::cout << "inverse dynamics [N m]    " << tau.transpose().format(row) << "\n";
  mechanism.gravity_torque(workspace, at.position, tau);
  std::cout << "of which gravity [N m]    " << tau.transpose().format(row) << "\n";
}

/// Two seconds of control cycles; an external torque acts on joint 2 from 1.5 s on.
void show_control(
  const dynid::MechanismDescription & description, const dynid::Mechanism & mechanism)
{
  // the sign of dry friction is smoothed over 0.01 rad/s, for commands near standstill
  dynid::ControlModel model(
    description, mechanism.parameters(), VectorXd::Constant(n, 0.01), false);
  dynid::ControlLaw law(n, settings());
  law.use(&model);
  law.start(motion(0.0).position);
  VectorXd torque(n);
  for (int cycle = 0; cycle < 2000 && !law.latched(); ++cycle) {
    const double time = cycle / rate;
    const auto reference = motion(time);
    // simulated feedback of the drives: the model's torque and the external torque
    model.torque(
      dynid::FeedforwardMode::full, reference.position, reference.velocity, reference.acceleration,
      torque);
    torque[1] += time >= 1.5 ? 25.0 : 0.0;
    law.update(reference, {reference.position, reference.velocity, torque});
    // outputs for the drives: law.position_command() and law.torque_offset()
    if (cycle == 1250) {
      std::cout << "additive torque [N m]     " << law.torque_offset().transpose().format(row)
                << "\n";
    }
    if (law.latched()) {
      std::cout << "collision after " << std::round(1e3 * (time - 1.5)) << " ms: "
                << dynid::describe(
                     law.detector().collision(), {description.joints, mechanism.prismatic()})
                << "\n";
    }
  }
}

}  // namespace

int main(int count, char ** arguments)
{
  try {
    if (count != 2) {
      throw std::invalid_argument("Usage: arm urdf/puma560.urdf");
    }
    const auto description = describe_arm(arguments[1]);
    const dynid::Mechanism bare(description);
    const auto mechanism = bare.with_parameters(parameters_of(bare));
    show_inverse_dynamics(mechanism);
    show_control(description, mechanism);
  } catch (const std::exception & error) {
    std::cerr << error.what() << "\n";
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
