// Cost of dynid's regressor and Gram matrices, against a bare loop of pinocchio's
// computeJointTorqueRegressor over the same samples in the same run.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <pinocchio/algorithm/regressor.hpp>
#include <pinocchio/multibody/data.hpp>
#include <pinocchio/parsers/urdf.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "dynid/gram.hpp"

namespace
{

constexpr Eigen::Index joint_count = 6;
constexpr Eigen::Index sample_count = 50000;
constexpr int repetitions = 7;

/// Six revolute joints about alternating axes, as on an industrial arm.
std::string arm_urdf()
{
  const std::array<const char *, joint_count> axes{"0 0 1", "0 1 0", "0 1 0",
                                                   "1 0 0", "0 1 0", "1 0 0"};
  std::ostringstream text;
  text << "<robot name='arm'><link name='l0'/>";
  for (std::size_t i = 1; i <= axes.size(); ++i) {
    text << "<link name='l" << i << "'><inertial><origin xyz='0.1 0.02 0.05'/><mass value='3'/>"
         << "<inertia ixx='.03' iyy='.03' izz='.03' ixy='.001' ixz='.002' iyz='0'/></inertial>"
         << "</link><joint name='j" << i << "' type='revolute'><parent link='l" << i - 1
         << "'/><child link='l" << i << "'/><origin xyz='0.1 0 0.3' rpy='0.1 0.2 0.3'/><axis xyz='"
         << axes.at(i - 1) << "'/><limit lower='-6' upper='6' effort='9' velocity='9'/></joint>";
  }
  return text.str() + "</robot>";
}

dynid::Mechanism arm_with_friction(const std::string & urdf)
{
  dynid::MechanismDescription description;
  description.urdf_xml = urdf;
  for (int i = 0; i < static_cast<int>(joint_count); ++i) {
    description.joints.push_back("j" + std::to_string(i + 1));
    for (const char * kind : {"viscous", "coulomb", "rotor_inertia"}) {
      description.terms.push_back({&dynid::term_kind(kind), i});
    }
  }
  return dynid::Mechanism(description);
}

template <typename Function>
double seconds(Function && function)
{
  const auto start = std::chrono::steady_clock::now();
  function();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values)
{
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

int main()
{
  const auto urdf = arm_urdf();
  const auto mechanism = arm_with_friction(urdf);
  pinocchio::Model model;
  pinocchio::urdf::buildModelFromXML(urdf, model);
  pinocchio::Data data(model);

  std::srand(1);
  const dynid::RowMajorMatrix q = dynid::RowMajorMatrix::Random(sample_count, joint_count);
  const dynid::RowMajorMatrix dq = dynid::RowMajorMatrix::Random(sample_count, joint_count);
  const dynid::RowMajorMatrix ddq = dynid::RowMajorMatrix::Random(sample_count, joint_count);
  const auto map = [](const auto & m) { return dynid::Samples(m.data(), m.rows(), m.cols()); };
  const dynid::States states{map(q), map(dq), map(ddq)};
  const auto p = mechanism.parameter_count();
  std::vector<double> regressors(static_cast<std::size_t>(sample_count * joint_count * p));
  std::vector<double> grams(static_cast<std::size_t>(joint_count * (p + 1) * (p + 1)));
  std::vector<int> columns(static_cast<std::size_t>(p));
  std::iota(columns.begin(), columns.end(), 0);

  std::vector<double> bare;
  std::vector<double> batched;
  std::vector<double> gram;
  double checksum = 0.0;  // so that the bare loop is not optimised away
  Eigen::VectorXd row_q(joint_count);
  Eigen::VectorXd row_dq(joint_count);
  Eigen::VectorXd row_ddq(joint_count);
  for (int run = 0; run < repetitions; ++run) {
    bare.push_back(seconds([&] {
      for (Eigen::Index i = 0; i < sample_count; ++i) {
        row_q = q.row(i);
        row_dq = dq.row(i);
        row_ddq = ddq.row(i);
        checksum += pinocchio::computeJointTorqueRegressor(model, data, row_q, row_dq, row_ddq)(
          joint_count - 1, 10 * joint_count - 1);
      }
    }));
    batched.push_back(
      seconds([&] { dynid::batch::regressor(mechanism, states, regressors.data()); }));
    gram.push_back(seconds([&] {
      dynid::accumulate_gram(mechanism, states, states.q, columns, nullptr, grams.data());
    }));
  }
  const double reference = median(bare);
  std::cout << sample_count << " samples, " << joint_count << " joints, median of " << repetitions
            << " runs\n"
            << "pinocchio computeJointTorqueRegressor, bare loop: " << reference << " s\n"
            << "dynid regressor, " << p << " columns, stored:     " << median(batched)
            << " s, ratio " << median(batched) / reference << "\n"
            << "dynid Gram matrices of 6 joints:              " << median(gram) << " s, ratio "
            << median(gram) / reference << "\n";
  return checksum == 0.0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
