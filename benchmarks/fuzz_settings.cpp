#include "fuzz_settings.hpp"

#include <Eigen/LU>
#include <algorithm>

namespace fuzz
{
namespace
{

using Eigen::VectorXd;

double draw_rate(Dice & dice)
{
  return dice.one_in(10) ? dice.scale(10.0, 1e5) : dice.scale(100.0, 4000.0);
}

/// Some cycles [s].
double draw_delay(Dice & dice, double rate) { return std::min(0.5, dice.below(20) / rate); }

dynid::CommandLimits draw_limits(Dice & dice, const Robot & robot)
{
  const auto n = robot.drives();
  const auto away = [&] { return dice.scale_or(infinity, 0.01, 7.0); };
  dynid::CommandLimits limits;
  limits.position_min = robot.home - dice.each(n, away);
  limits.position_max = robot.home + dice.each(n, away);
  limits.velocity_max = dice.each(n, [&] { return dice.scale_or(infinity, 1e-3, 1e2); });
  limits.acceleration_max = dice.each(n, [&] { return dice.scale_or(infinity, 1e-2, 1e4); });
  return limits;
}

}  // namespace

dynid::CollisionSettings draw_collision(Dice & dice, const Robot & robot, double rate)
{
  const auto n = robot.drives();
  const VectorXd usual = robot.usual_torque();
  const bool slow_filters = dice.one_in(10);
  dynid::CollisionSettings settings;
  settings.control_rate = rate;
  settings.torque_error_enable = dice.each(n, [&] { return dice.one_in(4) ? 0.0 : 1.0; });
  settings.torque_error_time_constant =
    dice.each(n, [&] { return dice.scale_or(0.0, 1e-4, slow_filters ? 60.0 : 0.2); });
  settings.torque_error_max = dice.each(n, [&] { return dice.scale_or(infinity, 0.1, 100.0); });
  settings.torque_error_max.array() *= usual.array();
  settings.velocity_factor = dice.each(n, [&] { return dice.scale_or(0.0, 1e-3, 1e2); });
  settings.acceleration_factor = dice.each(n, [&] { return dice.scale_or(0.0, 1e-3, 1e2); });
  settings.reversal_boost = dice.each(n, [&] { return dice.scale_or(0.0, 1e-2, 1e2); });
  settings.low_speed = dice.each(n, [&] { return dice.scale_or(0.0, 1e-3, 10.0); });
  settings.boost_time = dice.scale_or(0.0, 1e-3, slow_filters ? 60.0 : 0.5);
  settings.warn_fraction = dice.within(0.01, 1.0);
  settings.acceleration_step = dice.each(n, [&] { return dice.scale_or(infinity, 1e-2, 1e3); });
  settings.debounce_time = dice.scale_or(0.0, 1e-3, slow_filters ? 1.0 : 0.1);
  settings.torque_threshold =
    dice.each(n, [&] { return dice.one_in(2) ? infinity : dice.scale(5.0, 1e3); });
  settings.torque_threshold.array() *= usual.array();
  return settings;
}

dynid::ControlLawSettings draw_settings(Dice & dice, const Robot & robot)
{
  const auto n = robot.drives();
  dynid::ControlLawSettings settings;
  const double rate = draw_rate(dice);
  auto & torque = settings.feedforward;
  torque.control_rate = rate;
  torque.additive_torque_delay = draw_delay(dice, rate);
  torque.ramp_time = dice.scale_or(0.0, 1e-3, dice.one_in(10) ? 60.0 : 1.0);
  torque.torque_max = dice.each(n, [&] { return dice.scale_or(0.0, 0.1, 1e3); });
  torque.position_jump = dice.each(n, [&] { return dice.scale_or(infinity, 1e-5, 1.0); });
  torque.acceleration_jump = dice.each(n, [&] { return dice.scale_or(infinity, 0.1, 1e6); });
  settings.collision = draw_collision(dice, robot, rate);
  settings.torque_error_delay = dice.one_in(20) ? -1.0 : draw_delay(dice, rate);
  settings.method =
    dice.one_in(2) ? dynid::DetectionMethod::momentum : dynid::DetectionMethod::torque_error;
  settings.observer_gain = dice.scale(std::min(dice.one_in(10) ? 0.01 : 10.0, rate), rate);
  settings.reaction =
    dice.one_in(2) ? dynid::CollisionReaction::hold : dynid::CollisionReaction::decelerate;
  settings.deceleration = dice.each(n, [&] { return dice.scale(1e-3, 1e6); });
  settings.reference_tolerance =
    dice.each(n, [&] { return dice.one_in(4) ? infinity : dice.scale_or(0.0, 1e-6, 10.0); });
  settings.limits = draw_limits(dice, robot);
  settings.stiction.stiction_gain = dice.each(n, [&] { return dice.scale_or(0.0, 0.1, 10.0); });
  settings.stiction.stiction_band = dice.each(n, [&] { return dice.scale(1e-6, 1.0); });
  settings.stiction.dither = dice.each(n, [&] { return dice.scale_or(0.0, 1e-7, 1.0); });
  settings.stiction.dither_frequency = dice.scale(1.0, 1000.0);
  settings.elastic.elastic_cutoff = dice.scale_or(0.0, 0.1, 1000.0);
  settings.elastic.stiffness = dice.each(n, [&] { return dice.scale_or(infinity, 1.0, 1e7); });
  settings.elastic.rotor_inertia = dice.each(n, [&] { return dice.scale_or(0.0, 1e-3, 100.0); });
  settings.elastic.backlash = dice.each(n, [&] { return dice.scale_or(0.0, 1e-6, 0.1); });
  settings.elastic.hardening = dice.each(n, [&] { return dice.scale_or(0.0, 1.0, 1e9); });
  settings.elastic.damping = dice.each(n, [&] { return dice.scale_or(0.0, 1e-3, 1e4); });
  settings.elastic.link_delay = dice.each(n, [&] { return dice.scale_or(0.0, 1e-4, 0.1); });
  settings.elastic = settings.elastic.filled(n);
  settings.max_age = dice.scale(1e-3, 10.0);
  settings.extrapolation_time = dice.one_in(3) ? dice.scale(1e-3, 0.3) : 0.0;
  settings.supervision.longest_blind_stop = dice.scale_or(infinity, 1e-2, 10.0);
  settings.model_monitor.model_check = dice.one_in(2);
  return settings;
}

namespace
{

/// Loops of 10 to 20 rad/s, and limits that leave this robot time to follow.
void make_controllable(Dice & dice, const Robot & robot, dynid::TorqueLawSettings & settings)
{
  const auto n = robot.drives();
  const VectorXd usual = robot.usual_torque();
  // of each drive while the others are free: the loops of all of them together are stable then
  const VectorXd inertia = robot.mass().inverse().diagonal().cwiseInverse();
  const double speed = dice.within(10.0, 20.0);
  auto & law = settings.law;
  const double rate = dice.scale(500.0, 2000.0);
  law.feedforward.additive_torque_delay *= law.feedforward.control_rate / rate;  // as many cycles
  law.feedforward.control_rate = law.collision.control_rate = rate;
  law.feedforward.torque_max = dice.within(3.0, 10.0) * usual;
  law.feedforward.position_jump.setConstant(infinity);
  law.feedforward.acceleration_jump.setConstant(infinity);
  law.observer_gain = std::min(law.observer_gain, 0.5 * rate);
  law.torque_error_delay = 2.0 / rate;
  law.reference_tolerance.setConstant(0.5);
  law.limits.position_min.setConstant(-infinity);
  law.limits.position_max.setConstant(infinity);
  law.limits.velocity_max = dice.each(n, [&] { return dice.scale(0.3, 3.0); });
  law.limits.acceleration_max = dice.each(n, [&] { return dice.scale(1.0, 10.0); });
  law.extrapolation_time = 0.0;
  law.max_age = dice.scale(5e-3, 0.1);
  settings.feedback_delay = 2.0 / rate;
  settings.stiffness = speed * speed * inertia;
  settings.damping = 2.0 * speed * inertia;
  settings.integral_gain =
    dice.one_in(2) ? VectorXd::Zero(n).eval() : (settings.stiffness * 1.0).eval();
  settings.integral_max = 0.2 * usual;
  settings.torque_rate_max = dice.scale(50.0, 500.0) * law.feedforward.torque_max;
  settings.position_error_max.setConstant(dice.scale_or(infinity, 0.05, 1.0));
  settings.speed_max = dice.within(1.2, 3.0) * law.limits.velocity_max;
  settings.stop_damping = dice.within(0.5, 2.0) * settings.damping;
  settings.stop_speed.setConstant(dice.scale(5e-3, 0.05));
  settings.stop_time = dice.within(0.2, 1.0);
}

}  // namespace

double error_delay(const dynid::ControlLawSettings & settings)
{
  return settings.torque_error_delay < 0.0 ? settings.feedforward.additive_torque_delay
                                           : settings.torque_error_delay;
}

dynid::TorqueLawSettings draw_torque_settings(Dice & dice, const Robot & robot, bool controllable)
{
  const auto n = robot.drives();
  dynid::TorqueLawSettings settings;
  settings.law = draw_settings(dice, robot);
  settings.gravity = dice.one_in(3) ? dynid::GravityBy::by_robot : dynid::GravityBy::by_controller;
  settings.compensation = dice.of(
    std::array<dynid::Compensation, 3>{
      dynid::Compensation::gravity, dynid::Compensation::rigid_body, dynid::Compensation::full});
  settings.feedback_delay = draw_delay(dice, settings.law.feedforward.control_rate);
  settings.stiffness = dice.each(n, [&] { return dice.scale_or(0.0, 1e-2, 1e5); });
  settings.damping = dice.each(n, [&] { return dice.scale_or(0.0, 1e-2, 1e4); });
  settings.integral_gain = dice.each(n, [&] { return dice.scale_or(0.0, 1e-2, 1e5); });
  settings.integral_max = dice.each(n, [&] { return dice.scale_or(0.0, 1e-2, 1e3); });
  settings.torque_rate_max = dice.each(n, [&] { return dice.scale_or(infinity, 1.0, 1e6); });
  settings.position_error_max = dice.each(n, [&] { return dice.scale_or(infinity, 1e-3, 10.0); });
  settings.speed_max = dice.each(n, [&] { return dice.scale_or(infinity, 1e-2, 100.0); });
  settings.stop_damping = dice.each(n, [&] { return dice.scale_or(0.0, 1e-2, 1e4); });
  settings.stop_speed = dice.each(n, [&] { return dice.scale(1e-4, 1.0); });
  settings.guiding_friction = dice.within(0.0, 0.9);
  settings.guiding_speed = dice.each(n, [&] { return dice.scale(1e-2, 10.0); });
  settings.guiding_torque = dice.each(n, [&] { return dice.scale_or(infinity, 1e-2, 1e3); });
  settings.wall_distance = dice.each(n, [&] { return dice.scale(1e-3, 10.0); });
  settings.stop_time = dice.scale_or(0.0, 1e-3, 10.0);
  settings.law.limits.velocity_max = settings.law.limits.velocity_max.cwiseMax(0.1);
  settings.law.feedforward.torque_max =
    settings.law.feedforward.torque_max.cwiseMax(2.0 * robot.holding().cwiseAbs());
  if (controllable) {
    make_controllable(dice, robot, settings);
  }
  return settings;
}

}  // namespace fuzz
