#pragma once

#include <Eigen/Core>
#include <array>

#include "dynid/control_law.hpp"

namespace dynid
{

/// The motion of motors whose links follow a reference behind gears that bend.
///
/// The links' positions are a flat output (De Luca and Book, Springer Handbook of Robotics, 2016):
/// with the link torque t of the reference q, the motors are at q + d(t), d = t / K and half the
/// backlash on the side of t, and need J d2d/dt2 beyond the torque of rigid joints. That takes the
/// third and fourth derivatives of the reference, which references do not have: they pass through
/// five equal lags, of which q, its velocity and acceleration are states. The derivatives of d are
/// differences of its last values.
///
/// Where lead and torque would jump, because the model changed, or because the robot begins at a
/// position that is the motors', the difference fades over ramp_time.
///
/// Vectors (n,); for control cycles: no allocation, lock or exception.
class ElasticReference
{
public:
  /// `checked` settings.
  ElasticReference(Eigen::Index drives, const ControlLawSettings & checked);

  /// Begins again: the motors are where the next reference is.
  void restart() noexcept;

  /// The model in use has changed.
  void model_changed() noexcept { changed_ = true; }

  /// One cycle: a reference with a finite position, which jumped, or moved on in so many cycles;
  /// without a model, the motors do not lead. Returns the whole cycles in which the motors moved
  /// on. Where no joint is elastic, links and motors move as the reference does.
  double update(ControlModel * model, const Reference & given, bool jumped, double cycles) noexcept;

  [[nodiscard]] const Reference & links() const noexcept { return links_; }
  [[nodiscard]] const Reference & motors() const noexcept { return motors_; }

  /// How far the motors lead the links.
  [[nodiscard]] const Eigen::VectorXd & lead() const noexcept { return lead_; }

  /// Torque by which the motors accelerate beyond their links.
  [[nodiscard]] const Eigen::VectorXd & torque() const noexcept { return torque_; }

  static constexpr int order = 5;  ///< of the filter

private:
  static constexpr std::size_t differences = 4;  // values of the lead for two derivatives
  using States = Eigen::Matrix<double, order, Eigen::Dynamic>;

  void advance(const VectorIn & reference) noexcept;
  void remember(ControlModel * model) noexcept;
  void bend(ControlModel * model, double time, Eigen::VectorXd & lead) noexcept;
  void compose(bool other) noexcept;

  ElasticSettings settings_;
  bool enabled_;
  double rate_;       // [Hz]
  double fade_step_;  // in a cycle, of 1
  Eigen::Matrix<double, order, order> transition_;
  Eigen::Matrix<double, order, 1> gain_;
  States states_;  // derivatives 0 to 4 of the links' position
  States next_;
  ControlModel * model_ = nullptr;  // of the last cycle
  bool changed_ = false;
  bool started_ = false;                            // whether there is a cycle before
  double faded_ = 1.0;                              // 0 to 1, how much of the difference is gone
  Eigen::VectorXd difference_;                      // of the lead
  Eigen::VectorXd torque_difference_;               // of the torque
  Eigen::VectorXd farthest_;                        // lead
  Eigen::VectorXd last_;                            // reference
  Eigen::VectorXd due_;                             // reference of a nominal cycle
  std::array<Eigen::VectorXd, differences> leads_;  // of the model, the latest first
  Eigen::VectorXd rate_of_lead_;
  Eigen::VectorXd bend_of_lead_;
  Eigen::VectorXd lead_;
  Eigen::VectorXd torque_;
  Eigen::VectorXd needed_;  // torque, before it fades
  Reference links_;
  Reference motors_;
};

}  // namespace dynid
