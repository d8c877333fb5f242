#include "dynid/gram.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace dynid
{
namespace
{

constexpr Eigen::Index block_size = 256;

/// The Gram matrix of one joint, over the columns that its row can depend on.
class JointGram
{
public:
  JointGram(const Mechanism & mechanism, Eigen::Index joint, const std::vector<int> & columns)
  : joint_(joint), size_(static_cast<Eigen::Index>(columns.size()))
  {
    for (std::size_t k = 0; k < columns.size(); ++k) {
      if (mechanism.may_depend(joint, columns[k])) {
        columns_.push_back(columns[k]);
        places_.push_back(static_cast<Eigen::Index>(k));
      }
    }
    places_.push_back(size_);  // the torque
    const auto rows = static_cast<Eigen::Index>(places_.size());
    block_.setZero(rows, block_size);
    gram_.setZero(rows, rows);
  }

  /// `root` is the square root of the sample's weight.
  void add(const RowMajorMatrix & regressor, double tau, double root)
  {
    double * const sample = block_.col(filled_).data();
    const double * const row = regressor.row(joint_).data();
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      sample[k] = root * row[columns_[k]];
    }
    sample[columns_.size()] = root * tau;
    if (++filled_ == block_size) {
      flush();
    }
  }

  void flush()
  {
    gram_.selfadjointView<Eigen::Lower>().rankUpdate(block_.leftCols(filled_));
    filled_ = 0;
  }

  void add_to(double * out) const
  {
    Eigen::Map<RowMajorMatrix> full(out, size_ + 1, size_ + 1);
    for (std::size_t i = 0; i < places_.size(); ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        const double entry = gram_(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
        full(places_[i], places_[j]) += entry;
        if (i != j) {
          full(places_[j], places_[i]) += entry;
        }
      }
    }
  }

private:
  Eigen::Index joint_;
  Eigen::Index size_;
  std::vector<int> columns_;
  std::vector<Eigen::Index> places_;
  Eigen::MatrixXd block_;
  Eigen::MatrixXd gram_;
  Eigen::Index filled_ = 0;
};

void check(
  const Mechanism & mechanism, const States & states, const Samples & tau,
  const std::vector<int> & columns)
{
  states.check(mechanism);
  States{tau, states.dq, states.ddq}.check(mechanism);
  for (const int column : columns) {
    if (column < 0 || column >= mechanism.parameter_count()) {
      throw std::invalid_argument(
        "There is no column " + std::to_string(column) + ": the regressor has " +
        std::to_string(mechanism.parameter_count()) + ".");
    }
  }
}

}  // namespace

void accumulate_gram(
  const Mechanism & mechanism, const States & states, const Samples & tau,
  const std::vector<int> & columns, const double * weights, double * out, Past past)
{
  check(mechanism, states, tau, columns);
  const auto n = mechanism.joint_count();
  std::vector<JointGram> joints;
  joints.reserve(static_cast<std::size_t>(n));
  for (Eigen::Index j = 0; j < n; ++j) {
    joints.emplace_back(mechanism, j, columns);
  }
  auto workspace = restored_workspace(mechanism, past);
  RowMajorMatrix regressor(n, mechanism.parameter_count());
  using Sample = Eigen::Map<const Eigen::VectorXd>;
  for (Eigen::Index i = 0; i < states.q.rows(); ++i) {
    mechanism.regressor(
      workspace, Sample(states.q.data() + i * n, n), Sample(states.dq.data() + i * n, n),
      Sample(states.ddq.data() + i * n, n), regressor);
    require_closed(mechanism, workspace, Sample(states.q.data() + i * n, n), i);
    for (Eigen::Index j = 0; j < n; ++j) {
      const double weight = weights == nullptr ? 1.0 : weights[i * n + j];
      if (weight > 0.0) {
        joints[static_cast<std::size_t>(j)].add(regressor, tau(i, j), std::sqrt(weight));
      }
    }
  }
  save_memory(workspace, past);
  const auto size = static_cast<Eigen::Index>(columns.size()) + 1;
  for (Eigen::Index j = 0; j < n; ++j) {
    auto & joint = joints[static_cast<std::size_t>(j)];
    joint.flush();
    joint.add_to(out + j * size * size);
  }
}

void accumulate_products(
  const Mechanism & mechanism, const States & states, const Samples & vectors, double * out,
  Past past)
{
  states.check(mechanism);
  const auto n = mechanism.joint_count();
  if (vectors.cols() != states.q.size()) {
    throw std::invalid_argument("Each vector must have one number for each joint and sample.");
  }
  Eigen::Map<RowMajorMatrix> products(out, vectors.rows(), mechanism.parameter_count());
  auto workspace = restored_workspace(mechanism, past);
  RowMajorMatrix here(vectors.rows(), n);
  using Sample = Eigen::Map<const Eigen::VectorXd>;
  for (Eigen::Index i = 0; i < states.q.rows(); ++i) {
    here = vectors.middleCols(i * n, n);
    mechanism.add_products(
      workspace, Sample(states.q.data() + i * n, n), Sample(states.dq.data() + i * n, n),
      Sample(states.ddq.data() + i * n, n), here, products);
    require_closed(mechanism, workspace, Sample(states.q.data() + i * n, n), i);
  }
  save_memory(workspace, past);
}

}  // namespace dynid
