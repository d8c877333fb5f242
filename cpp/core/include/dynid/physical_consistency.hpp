#pragma once

#include <Eigen/Core>
#include <string>

#include "dynid/mechanism.hpp"

namespace dynid
{

/// The 4 x 4 pseudo-inertia matrix of ten parameters (m, mc, Ixx, Ixy, Iyy, Ixz, Iyz, Izz): a rigid
/// body exists with these where it is positive definite (Wensing, Kim, Slotine, RA-L 2018, eq. 9).
[[nodiscard]] Eigen::Matrix4d pseudo_inertia(const Eigen::Matrix<double, 10, 1> & inertial);

/// Why these parameters (p,) are not physically consistent, as a sentence; empty where they are:
/// every body's pseudo-inertia is positive definite, and no passive term supplies energy.
[[nodiscard]] std::string physical_problem(
  const Mechanism & mechanism, const VectorIn & parameters);

}  // namespace dynid
