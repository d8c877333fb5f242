#pragma once

#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include "dynid/mechanism.hpp"

namespace dynid
{

/// A kind of contact: the mean of w w^T (6, 6), with w the force and the moment about the region's
/// centre, in the link's axes, for forces of size 1 N at all points of a surface [1, m, m^2].
///
/// Forces of any direction: diag(I, tr(P) I - P) / 3, with P the covariance of the points. Forces
/// without friction are normal to the surface; such kinds are needed because a force on a straight
/// side of a link, or on an end, may have no moment about a joint's axis at all.
struct ContactKind
{
  double weight = 1.0;  ///< relative to the other kinds of the region
  Eigen::Matrix<double, 6, 6> wrench;
};

/// The surface of a link on which contacts are expected, as far as it matters for torques: mean and
/// covariance of its points, in the link's frame.
struct ContactRegion
{
  std::string link;            ///< of the URDF, one that moves
  Eigen::Vector3d centre;      ///< [m]
  Eigen::Matrix3d covariance;  ///< [m^2]
  std::vector<ContactKind> kinds;
};

struct ContactSettings
{
  /// Of the squared Mahalanobis distance of the external torque from 0, above which it is a contact
  double threshold = 0.0;
  double confidence = 0.95;  ///< least probability of a link to be the one in contact
  /// Of a force [N], and for moments of this on a lever as long as a link is wide: what has a
  /// larger standard deviation is unobservable. What no joint feels is so in any case.
  double largest_deviation = infinity;

  /// Throws std::invalid_argument, with a sentence for the user, where a value is invalid.
  void check() const;
};

/// Force [N] and moment [N*m] that the environment exerts on a link, about its origin and in its
/// axes. Components that the external torque does not determine are NaN, their variances infinite,
/// and their covariances 0.
struct WrenchEstimate
{
  Eigen::Matrix<double, 6, 1> value;
  Eigen::Matrix<double, 6, 6> covariance;
};

/// Force [N] at an unknown point of a ContactRegion, in the axes of its link, and likewise.
struct ForceEstimate
{
  Eigen::Vector3d value;
  Eigen::Matrix3d covariance;
};

/// Finds the link in contact, and external wrenches, from external torque r with covariance S (De
/// Luca, Mattone, ICRA 2005; Haddadin, De Luca, Albu-Schaeffer, IEEE T-RO 33, 2017).
///
/// A wrench w on a link causes r = J^T w + e, e ~ N(0, S): nothing at joints that do not carry the
/// link. There is contact where r^T S^-1 r exceeds the threshold. Which link it is on follows by
/// Bayes' rule from the likelihoods
///
///     r ~ N(0, S + s^2 J^T D J),
///
/// of forces of size s, D the ContactKind and J the Jacobian at the region's centre, averaged over
/// the kinds of a region and over s on a logarithmic scale that is the same for all links. A link
/// behind a joint without torque is therefore as improbable as a force without moment about that
/// joint, given S; and if several links explain r, their probabilities show it.
///
/// All torques are on the side of the drives' commands. The wrench is that of the time at which the
/// robot was at the position: with ExternalTorqueObserver::position(), of a time constant before.
class ContactEstimator
{
public:
  /// regions: one for each link that may be in contact. frames: links at which wrenches are
  /// estimated. Throws std::invalid_argument with a sentence for the user.
  ContactEstimator(
    const MechanismDescription & description, bool motor_side,
    const std::vector<ContactRegion> & regions, const std::vector<std::string> & frames,
    const ContactSettings & settings);
  ContactEstimator(ContactEstimator && other) noexcept;
  ContactEstimator & operator=(ContactEstimator && other) noexcept;
  ContactEstimator(const ContactEstimator &) = delete;
  ContactEstimator & operator=(const ContactEstimator &) = delete;
  ~ContactEstimator();

  [[nodiscard]] Eigen::Index joint_count() const noexcept;
  [[nodiscard]] Eigen::Index region_count() const noexcept;
  [[nodiscard]] Eigen::Index frame_count() const noexcept;

  // For control cycles: no allocation, lock or exception.

  /// Position q (n,), external torque (n,) and its covariance (n, n); false, and nothing is known,
  /// where they are not finite, the covariance is not positive definite, or loops do not close.
  bool update(
    const VectorIn & q, const VectorIn & torque,
    const Eigen::Ref<const Eigen::MatrixXd> & covariance) noexcept;

  // of the last update()

  /// Squared Mahalanobis distance of the external torque from 0; NaN where nothing is known.
  [[nodiscard]] double distance() const noexcept;
  [[nodiscard]] bool contact() const noexcept;  ///< distance() exceeds the threshold

  /// Probability of each region to be the one in contact, if one is, (regions,); sum 1, or NaN.
  [[nodiscard]] const Eigen::VectorXd & probability() const noexcept;

  /// The most probable region, where it reaches the confidence; -1 where regions cannot be
  /// distinguished, or nothing is known.
  [[nodiscard]] int region() const noexcept;

  /// The wrench, if it acts at a frame's link alone; from six joints on all of it may be
  /// observable.
  [[nodiscard]] WrenchEstimate wrench(Eigen::Index frame) const noexcept;

  /// The force, if it acts at a frame's origin without moment: at a known point.
  [[nodiscard]] ForceEstimate force_at_origin(Eigen::Index frame) const noexcept;

  /// The force, if it acts without moment at an unknown point of a region, whose distance from the
  /// centre is part of the uncertainty.
  [[nodiscard]] ForceEstimate force(Eigen::Index region) const noexcept;

private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace dynid
