#pragma once

#include <Eigen/Core>
#include <string>

#include "dynid/mechanism.hpp"

namespace dynid
{

/// The 4 x 4 pseudo-inertia matrix of ten parameters (m, mc, Ixx, Ixy, Iyy, Ixz, Iyz, Izz): a rigid
/// body exists with these where it is positive definite (Wensing, Kim, Slotine, RA-L 2018, eq. 9).
[[nodiscard]] Eigen::Matrix4d pseudo_inertia(const Eigen::Matrix<double, 10, 1> & inertial);

/// Why no real robot has these parameters (p,), as a sentence; empty where one can: every body's
/// pseudo-inertia is positive definite, and what is passive takes energy and gives none.
[[nodiscard]] std::string physical_problem(
  const Mechanism & mechanism, const VectorIn & parameters);

}  // namespace dynid
