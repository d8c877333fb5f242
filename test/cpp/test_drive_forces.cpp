// External forces do the work that mechanics predicts, for the time requested.

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <vector>

#include "simulated_robots.hpp"

namespace
{

using dynid::ExternalForce;
using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

// given in the last link's frame [N, N m, m]
Vector3d force() { return {3.0, -5.0, 7.0}; }
Vector3d moment() { return {0.5, 0.3, -0.2}; }
Vector3d point() { return {0.1, -0.05, 0.02}; }

/// Frame of the arm's last link, by hand from its URDF.
Matrix3d turned(const Vector2d & q)
{
  return (Eigen::AngleAxisd(q[0], Vector3d::UnitY()) * Eigen::AngleAxisd(q[1], Vector3d::UnitZ()))
    .toRotationMatrix();
}

Vector3d where_pushed(const Vector2d & q)
{
  return Eigen::AngleAxisd(q[0], Vector3d::UnitY()) * Vector3d(0.4, 0.0, 0.0) + turned(q) * point();
}

/// Work of force and moment per unit of joint motion, by finite differences.
double virtual_work(const Vector2d & q, Eigen::Index joint)
{
  constexpr double h = 1e-5;
  const Vector2d ahead = q + h * Vector2d::Unit(joint);
  const Vector2d behind = q - h * Vector2d::Unit(joint);
  const Vector3d shift = (where_pushed(ahead) - where_pushed(behind)) / (2.0 * h);
  const Matrix3d rate = (turned(ahead) - turned(behind)) / (2.0 * h) * turned(q).transpose();
  const Vector3d turn(rate(2, 1), rate(0, 2), rate(1, 0));
  return (turned(q) * force()).dot(shift) + (turned(q) * moment()).dot(turn);
}

TEST(DriveForces, JointTorqueOfAForceIsItsVirtualWork)
{
  auto plant = arm(plain(2));
  const Vector2d q(0.7, -0.4);
  plant.reset(q);
  plant.inject(ExternalForce{plant.link("b"), force(), moment(), point()});
  plant.step(plant.position(), Vector2d::Zero());
  const VectorXd & torque = plant.truth().external_torque;
  for (Eigen::Index joint = 0; joint < 2; ++joint) {
    // central differences err by h^2, rounding by 1e-16 / h
    EXPECT_NEAR(torque[joint], virtual_work(q, joint), 1e-8)
      << "its torque at joint " << joint << " is its virtual work";
  }
}

TEST(DriveForces, EnergyChangesByTheWorkOfDrivesAndForce)
{
  auto settings = plain(1);
  settings.integration_rate = 1e5;
  settings.control_rate = 1e5;
  auto plant = pendulum(settings);
  plant.reset(zero);
  plant.inject(
    ExternalForce{
      plant.link("bob"), {0.0, 0.0, -20.0}, Vector3d::Zero(), {0.5, 0.0, 0.0}, 0.05, 0.2});
  const auto energy = [&] {
    const double speed = plant.truth().velocity[0];
    return 0.5 * inertia * speed * speed - weight * std::sin(plant.truth().position[0]);
  };
  const double before = energy();
  double work = 0.0;
  double pushed = 0.0;
  for (int k = 0; k < 30000; ++k) {
    const double from = plant.truth().position[0];
    plant.step(zero, zero);
    const double path = plant.truth().position[0] - from;
    work += (plant.truth().torque[0] + plant.truth().external_torque[0]) * path;
    pushed += std::abs(plant.truth().external_torque[0] * path);
  }
  EXPECT_GT(pushed, 0.01) << "the force does work";
  EXPECT_LT(std::abs(energy() - before - work), 1e-4 * pushed) << "and energy is conserved";
}

TEST(DriveForces, AForceRisesLastsAndEnds)
{
  auto plant = pendulum(plain(1));
  plant.reset(zero);
  ExternalForce pushing{plant.link("bob"), {0.0, 0.0, -8.0}, Vector3d::Zero(), {0.5, 0.0, 0.0}};
  pushing.rise = 0.010;
  pushing.duration = 0.030;
  plant.inject(pushing);
  std::vector<double> torques;
  for (int k = 0; k < 40; ++k) {
    plant.step(zero, zero);
    torques.push_back(plant.truth().external_torque[0]);
  }
  EXPECT_NEAR(torques[4], 4.0 * 0.45, 1e-6) << "in the fifth of ten cycles it is at 45 %";
  EXPECT_NEAR(torques[29], 4.0, 1e-6) << "then it has its full size";
  EXPECT_EQ(torques[30], 0.0) << "and after its duration it is zero";
  pushing.duration = infinity;
  plant.inject(pushing);
  for (int k = 0; k < 40; ++k) {
    plant.step(zero, zero);
  }
  const double lasting = plant.truth().external_torque[0];
  plant.inject(ExternalForce{});
  plant.step(zero, zero);
  EXPECT_GT(lasting, 3.9) << "a force on no link removes it";
  EXPECT_EQ(plant.truth().external_torque[0], 0.0);
  plant.inject(pushing);
  plant.reset(zero);
  plant.step(zero, zero);
  EXPECT_EQ(plant.truth().external_torque[0], 0.0) << "and so does a reset";
}

}  // namespace
