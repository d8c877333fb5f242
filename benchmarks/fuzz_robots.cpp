#include "fuzz_robots.hpp"

#include <Eigen/LU>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace fuzz
{
namespace
{

using dynid::ControlModel;
using dynid::Mechanism;
using Eigen::VectorXd;

constexpr int most_drives = 12;

/// URDF text of a robot while its links are added.
class Urdf
{
public:
  explicit Urdf(Dice & dice) : dice_(dice)
  {
    text_ << R"(<robot name="drawn"><link name="base"/>)";
  }

  /// A body with this centre of mass [m], physically consistent.
  void link(const std::string & name, const Eigen::Vector3d & centre)
  {
    const Eigen::Vector3d second =
      1e-3 * Eigen::Vector3d::NullaryExpr([&] { return dice_.scale(0.3, 30.0); });
    text_ << "<link name=\"" << name << "\"><inertial>" << origin(centre) << "<mass value=\""
          << dice_.scale(0.3, 8.0) << "\"/><inertia ixx=\"" << second[1] + second[2] << "\" iyy=\""
          << second[0] + second[2] << "\" izz=\"" << second[0] + second[1]
          << "\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>";
  }

  void joint(
    const std::string & name, const char * type, const std::string & parent,
    const std::string & child, const std::string & place, const Eigen::Vector3d & axis)
  {
    text_ << "<joint name=\"" << name << "\" type=\"" << type << "\"><parent link=\"" << parent
          << "\"/><child link=\"" << child << "\"/>" << place << "<axis xyz=\"" << axis.transpose()
          << "\"/><limit lower=\"-9\" upper=\"9\" effort=\"99\" velocity=\"9\"/></joint>";
  }

  static std::string origin(const Eigen::Vector3d & xyz, const std::string & rpy = "0 0 0")
  {
    std::ostringstream text;
    text << "<origin xyz=\"" << xyz.transpose() << "\" rpy=\"" << rpy << "\"/>";
    return text.str();
  }

  [[nodiscard]] std::string finished() const { return text_.str() + "</robot>"; }

private:
  Dice & dice_;
  std::ostringstream text_;
};

Eigen::Vector3d draw_point(Dice & dice, double far)
{
  return Eigen::Vector3d::NullaryExpr([&] { return dice.within(-far, far); });
}

/// Adds joints at the end of a chain, or, where it branches, at any link before.
void add_tree(Dice & dice, Urdf & urdf, Robot & robot, int drives, std::vector<std::string> links)
{
  const bool branches = dice.one_in(3);
  for (int k = 0; k < drives; ++k) {
    const auto number = std::to_string(robot.description.joints.size() + 1);
    const auto parent =
      branches ? links[static_cast<std::size_t>(dice.below(static_cast<int>(links.size())))]
               : links.back();
    const char * type = dice.one_in(4) ? "prismatic" : dice.one_in(2) ? "revolute" : "continuous";
    std::ostringstream rpy;
    rpy << draw_point(dice, 3.1).transpose();
    const Eigen::Vector3d axis = dice.one_in(2) ? Eigen::Vector3d::Unit(dice.below(3)).eval()
                                                : draw_point(dice, 1.0).normalized().eval();
    urdf.link("link" + number, draw_point(dice, 0.2));
    urdf.joint(
      "joint" + number, type, parent, "link" + number,
      Urdf::origin(draw_point(dice, 0.4), rpy.str()), axis);
    robot.description.joints.push_back("joint" + number);
    links.push_back("link" + number);
  }
}

/// A crank that lifts a slide by a rod: one drive, two passive joints. Returns the slide's link.
std::string add_press(Dice & dice, Urdf & urdf, Robot & robot)
{
  const Eigen::Vector3d axis(0, -1, 0);
  const double crank = dice.within(0.1, 0.3);
  const double rod = crank * dice.within(1.8, 3.0);
  urdf.link("crank", {0.5 * crank, 0, 0});
  urdf.link("rod", {0.5 * rod, 0, 0});
  urdf.link("slide", {0, 0, 0});
  urdf.joint("drive", "continuous", "base", "crank", Urdf::origin({0, 0, 0}), axis);
  urdf.joint("pin", "continuous", "crank", "rod", Urdf::origin({crank, 0, 0}), axis);
  urdf.joint("guide", "prismatic", "base", "slide", Urdf::origin({0, 0, 0}), {0, 0, 1});
  robot.description.joints.emplace_back("drive");
  auto & chain = robot.description.chain;
  chain.passive = {"pin", "guide"};
  chain.start = {{"pin", 2.0}, {"guide", std::sqrt(rod * rod - crank * crank)}};
  dynid::LoopClosure closure;
  closure.kind = dice.one_in(2) ? dynid::ClosureKind::point : dynid::ClosureKind::revolute;
  closure.link_a = "rod";
  closure.link_b = "slide";
  closure.point_a = {rod, 0, 0};
  closure.axis_a = closure.axis_b = {0, 1, 0};
  chain.closures = {closure};
  chain.assembled_at = {0.0};
  return "slide";
}

/// Two cranks whose rods meet: two drives, two passive joints. Returns the link of a rod.
std::string add_five_bar(Dice & dice, Urdf & urdf, Robot & robot)
{
  const Eigen::Vector3d axis(0, -1, 0);
  const double size = dice.within(0.5, 1.5);
  for (const std::string side : {"left", "right"}) {
    const double x = side == "left" ? -0.2 : 0.2;
    urdf.link(side + "_crank", {0.15 * size, 0, 0});
    urdf.link(side + "_rod", {0.25 * size, 0, 0});
    urdf.joint(side, "continuous", "base", side + "_crank", Urdf::origin({x * size, 0, 0}), axis);
    urdf.joint(
      side + "_pin", "continuous", side + "_crank", side + "_rod", Urdf::origin({0.3 * size, 0, 0}),
      axis);
    robot.description.joints.push_back(side);
  }
  auto & chain = robot.description.chain;
  chain.passive = {"left_pin", "right_pin"};
  chain.start = {{"left_pin", -1.0}, {"right_pin", 1.0}};
  chain.assembled_at = {1.9, 1.2};
  dynid::LoopClosure closure;
  closure.link_a = "left_rod";
  closure.link_b = "right_rod";
  closure.point_a = closure.point_b = {0.5 * size, 0, 0};
  chain.closures = {closure};
  return "right_rod";
}

/// Friction and springs of the drives, and the parameters of these.
void add_terms(Dice & dice, Robot & robot)
{
  auto & terms = robot.description.terms;
  std::vector<double> values;
  const auto add = [&](const char * kind, int drive, double value, double scale = 0.0) {
    const bool motor = robot.motor_side && dice.one_in(2);
    terms.push_back(
      {&dynid::term_kind(kind), drive, motor ? dynid::TermSide::motor : dynid::TermSide::joint});
    terms.back().scale = scale;
    values.push_back(value);
  };
  const bool bristles = dice.one_in(6);
  for (int i = 0; i < static_cast<int>(robot.description.joints.size()); ++i) {
    add("rotor_inertia", i, dice.scale(0.02, 0.5));
    if (dice.one_in(2)) {
      add("viscous", i, dice.scale(0.1, 5.0));
    }
    if (dice.one_in(2)) {
      add("coulomb", i, dice.scale(0.1, 3.0));
    } else if (bristles) {
      add("presliding", i, dice.scale(0.1, 3.0), dice.scale(1e-3, 0.1));
    }
    if (dice.one_in(8)) {
      add("spring_stiffness", i, dice.scale(0.1, 10.0));
    }
  }
  const Mechanism mechanism(robot.description);
  robot.parameters = mechanism.urdf_parameters();
  robot.parameters.tail(static_cast<Eigen::Index>(values.size())) =
    Eigen::Map<const VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

/// Motors that also move the joints behind theirs, behind gears of other directions.
void add_coupling(Dice & dice, Robot & robot)
{
  const auto n = robot.drives();
  robot.motor_side = true;
  auto & coupling = robot.description.coupling;
  coupling.setIdentity(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    coupling(i, i) = dice.sign() * dice.within(0.5, 2.0);
    if (i > 0) {
      coupling(i, i - 1) = dice.one_in(2) ? dice.within(-1.0, 1.0) : 0.0;
    }
  }
}

}  // namespace

Robot draw_robot(Dice & dice)
{
  Robot robot;
  Urdf urdf(dice);
  const int drives = 1 + dice.below(most_drives);
  std::vector<std::string> links{"base"};
  if (dice.one_in(4)) {
    const bool five_bar = drives > 1 && dice.one_in(2);
    const auto end = five_bar ? add_five_bar(dice, urdf, robot) : add_press(dice, urdf, robot);
    links.push_back(dice.one_in(2) ? end : "base");
    robot.reach = 0.1;
  }
  const auto driven = static_cast<int>(robot.description.joints.size());
  add_tree(dice, urdf, robot, drives - driven, std::move(links));
  robot.description.urdf_xml = urdf.finished();
  robot.description.gravity =
    dice.one_in(8) ? Eigen::Vector3d::Zero() : Eigen::Vector3d(0, 0, -9.81);
  robot.home = dice.each(drives, [&] { return dice.within(-1.0, 1.0); });
  for (int i = 0; i < driven; ++i) {
    robot.home[i] = robot.description.chain.assembled_at[static_cast<std::size_t>(i)];
  }
  if (robot.closed()) {
    robot.description.chain.assembled_at.assign(robot.home.begin(), robot.home.end());
    robot.description.payload_joint =
      driven < drives ? robot.description.joints.back() : robot.description.chain.passive.back();
  } else if (dice.one_in(4)) {
    add_coupling(dice, robot);
  }
  robot.smoothing = VectorXd::Constant(drives, dice.scale(5e-3, 0.1));
  add_terms(dice, robot);
  return robot;
}

VectorXd changed_parameters(Dice & dice, const Robot & robot, double share)
{
  VectorXd values = robot.parameters;
  const auto bodies =
    (values.size() - static_cast<Eigen::Index>(robot.description.terms.size())) / 10;
  for (Eigen::Index body = 0; body < bodies; ++body) {
    values.segment<10>(10 * body) *= dice.within(1.0 - share, 1.0 + share);
  }
  for (double & value : values.tail(values.size() - 10 * bodies)) {
    value *= dice.within(1.0 - share, 1.0 + share);
  }
  return values;
}

std::unique_ptr<ControlModel> Robot::model(const VectorXd & other) const
{
  return std::make_unique<ControlModel>(description, other, smoothing, motor_side);
}

VectorXd Robot::home_of_joints() const
{
  return motor_side ? (description.coupling * home).eval() : home;
}

VectorXd Robot::holding() const
{
  VectorXd torque(drives());
  model()->holding_torque(home, torque);
  return torque;
}

Eigen::MatrixXd Robot::mass() const
{
  const auto n = drives();
  const auto made = model();
  Eigen::MatrixXd found(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    made->inertia_torque(home, VectorXd::Unit(n, i), found.col(i));
  }
  return found;
}

VectorXd Robot::usual_torque() const
{
  return holding().cwiseAbs() + mass().cwiseAbs() * VectorXd::Constant(drives(), reach) +
         VectorXd::Constant(drives(), 0.5);
}

}  // namespace fuzz
