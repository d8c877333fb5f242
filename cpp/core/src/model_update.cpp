#include "dynid/model_update.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <random>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "dynid/physical_consistency.hpp"
#include "setting_checks.hpp"

namespace dynid
{
namespace
{

constexpr int state_count = 200;
constexpr int tried_per_state = 20;    // a closed chain does not reach all positions
constexpr double body_share = 0.01;    // standard deviation of a link over its value
constexpr double reach = 0.2;          // of a payload's centre of mass from its joint [m]
constexpr double radius = 0.1;         // of gyration of a payload [m]
constexpr double least_radius = 0.02;  // of gyration [m]
constexpr double least_deviation = 1e-9;
constexpr double covariance_rounding = 1e-6;

[[noreturn]] void refuse(const std::string & why)
{
  throw std::invalid_argument("The model update is refused: " + why);
}

/// Squares of a body's ten parameters, of a mass at a distance with a squared radius of gyration.
Eigen::Matrix<double, 10, 1> squares(double mass, double distance, double square)
{
  Eigen::Matrix<double, 10, 1> found;
  found << mass, Eigen::Vector3d::Constant(mass * distance),
    Eigen::Matrix<double, 6, 1>::Constant(mass * square);
  return found.array().square();
}

/// The chi-squared quantile at the probability of a normal variable below k (one-sided).
double chi_squared(double freedom, double k)
{
  const double spread = 2.0 / (9.0 * freedom);
  return freedom * std::pow(1.0 - spread + k * std::sqrt(spread), 3.0);
}

/// A value from -1 to 1, the same on every machine.
double draw(std::mt19937 & random)
{
  return 2.0 * static_cast<double>(random()) / static_cast<double>(std::mt19937::max()) - 1.0;
}

}  // namespace

void PlausibleChange::check() const
{
  check_range("payload", payload, 0.0, Setting::most);
  check_range("friction", friction, 0.0, 10.0);
}

Eigen::VectorXd plausible_deviations(const Mechanism & mechanism, const PlausibleChange & change)
{
  const auto & values = mechanism.parameters();
  const auto bodies = static_cast<Eigen::Index>(mechanism.body_joints().size());
  Eigen::VectorXd found(values.size());
  for (Eigen::Index body = 0; body < bodies; ++body) {
    const Eigen::Matrix<double, 10, 1> own = values.segment<10>(10 * body);
    const double mass = std::abs(own[0]);
    const double trace = std::abs(pseudo_inertia(own).topLeftCorner<3, 3>().trace());
    const double size = mass > 0.0 ? std::max(std::sqrt(trace / mass), least_radius) : 0.0;
    Eigen::Matrix<double, 10, 1> sum = squares(body_share * mass, size, size * size);
    if (body == mechanism.payload_body()) {
      sum += squares(change.payload, reach, reach * reach + radius * radius);
    }
    found.segment<10>(10 * body) = sum.cwiseSqrt();
  }
  const auto & terms = mechanism.terms();
  for (std::size_t k = 0; k < terms.size(); ++k) {
    const auto at = 10 * bodies + static_cast<Eigen::Index>(k);
    const double share = terms[k].kind->inertial() ? body_share : change.friction;
    found[at] = share * std::abs(values[at]);
  }
  return found.cwiseMax(least_deviation);
}

void WorkspaceLimits::check(Eigen::Index drives) const
{
  using S = Setting;
  check_settings(
    drives, {
              {"position_min", position_min, -S::most, S::most},
              {"position_max", position_max, -S::most, S::most},
              {"velocity", velocity, 0.0, S::most},
              {"acceleration", acceleration, 0.0, S::most},
            });
  if (!(position_min.array() <= position_max.array()).all()) {
    throw std::invalid_argument("A position_min is above its position_max.");
  }
}

void ModelUpdateLimits::check(Eigen::Index drives) const
{
  using S = Setting;
  check_range("deviations", deviations, S::least, 1e3);
  change.check();
  check_settings(drives, {{"torque_difference", torque_difference, S::least, S::most}});
  workspace.check(drives);
}

ModelUpdateCheck::ModelUpdateCheck(
  MechanismDescription description, const VectorIn & parameters, const VectorIn & smoothing,
  bool motor_side, ModelUpdateLimits limits)
: description_(std::move(description)),
  mechanism_(Mechanism(description_).with_parameters(parameters)),
  smoothing_(smoothing),
  motor_side_(motor_side),
  limits_(std::move(limits)),
  variance_(plausible_deviations(mechanism_, limits_.change).array().square())
{
  limits_.check(mechanism_.joint_count());
  make_states();
}

void ModelUpdateCheck::make_states()
{
  const auto n = mechanism_.joint_count();
  const auto & box = limits_.workspace;
  ControlModel model(description_, mechanism_.parameters(), smoothing_, motor_side_);
  auto workspace = mechanism_.workspace();
  const Eigen::MatrixXd side =
    motor_side_ ? mechanism_.coupling() : Eigen::MatrixXd(Eigen::MatrixXd::Identity(n, n));
  std::mt19937 random(1);  // NOLINT(bugprone-random-generator-seed): always the same states
  const Eigen::VectorXd middle = 0.5 * (box.position_min + box.position_max);
  const Eigen::VectorXd half = 0.5 * (box.position_max - box.position_min);
  const auto within = [&](const Eigen::VectorXd & width) -> Eigen::VectorXd {
    return width.unaryExpr([&random](double one) { return one * draw(random); });
  };
  for (int k = 0; k < tried_per_state * state_count; ++k) {
    State state{
      middle + within(half), within(box.velocity), within(box.acceleration), Eigen::VectorXd(n),
      RowMajorMatrix(n, mechanism_.parameter_count())};
    model.reset_memory();
    model.torque(FeedforwardMode::full, state.q, state.dq, state.ddq, state.torque);
    if (!state.torque.allFinite()) {
      continue;
    }
    mechanism_.reset_memory(workspace);
    mechanism_.regressor(workspace, side * state.q, side * state.dq, side * state.ddq, state.rows);
    state.rows = (side.transpose() * state.rows).eval();
    states_.push_back(std::move(state));
    if (states_.size() == state_count) {
      return;
    }
  }
  throw std::invalid_argument(
    "The model's loops can be closed at only " + std::to_string(states_.size()) + " of " +
    std::to_string(tried_per_state * state_count) +
    " positions within the position limits; narrow these to the range in which the robot moves.");
}

std::unique_ptr<ControlModel> ModelUpdateCheck::checked(const ModelUpdate & update)
{
  check_values(update);
  check_deviations(update);
  auto model =
    std::make_unique<ControlModel>(description_, update.parameters, smoothing_, motor_side_);
  check_torque(update, *model);
  return model;
}

void ModelUpdateCheck::check_values(const ModelUpdate & update) const
{
  const auto p = mechanism_.parameter_count();
  const auto & covariance = update.covariance;
  if (update.parameters.size() != p || covariance.rows() != p || covariance.cols() != p) {
    refuse(
      "it must have " + std::to_string(p) +
      " parameters and their covariance, those of the model "
      "in use.");
  }
  if (!update.parameters.allFinite() || !covariance.allFinite()) {
    refuse("a value is not a finite number.");
  }
  const Eigen::VectorXd scale = (variance_ + covariance.diagonal().cwiseMax(0.0)).cwiseSqrt();
  const Eigen::MatrixXd scaled =
    scale.cwiseInverse().asDiagonal() * covariance * scale.cwiseInverse().asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(scaled, Eigen::EigenvaluesOnly);
  if (
    (scaled - scaled.transpose()).cwiseAbs().maxCoeff() > covariance_rounding ||
    !(solver.eigenvalues()[0] >= -covariance_rounding)) {
    refuse("its covariance is not symmetric and positive semidefinite.");
  }
  const auto problem = physical_problem(mechanism_, update.parameters);
  if (!problem.empty()) {
    refuse("it is not physically consistent, " + problem + ".");
  }
}

void ModelUpdateCheck::check_deviations(const ModelUpdate & update) const
{
  const double k = limits_.deviations;
  const Eigen::VectorXd change = update.parameters - mechanism_.parameters();
  Eigen::MatrixXd sum = update.covariance;
  sum.diagonal() += variance_;
  const Eigen::VectorXd deviations = sum.diagonal().cwiseSqrt();
  const Eigen::VectorXd scaled = change.cwiseQuotient(deviations);
  Eigen::Index worst = 0;
  const double largest = scaled.cwiseAbs().maxCoeff(&worst);
  std::ostringstream text;
  if (!(largest <= k)) {
    text << "'" << mechanism_.parameter_names()[static_cast<std::size_t>(worst)] << "' differs by "
         << change[worst] << " from the accepted model, " << largest
         << " standard deviations; allowed are " << k << ".";
    refuse(text.str());
  }
  const Eigen::MatrixXd correlation =
    deviations.cwiseInverse().asDiagonal() * sum * deviations.cwiseInverse().asDiagonal();
  const double distance = scaled.dot(correlation.ldlt().solve(scaled));
  const double most = chi_squared(static_cast<double>(change.size()), k);
  if (!(distance <= most)) {
    text << "its squared distance from the accepted model, in standard deviations, is " << distance
         << "; allowed are " << most << ".";
    refuse(text.str());
  }
}

void ModelUpdateCheck::check_torque(const ModelUpdate & update, ControlModel & model) const
{
  Eigen::VectorXd torque(mechanism_.joint_count());
  for (const auto & state : states_) {
    model.reset_memory();
    model.torque(FeedforwardMode::full, state.q, state.dq, state.ddq, torque);
    const Eigen::VectorXd variance =
      (state.rows * update.covariance).cwiseProduct(state.rows).rowwise().sum();
    const Eigen::VectorXd difference =
      (torque - state.torque).cwiseAbs() + limits_.deviations * variance.cwiseMax(0.0).cwiseSqrt();
    for (Eigen::Index i = 0; i < difference.size(); ++i) {
      if (!(difference[i] <= limits_.torque_difference[i])) {
        std::ostringstream text;
        text << "with its uncertainty, the torque of '"
             << description_.joints[static_cast<std::size_t>(i)] << "' differs by up to "
             << difference[i] << " N m or N from the accepted model in the workspace; allowed are "
             << limits_.torque_difference[i] << ".";
        refuse(text.str());
      }
    }
  }
  model.reset_memory();
}

}  // namespace dynid
