#pragma once

#include <Eigen/Cholesky>
#include <pinocchio/multibody/data.hpp>
#include <string>
#include <vector>

#include "dynid/kinematic_tree.hpp"
#include "dynid/mechanism.hpp"
#include "urdf_tree.hpp"

namespace dynid
{

/// Everything a mechanism is, behind the pointer that keeps pinocchio out of its header.
struct Mechanism::Definition
{
  explicit Definition(const MechanismDescription & description);

  /// Sets the parameters, and pinocchio's inertias from them.
  void set_parameters(const VectorIn & values);

  UrdfTree tree;
  std::vector<JointTerm> terms;
  Eigen::MatrixXd coupling;  // T
  Eigen::MatrixXd to_motor;  // T^-1, q_motor = to_motor q_joint, tau_joint = to_motor^T tau_motor
  bool any_motor_term = false;
  bool any_load_term = false;
  Eigen::Index memory_count = 0;  // terms with memory
  Eigen::MatrixXd axes;           // of the joints, in their frames
  Eigen::MatrixXd term_rows;      // column k: joint rows of term k per unit of its torque
  std::vector<bool> prismatic;
  std::vector<std::string> names;
  std::vector<std::string> units;
  Eigen::Matrix<bool, Eigen::Dynamic, Eigen::Dynamic> may_depend;
  Eigen::VectorXd urdf_parameters;
  Eigen::VectorXd parameters;
  Eigen::MatrixXd term_inertia;  // what rotor inertias add to the mass matrix
  std::string problem;           // of the parameters, as a sentence; empty where there is none
};

struct Workspace::Memory
{
  explicit Memory(const Mechanism::Definition & definition);

  pinocchio::Data data;
  TreeMotion motion;
  // joint states in the order of pinocchio's joints
  Eigen::VectorXd q;
  Eigen::VectorXd dq;
  Eigen::VectorXd ddq;
  Eigen::VectorXd zero;
  // motor states, in drive order
  Eigen::VectorXd motor_q;
  Eigen::VectorXd motor_dq;
  Eigen::VectorXd motor_ddq;
  Eigen::VectorXd bias;
  Eigen::VectorXd load;  // torque that gravity asks of each joint
  Eigen::VectorXd term_values;
  std::vector<Presliding> presliding;
  RowMajorMatrix gravity_rows;
  RowMajorMatrix mass;
  Eigen::LLT<Eigen::MatrixXd> cholesky;
};

}  // namespace dynid
