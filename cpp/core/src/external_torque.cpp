#include "dynid/external_torque.hpp"

#include <Eigen/Cholesky>
#include <cmath>
#include <stdexcept>
#include <string>

#include "numbers.hpp"
#include "setting_checks.hpp"

namespace dynid
{
namespace
{

const double uniform = 1.0 / std::sqrt(3.0);  // standard deviation over half the width

void check_correlation(const Eigen::MatrixXd & correlation, Eigen::Index drives)
{
  if (correlation.rows() != drives || correlation.cols() != drives) {
    throw std::invalid_argument(
      "The correlation has " + std::to_string(correlation.rows()) + " rows and " +
      std::to_string(correlation.cols()) + " columns, but must have " + std::to_string(drives) +
      " each.");
  }
  constexpr double asymmetry = 1e-9;
  const bool symmetric = correlation.allFinite() &&
                         (correlation - correlation.transpose()).cwiseAbs().maxCoeff() < asymmetry;
  const bool normal =
    symmetric && (correlation.diagonal().array() - 1.0).abs().maxCoeff() < asymmetry;
  if (!normal || Eigen::LLT<Eigen::MatrixXd>(correlation).info() != Eigen::Success) {
    throw std::invalid_argument(
      "The correlation must be a symmetric, positive definite matrix with ones on its diagonal.");
  }
}

double checked_gain(double gain, double control_rate)
{
  check_rate("control", control_rate);
  check_range("observer_gain", gain, Setting::least, control_rate);
  return gain;
}

}  // namespace

void TorqueUncertainty::check(Eigen::Index drives) const
{
  using S = Setting;
  check_settings(
    drives, {
              {"constant", constant, S::least, S::most},
              {"per_speed", per_speed, 0.0, S::most},
              {"low_speed", low_speed, 0.0, S::most},
            });
  check_correlation(correlation, drives);
}

ExternalTorqueObserver::ExternalTorqueObserver(
  Eigen::Index drives, const TorqueUncertainty & uncertainty, double gain, double control_rate)
: uncertainty_(checked(uncertainty, drives)),
  observer_(drives, checked_gain(gain, control_rate), control_rate),
  kept_(1.0 - gain / control_rate)
{
  for (auto * vector : {&torque_, &position_, &deviation_, &friction_, &at_rest_}) {
    vector->setZero(drives);
  }
  covariance_.setZero(drives, drives);
}

void ExternalTorqueObserver::restart() noexcept
{
  observer_.restart();
  begun_ = false;
}

void ExternalTorqueObserver::update(
  ControlModel & model, const VectorIn & q, const VectorIn & dq, const VectorIn & tau) noexcept
{
  const bool finite = q.allFinite() && dq.allFinite() && tau.allFinite();
  if (finite) {
    torque_ = observer_.update(model, q, dq, tau);
  }
  if (!finite || !torque_.allFinite()) {  // the loops of a closed chain may not close
    restart();
    torque_.setConstant(nan);
    position_.setConstant(nan);
    covariance_.setConstant(nan);
    return;
  }
  model.observed_friction(friction_);
  friction_ = (dq.array().abs() <= uncertainty_.low_speed.array()).select(uniform * friction_, 0.0);
  if (!begun_) {
    at_rest_ = friction_;
    position_ = q;
    begun_ = true;
  }
  at_rest_ = kept_ * at_rest_ + (1.0 - kept_) * friction_;
  position_ = kept_ * position_ + (1.0 - kept_) * q;
  deviation_ = (uncertainty_.constant.array().square() +
                (uncertainty_.per_speed.array() * dq.array()).square())
                 .sqrt();
  covariance_ = deviation_.asDiagonal() * uncertainty_.correlation * deviation_.asDiagonal();
  covariance_.diagonal() += at_rest_.cwiseAbs2();
}

}  // namespace dynid
