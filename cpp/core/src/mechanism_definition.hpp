#pragma once

#include <Eigen/Cholesky>
#include <memory>
#include <pinocchio/multibody/data.hpp>
#include <string>
#include <vector>

#include "closed_chain.hpp"
#include "dynid/kinematic_tree.hpp"
#include "dynid/mechanism.hpp"
#include "urdf_tree.hpp"

namespace dynid
{

/// A term's torque per unit of its parameter, where it is so simple that no call is needed.
enum class PlainColumn
{
  one,
  position,
  velocity,
  acceleration,
  none
};

/// What a control cycle needs of a JointTerm, which is many times as large.
struct TermStep
{
  static constexpr int plain_columns = 4;  // at a joint, and as many at a motor

  explicit TermStep(const JointTerm & term);

  int plain;  // its number, of twice plain_columns; -1: none
  bool at_motor;
  bool remembers;
  int joint;
};

/// The data of a mechanism, behind a pointer that keeps pinocchio out of its header.
struct Mechanism::Definition
{
  explicit Definition(const MechanismDescription & description);

  /// Sets the parameters, and pinocchio's inertias from them.
  void set_parameters(const VectorIn & values);

  UrdfTree tree;
  std::vector<std::string> joints;           // that move: actuated, then passive
  std::shared_ptr<const ClosedChain> chain;  // null for a tree
  bool semi_static;
  std::vector<JointTerm> terms;
  std::vector<TermStep> term_steps;  // of each
  Eigen::MatrixXd coupling;          // T
  Eigen::MatrixXd to_motor;  // T^-1, q_motor = to_motor q_joint, tau_joint = to_motor^T tau_motor
  bool any_motor_term = false;
  bool any_load_term = false;
  Eigen::Index memory_count = 0;  // terms with memory
  std::vector<std::string> body_joints;
  Eigen::Index payload_body = 0;
  Eigen::Index first_term = 0;   // ten parameters for each body are before it
  Eigen::MatrixXd axes;          // of the bodies' joints, in their frames
  Eigen::MatrixXd term_rows;     // column k: joint rows of term k per unit of its torque
  Eigen::MatrixX2d largest_dry;  // dry friction of term k per unit, forwards and backwards
  Eigen::VectorXd dry_forwards;  // the sum of those that do not depend on load, of the parameters
  Eigen::VectorXd dry_backwards;
  Eigen::VectorXd dry_either;            // the larger one
  std::vector<Eigen::Index> loaded_dry;  // the others, at joints
  std::vector<bool> prismatic;
  std::vector<std::string> names;
  std::vector<std::string> units;
  Eigen::Matrix<bool, Eigen::Dynamic, Eigen::Dynamic> may_depend;
  Eigen::VectorXd urdf_parameters;
  Eigen::VectorXd parameters;
  Eigen::MatrixXd term_inertia;  // what rotor inertias add to the mass matrix
  std::string problem;           // of the parameters, as a sentence; empty where there is none

private:
  void name_bodies(const MechanismDescription & description);
  void name_terms();
  void find_dependence();
  void sum_dry_friction();
};

struct Workspace::Memory
{
  explicit Memory(const Mechanism::Definition & definition);

  pinocchio::Data data;
  TreeMotion motion;
  std::unique_ptr<ClosedChain::Memory> chain;  // null for a tree
  // of all moving joints, in the order of pinocchio's
  Eigen::VectorXd q;
  Eigen::VectorXd dq;
  // of all moving joints, by number
  Eigen::VectorXd zero;
  Eigen::VectorXd one;
  Eigen::VectorXd tree_q;
  Eigen::VectorXd tree_tau;
  Eigen::VectorXd tree_gradient;
  Eigen::VectorXd load;  // gravity torque of each
  RowMajorMatrix gravity_rows;
  RowMajorMatrix tree_rows;
  RowMajorMatrix vectors;      // of all moving joints, one a row
  std::vector<Axis> combined;  // of each body and vector
  Eigen::MatrixXd tree_mass;
  Eigen::MatrixXd tree_coriolis;
  Eigen::MatrixXd tree_product;
  // motor states, in drive order
  Eigen::VectorXd motor_q;
  Eigen::VectorXd motor_dq;
  Eigen::VectorXd motor_ddq;
  // of the actuated joints, in drive order
  Eigen::VectorXd bias;
  RowMajorMatrix mass;
  Eigen::VectorXd term_values;
  std::vector<Presliding> presliding;
  Eigen::LLT<Eigen::MatrixXd> cholesky;
};

}  // namespace dynid
