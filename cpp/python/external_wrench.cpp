// dynid._core: external torque and wrenches for Python; documentation and checks are in
// dynid/control.

#include <pybind11/eigen.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "dynid/contact_estimator.hpp"
#include "dynid/external_torque.hpp"
#include "rows.hpp"

namespace py = pybind11;

namespace
{

using dynid::Array;
using dynid::put;
using dynid::Rows;
using Vector = Eigen::VectorXd;
using Size = py::ssize_t;

/// Writes the values of a matrix of any size as one sample of an array.
template <typename Matrix>
void put_all(Array & out, Eigen::Index sample, const Matrix & values)
{
  using Plain = Eigen::Matrix<
    double, Matrix::RowsAtCompileTime, Matrix::ColsAtCompileTime,
    Matrix::ColsAtCompileTime == 1 ? Eigen::ColMajor : Eigen::RowMajor>;
  Eigen::Map<Plain>(out.mutable_data() + sample * values.size(), values.rows(), values.cols()) =
    values;
}

/// Torque (N, n), covariance (N, n, n) and position (N, n) of as many cycles.
py::tuple observe_external(
  dynid::ExternalTorqueObserver & observer, dynid::ControlModel & model, const Array & q,
  const Array & dq, const Array & tau)
{
  const auto n = observer.torque().size();
  if (model.joint_count() != n) {
    throw std::invalid_argument("The model has another number of joints than the observer.");
  }
  const Rows rows(n, {&q, &dq, &tau});
  Array torque({rows.count(), n});
  Array covariance({rows.count(), n, n});
  Array position({rows.count(), n});
  for (Eigen::Index k = 0; k < rows.count(); ++k) {
    observer.update(model, rows(0, k), rows(1, k), rows(2, k));
    put(torque, k, observer.torque());
    put_all(covariance, k, observer.covariance());
    put(position, k, observer.position());
  }
  return py::make_tuple(torque, covariance, position);
}

/// A dictionary of arrays with one row for each sample.
py::dict estimate(
  dynid::ContactEstimator & estimator, const Array & q, const Array & torque,
  const Array & covariance)
{
  const auto n = estimator.joint_count();
  const Rows rows(n, {&q, &torque});
  const Eigen::Index count = rows.count();
  if (
    covariance.ndim() != 3 || covariance.shape(0) != count || covariance.shape(1) != n ||
    covariance.shape(2) != n) {
    throw std::invalid_argument("The covariance must have the shape (N, n, n).");
  }
  const auto regions = estimator.region_count();
  const auto frames = estimator.frame_count();
  Array distance(static_cast<Size>(count));
  Array probability({count, regions});
  Array force({count, regions, Size{3}});
  Array force_covariance({count, regions, Size{3}, Size{3}});
  Array wrench({count, frames, Size{6}});
  Array wrench_covariance({count, frames, Size{6}, Size{6}});
  Array frame_force({count, frames, Size{3}});
  Array frame_force_covariance({count, frames, Size{3}, Size{3}});
  py::array_t<int> region(static_cast<Size>(count));
  py::array_t<bool> contact(static_cast<Size>(count));
  for (Eigen::Index k = 0; k < count; ++k) {
    const Eigen::Map<const Eigen::MatrixXd> now(covariance.data() + k * n * n, n, n);
    static_cast<void>(estimator.update(rows(0, k), rows(1, k), now));
    distance.mutable_at(k) = estimator.distance();
    contact.mutable_at(k) = estimator.contact();
    region.mutable_at(k) = estimator.region();
    put(probability, k, estimator.probability());
    for (Eigen::Index i = 0; i < regions; ++i) {
      const auto found = estimator.force(i);
      put_all(force, k * regions + i, found.value);
      put_all(force_covariance, k * regions + i, found.covariance);
    }
    for (Eigen::Index i = 0; i < frames; ++i) {
      const auto found = estimator.wrench(i);
      put_all(wrench, k * frames + i, found.value);
      put_all(wrench_covariance, k * frames + i, found.covariance);
      const auto pure = estimator.force_at_origin(i);
      put_all(frame_force, k * frames + i, pure.value);
      put_all(frame_force_covariance, k * frames + i, pure.covariance);
    }
  }
  py::dict found;
  found["distance"] = distance;
  found["contact"] = contact;
  found["region"] = region;
  found["probability"] = probability;
  found["force"] = force;
  found["force_covariance"] = force_covariance;
  found["wrench"] = wrench;
  found["wrench_covariance"] = wrench_covariance;
  found["frame_force"] = frame_force;
  found["frame_force_covariance"] = frame_force_covariance;
  return found;
}

}  // namespace

void dynid::bind_external_wrench(py::module_ & module)
{
  py::class_<TorqueUncertainty>(module, "TorqueUncertainty")
    .def(py::init<>())
    .def_readwrite("constant", &TorqueUncertainty::constant)
    .def_readwrite("per_speed", &TorqueUncertainty::per_speed)
    .def_readwrite("low_speed", &TorqueUncertainty::low_speed)
    .def_readwrite("correlation", &TorqueUncertainty::correlation);
  py::class_<ExternalTorqueObserver>(module, "ExternalTorqueObserver")
    .def(
      py::init<Eigen::Index, const TorqueUncertainty &, double, double>(), py::arg("drives"),
      py::arg("uncertainty"), py::arg("gain"), py::arg("control_rate"))
    .def("restart", &ExternalTorqueObserver::restart)
    .def("run", &observe_external);

  py::class_<ContactKind>(module, "ContactKind")
    .def(py::init<double, Eigen::Matrix<double, 6, 6>>(), py::arg("weight"), py::arg("wrench"));
  py::class_<ContactRegion>(module, "ContactRegion")
    .def(
      py::init<std::string, Eigen::Vector3d, Eigen::Matrix3d, std::vector<ContactKind>>(),
      py::arg("link"), py::arg("centre"), py::arg("covariance"), py::arg("kinds"));
  py::class_<ContactSettings>(module, "ContactSettings")
    .def(py::init<>())
    .def_readwrite("threshold", &ContactSettings::threshold)
    .def_readwrite("confidence", &ContactSettings::confidence)
    .def_readwrite("largest_deviation", &ContactSettings::largest_deviation);
  py::class_<ContactEstimator>(module, "ContactEstimator")
    .def(
      py::init<
        const MechanismDescription &, bool, const std::vector<ContactRegion> &,
        const std::vector<std::string> &, const ContactSettings &>(),
      py::arg("description"), py::arg("motor_side"), py::arg("regions"), py::arg("frames"),
      py::arg("settings"))
    .def("run", &estimate);
}
