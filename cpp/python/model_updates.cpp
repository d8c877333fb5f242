// dynid._core.ModelUpdates and ModelUpdateCheck: updates of the model of a running control law for
// Python; documentation is in cpp/core/include/dynid/model_update.hpp and model_updates.hpp.

#include "dynid/model_updates.hpp"

#include <pybind11/eigen.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "declared.hpp"
#include "dynid/control_report.hpp"
#include "dynid/model_update.hpp"

namespace py = pybind11;

namespace
{

using Vector = Eigen::VectorXd;

void update_model(
  dynid::ModelUpdates & updates, const dynid::ControlLaw & law, const Vector & torque,
  double cycles)
{
  const auto & motion = law.commanded_motion();
  if (motion.position.size() != updates.joint_count() || torque.size() != updates.joint_count()) {
    throw std::invalid_argument(
      "The law and the measured torque must have " + std::to_string(updates.joint_count()) +
      " drives.");
  }
  updates.update(motion, torque, dynid::has_alarm(law), cycles);
}

void bind_check(py::module_ & module)
{
  using namespace dynid;
  py::class_<PlausibleChange>(module, "PlausibleChange")
    .def(py::init<>())
    .def_readwrite("payload", &PlausibleChange::payload)
    .def_readwrite("friction", &PlausibleChange::friction);
  py::class_<WorkspaceLimits>(module, "WorkspaceLimits")
    .def(py::init<>())
    .def_readwrite("position_min", &WorkspaceLimits::position_min)
    .def_readwrite("position_max", &WorkspaceLimits::position_max)
    .def_readwrite("velocity", &WorkspaceLimits::velocity)
    .def_readwrite("acceleration", &WorkspaceLimits::acceleration);
  py::class_<ModelUpdateLimits>(module, "ModelUpdateLimits")
    .def(py::init<>())
    .def_readwrite("deviations", &ModelUpdateLimits::deviations)
    .def_readwrite("change", &ModelUpdateLimits::change)
    .def_readwrite("torque_difference", &ModelUpdateLimits::torque_difference)
    .def_readwrite("workspace", &ModelUpdateLimits::workspace);
  py::class_<ModelUpdateCheck>(module, "ModelUpdateCheck")
    .def(
      py::init<
        MechanismDescription, const Vector &, const Vector &, bool, const ModelUpdateLimits &>(),
      py::arg("description"), py::arg("parameters"), py::arg("smoothing"), py::arg("motor_side"),
      py::arg("limits"))
    .def(
      "checked",
      [](ModelUpdateCheck & check, const Vector & parameters, const Eigen::MatrixXd & covariance) {
        return check.checked({parameters, covariance});
      },
      py::arg("parameters"), py::arg("covariance"));
  module.def(
    "plausible_deviations",
    [](
      const MechanismDescription & description, const Vector & parameters,
      const PlausibleChange & change) {
      change.check();
      return plausible_deviations(Mechanism(description).with_parameters(parameters), change);
    },
    py::arg("description"), py::arg("parameters"), py::arg("change"));
}

}  // namespace

void dynid::bind_model_updates(py::module_ & module)
{
  bind_check(module);
  bind_values<FallbackCause>(
    module, "FallbackCause",
    {"none", "alarm", "residual", "torque_difference", "lost_input", "payload"});
  py::class_<ModelUpdatesSettings>(module, "ModelUpdatesSettings")
    .def(py::init<>())
    .def_readwrite("control_rate", &ModelUpdatesSettings::control_rate)
    .def_readwrite("ramp_time", &ModelUpdatesSettings::ramp_time)
    .def_readwrite("timeout", &ModelUpdatesSettings::timeout)
    .def_readwrite("hold_time", &ModelUpdatesSettings::hold_time)
    .def_readwrite("residual_time", &ModelUpdatesSettings::residual_time)
    .def_readwrite("residual_ratio", &ModelUpdatesSettings::residual_ratio)
    .def_readwrite("torque_error_delay", &ModelUpdatesSettings::torque_error_delay)
    .def_readwrite("torque_difference", &ModelUpdatesSettings::torque_difference)
    .def_readwrite("low_speed", &ModelUpdatesSettings::low_speed);
  py::class_<ModelUpdatesReport>(module, "ModelUpdatesReport")
    .def_readonly("updated", &ModelUpdatesReport::updated)
    .def_readonly("cause", &ModelUpdatesReport::cause)
    .def_readonly("drive", &ModelUpdatesReport::drive)
    .def_readonly("value", &ModelUpdatesReport::value)
    .def_readonly("limit", &ModelUpdatesReport::limit)
    .def_readonly("taken", &ModelUpdatesReport::taken)
    .def_readonly("fallbacks", &ModelUpdatesReport::fallbacks);
  py::class_<ModelUpdates>(module, "ModelUpdates")
    .def(
      py::init<Eigen::Index, const ModelUpdatesSettings &>(), py::arg("drives"),
      py::arg("settings"))
    .def("accept", &ModelUpdates::accept, py::arg("model").none(true), py::keep_alive<1, 2>())
    .def_property_readonly("ready", &ModelUpdates::ready)
    .def("heard", &ModelUpdates::heard)
    .def("take", &ModelUpdates::take, py::arg("model"), py::keep_alive<1, 2>())
    .def("update", &update_model, py::arg("law"), py::arg("torque"), py::arg("cycles") = 1.0)
    .def_property_readonly("chosen", &ModelUpdates::chosen, py::return_value_policy::reference)
    .def_property_readonly("report", &ModelUpdates::report, py::return_value_policy::copy);
  module.def(
    "describe_model_updates",
    [](const ModelUpdatesReport & report, const std::vector<std::string> & joints) {
      return describe(report, JointNames{joints, {}});
    },
    py::arg("report"), py::arg("joints"));
}
