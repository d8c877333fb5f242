// dynid._core.DrivePlant: the simulated robot for Python; dynid/simulation documents and checks.

#include "dynid/drive_plant.hpp"

#include <pybind11/eigen.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <optional>
#include <stdexcept>

#include "bindings.hpp"

namespace py = pybind11;

namespace
{

using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;
using Vector = Eigen::Ref<const Eigen::VectorXd>;
using Row = Eigen::Map<const Eigen::VectorXd>;

dynid::DrivePlant make_plant(
  std::string urdf_xml, std::vector<std::string> joints, std::map<std::string, double> locked,
  const Eigen::Vector3d & gravity, const Eigen::MatrixXd & coupling,
  std::vector<dynid::JointTerm> terms, const Eigen::VectorXd & parameters,
  const dynid::DrivePlantSettings & settings)
{
  return {
    {std::move(urdf_xml), std::move(joints), std::move(locked), gravity, coupling,
     std::move(terms)},
    parameters,
    settings};
}

void check_size(const dynid::DrivePlant & plant, Eigen::Index size)
{
  if (size != plant.joint_count()) {
    throw std::invalid_argument(
      "A target or torque offset has " + std::to_string(size) + " values, but must have " +
      std::to_string(plant.joint_count()) + ", one for each joint.");
  }
}

void step(dynid::DrivePlant & plant, const Vector & target, const Vector & torque_offset)
{
  check_size(plant, target.size());
  check_size(plant, torque_offset.size());
  plant.step(target, torque_offset);
}

/// One cycle for each row of the targets; feedback (3, N, n): position, velocity, torque.
Array run(dynid::DrivePlant & plant, const Array & targets)
{
  if (targets.ndim() != 2) {
    throw std::invalid_argument("An array of targets must have two dimensions, time and joint.");
  }
  const auto n = plant.joint_count();
  check_size(plant, targets.shape(1));
  const py::ssize_t count = targets.shape(0);
  Array out({py::ssize_t{3}, count, static_cast<py::ssize_t>(n)});
  double * const data = out.mutable_data();
  const double * const input = targets.data();
  const Eigen::VectorXd no_offset = Eigen::VectorXd::Zero(n);
  const py::gil_scoped_release unlocked;
  for (py::ssize_t k = 0; k < count; ++k) {
    plant.step(Row(input + k * n, n), no_offset);
    py::ssize_t part = 0;
    for (const auto * vector : {&plant.position(), &plant.velocity(), &plant.torque()}) {
      Eigen::Map<Eigen::VectorXd>(data + (part++ * count + k) * n, n) = *vector;
    }
  }
  return out;
}

}  // namespace

void dynid::bind_drive_plant(py::module_ & module)
{
  py::enum_<FaultReason>(module, "FaultReason")
    .value("none", FaultReason::none)
    .value("following_error", FaultReason::following_error)
    .value("injected", FaultReason::injected)
    .value("not_finite", FaultReason::not_finite);

  py::class_<Fault>(module, "Fault")
    .def_readonly("reason", &Fault::reason)
    .def_readonly("drive", &Fault::drive)
    .def_readonly("time", &Fault::time);

  py::class_<PlantTruth>(module, "PlantTruth")
    .def_readonly("position", &PlantTruth::position)
    .def_readonly("velocity", &PlantTruth::velocity)
    .def_readonly("acceleration", &PlantTruth::acceleration)
    .def_readonly("torque", &PlantTruth::torque);

  using Settings = DrivePlantSettings;
  py::class_<Settings>(module, "DrivePlantSettings")
    .def(py::init<>())
    .def_readwrite("control_rate", &Settings::control_rate)
    .def_readwrite("integration_rate", &Settings::integration_rate)
    .def_readwrite("command_delay", &Settings::command_delay)
    .def_readwrite("feedback_delay", &Settings::feedback_delay)
    .def_readwrite("motor_side", &Settings::motor_side)
    .def_readwrite("bandwidth_hz", &Settings::bandwidth_hz)
    .def_readwrite("damping_ratio", &Settings::damping_ratio)
    .def_readwrite("integral_time", &Settings::integral_time)
    .def_readwrite("torque_max", &Settings::torque_max)
    .def_readwrite("stop_deceleration", &Settings::stop_deceleration)
    .def_readwrite("following_error", &Settings::following_error)
    .def_readwrite("position_resolution", &Settings::position_resolution)
    .def_readwrite("rated_torque", &Settings::rated_torque)
    .def_readwrite("torque_noise", &Settings::torque_noise)
    .def_readwrite("seed", &Settings::seed)
    .def_readwrite("stribeck_torque", &Settings::stribeck_torque)
    .def_readwrite("stribeck_velocity", &Settings::stribeck_velocity)
    .def_readwrite("lower", &Settings::lower)
    .def_readwrite("upper", &Settings::upper);

  const auto copied = py::return_value_policy::copy;  // the plant's own change with every step
  py::class_<DrivePlant>(module, "DrivePlant")
    .def(
      py::init(&make_plant), py::arg("urdf_xml"), py::arg("joints"), py::arg("locked"),
      py::arg("gravity"), py::arg("coupling"), py::arg("terms"), py::arg("parameters"),
      py::arg("settings"))
    .def("reset", &DrivePlant::reset)
    .def("step", &step)
    .def("run", &run)
    .def_property_readonly("position", &DrivePlant::position, copied)
    .def_property_readonly("velocity", &DrivePlant::velocity, copied)
    .def_property_readonly("torque", &DrivePlant::torque, copied)
    .def_property_readonly("rejected_inputs", &DrivePlant::rejected_inputs)
    .def_property_readonly("fault", &DrivePlant::fault, copied)
    .def("trip", &DrivePlant::trip)
    .def("clear_fault", &DrivePlant::clear_fault)
    .def_property_readonly("truth", &DrivePlant::truth, copied);
}
