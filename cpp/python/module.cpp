// dynid._core: the C++ core for Python, as thin bindings; documentation and checks are in
// dynid/dynamics/mechanism.py.

#include <pybind11/eigen.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <optional>

#include "bindings.hpp"
#include "dynid/batch.hpp"
#include "dynid/gram.hpp"
#include "dynid/mechanism.hpp"
#include "dynid/physical_consistency.hpp"
#include "dynid/zero_phase.hpp"
#include "rows.hpp"

namespace py = pybind11;

namespace
{

using dynid::Array;
using Written = py::array_t<double, py::array::c_style>;  // filled in place, so never converted

dynid::Samples samples(const Array & array)
{
  if (array.ndim() != 2) {
    throw std::invalid_argument("An array of samples must have two dimensions, time and joint.");
  }
  return {array.data(), array.shape(0), array.shape(1)};
}

dynid::States states(const Array & q, const Array & dq, const Array & ddq)
{
  return {samples(q), samples(dq), samples(ddq)};
}

/// Calls a batched function without the interpreter's lock; returns the array that it filled.
template <typename Function>
Array filled(const std::vector<py::ssize_t> & shape, Function && function)
{
  Array out(shape);
  double * const data = out.mutable_data();
  {
    const py::gil_scoped_release unlocked;
    function(data);
  }
  return out;
}

static_assert(sizeof(dynid::Presliding) == 3 * sizeof(double), "past is an array (count, 3)");

/// State of the terms with memory, from an array (memory_count, 2) of positions and deflections.
dynid::Past past_of(const dynid::Mechanism & mechanism, std::optional<Written> & past)
{
  if (!past) {
    return nullptr;
  }
  if (past->ndim() != 2 || past->shape(0) != mechanism.memory_count() || past->shape(1) != 3) {
    throw std::invalid_argument("'past' must have one row of three for each term with memory.");
  }
  return reinterpret_cast<dynid::Past>(past->mutable_data());
}

void advance(const dynid::Mechanism & mechanism, const Array & q, const Array & dq, Written & past)
{
  std::optional<Written> given(past);
  const auto position = samples(q);
  const auto velocity = samples(dq);
  auto * const memory = past_of(mechanism, given);
  const py::gil_scoped_release unlocked;
  dynid::batch::advance(mechanism, position, velocity, memory);
}

dynid::LoopClosure make_closure(
  const std::string & kind, std::string link_a, std::string link_b, const Eigen::Vector3d & point_a,
  const Eigen::Vector3d & point_b, const Eigen::Vector3d & axis_a, const Eigen::Vector3d & axis_b,
  double length)
{
  return {
    dynid::closure_kind(kind),
    std::move(link_a),
    std::move(link_b),
    point_a,
    point_b,
    axis_a,
    axis_b,
    length};
}

dynid::MechanismDescription make_description(
  std::string urdf_xml, std::vector<std::string> joints, std::map<std::string, double> locked,
  const Eigen::Vector3d & gravity, const Eigen::MatrixXd & coupling,
  std::vector<dynid::JointTerm> terms, std::vector<std::string> passive,
  std::map<std::string, double> start, std::vector<double> assembled_at,
  std::vector<dynid::LoopClosure> closures, std::string payload_joint, bool semi_static)
{
  return {
    std::move(urdf_xml),
    std::move(joints),
    std::move(locked),
    gravity,
    coupling,
    std::move(terms),
    {std::move(passive), std::move(start), std::move(assembled_at), std::move(closures)},
    std::move(payload_joint),
    semi_static};
}

/// Positions of all moving joints (N, moving).
Array moving_positions(const dynid::Mechanism & mechanism, const Array & q)
{
  const auto input = samples(q);
  const auto moving = static_cast<py::ssize_t>(mechanism.moving_joints().size());
  return filled(
    {input.rows(), moving}, [&](double * out) { dynid::batch::spread(mechanism, input, out); });
}

void regressor_into(
  const dynid::Mechanism & mechanism, const Array & q, const Array & dq, const Array & ddq,
  Written & out, std::optional<Written> & past)
{
  const auto input = states(q, dq, ddq);
  auto * const memory = past_of(mechanism, past);
  if (
    out.ndim() != 3 || out.shape(0) != q.shape(0) || out.shape(1) != mechanism.joint_count() ||
    out.shape(2) != mechanism.parameter_count()) {
    throw std::invalid_argument("The output array does not have the shape of the regressor.");
  }
  double * const data = out.mutable_data();
  const py::gil_scoped_release unlocked;
  dynid::batch::regressor(mechanism, input, data, memory);
}

Array gram(
  const dynid::Mechanism & mechanism, const Array & q, const Array & dq, const Array & ddq,
  const Array & tau, const std::vector<int> & columns, const std::optional<Array> & weights,
  std::optional<Written> & past)
{
  const auto input = states(q, dq, ddq);
  const auto torque = samples(tau);
  if (
    weights &&
    (weights->ndim() != 2 || weights->shape(0) != q.shape(0) || weights->shape(1) != q.shape(1))) {
    throw std::invalid_argument("The weights do not have the shape of the samples.");
  }
  const double * const weight = weights ? weights->data() : nullptr;
  auto * const memory = past_of(mechanism, past);
  const auto size = static_cast<py::ssize_t>(columns.size()) + 1;
  return filled({mechanism.joint_count(), size, size}, [&](double * out) {
    std::fill(out, out + mechanism.joint_count() * size * size, 0.0);
    dynid::accumulate_gram(mechanism, input, torque, columns, weight, out, memory);
  });
}

Array products(
  const dynid::Mechanism & mechanism, const Array & q, const Array & dq, const Array & ddq,
  const Array & vectors, std::optional<Written> & past)
{
  const auto input = states(q, dq, ddq);
  const auto given = samples(vectors);
  auto * const memory = past_of(mechanism, past);
  return filled({given.rows(), mechanism.parameter_count()}, [&](double * out) {
    std::fill(out, out + given.rows() * mechanism.parameter_count(), 0.0);
    dynid::accumulate_products(mechanism, input, given, out, memory);
  });
}

Array torque(
  const dynid::Mechanism & mechanism, const Array & q, const Array & dq, const Array & ddq,
  const Eigen::VectorXd & parameters, std::optional<Written> & past)
{
  const auto input = states(q, dq, ddq);
  auto * const memory = past_of(mechanism, past);
  return filled({input.q.rows(), input.q.cols()}, [&](double * out) {
    dynid::batch::torque(mechanism, input, parameters, out, memory);
  });
}

/// A batched function of three arrays of samples, with an array of the same shape as result.
template <void (*function)(const dynid::Mechanism &, const dynid::States &, double *)>
Array of_states(
  const dynid::Mechanism & mechanism, const Array & q, const Array & dq, const Array & ddq)
{
  const auto input = states(q, dq, ddq);
  return filled(
    {input.q.rows(), input.q.cols()}, [&](double * out) { function(mechanism, input, out); });
}

Array gravity_torque(const dynid::Mechanism & mechanism, const Array & q)
{
  const auto input = samples(q);
  return filled({input.rows(), input.cols()}, [&](double * out) {
    dynid::batch::gravity_torque(mechanism, input, out);
  });
}

Array mass_matrix(const dynid::Mechanism & mechanism, const Array & q)
{
  const auto input = samples(q);
  return filled({input.rows(), input.cols(), input.cols()}, [&](double * out) {
    dynid::batch::mass_matrix(mechanism, input, out);
  });
}

Array coriolis_matrix(const dynid::Mechanism & mechanism, const Array & q, const Array & dq)
{
  const auto q_samples = samples(q);
  const auto dq_samples = samples(dq);
  return filled({q_samples.rows(), q_samples.cols(), q_samples.cols()}, [&](double * out) {
    dynid::batch::coriolis_matrix(mechanism, q_samples, dq_samples, out);
  });
}

/// Sections are rows b0, b1, b2, 1, a1, a2.
Array filter_zero_phase(const Array & sections, const Array & values, py::ssize_t pad)
{
  if (sections.ndim() != 2 || sections.shape(1) != 6) {
    throw std::invalid_argument("Sections must have six columns.");
  }
  const auto row = sections.unchecked<2>();
  std::vector<dynid::SecondOrderSection> filter;
  for (py::ssize_t s = 0; s < row.shape(0); ++s) {
    filter.push_back({row(s, 0), row(s, 1), row(s, 2), row(s, 4), row(s, 5)});
  }
  const auto input = samples(values);
  return filled({input.rows(), input.cols()}, [&](double * out) {
    dynid::filter_zero_phase(filter, input.data(), input.rows(), input.cols(), pad, out);
  });
}

std::vector<bool> reachable(const dynid::Mechanism & mechanism, const Array & q)
{
  const auto input = samples(q);
  const py::gil_scoped_release unlocked;
  return dynid::batch::reachable(mechanism, input);
}

}  // namespace

PYBIND11_MODULE(_core, module)
{
  module.doc() = "The C++ core of dynid; its documented interface is dynid.dynamics.";
  module.attr("version") = DYNID_VERSION;
  module.attr("pinocchio_version") = DYNID_PINOCCHIO_VERSION;
  dynid::bind_joint_terms(module);

  py::class_<dynid::LoopClosure>(module, "LoopClosure")
    .def(
      py::init(&make_closure), py::arg("kind"), py::arg("link_a"), py::arg("link_b"),
      py::arg("point_a"), py::arg("point_b"), py::arg("axis_a"), py::arg("axis_b"),
      py::arg("length"));

  py::class_<dynid::MechanismDescription>(module, "MechanismDescription")
    .def(
      py::init(&make_description), py::arg("urdf_xml"), py::arg("joints"), py::arg("locked"),
      py::arg("gravity"), py::arg("coupling"), py::arg("terms"), py::arg("passive"),
      py::arg("start"), py::arg("assembled_at"), py::arg("closures"), py::arg("payload_joint"),
      py::arg("semi_static"));

  py::class_<dynid::Mechanism>(module, "Mechanism")
    .def(py::init<const dynid::MechanismDescription &>(), py::arg("description"))
    .def_property_readonly("parameter_names", &dynid::Mechanism::parameter_names)
    .def_property_readonly("parameter_units", &dynid::Mechanism::parameter_units)
    .def_property_readonly("parameters", &dynid::Mechanism::parameters)
    .def_property_readonly("urdf_parameters", &dynid::Mechanism::urdf_parameters)
    .def_property_readonly("coupling", &dynid::Mechanism::coupling)
    .def_property_readonly("prismatic", &dynid::Mechanism::prismatic)
    .def_property_readonly("axes", &dynid::Mechanism::axes)
    .def_property_readonly("body_joints", &dynid::Mechanism::body_joints)
    .def_property_readonly("payload_body", &dynid::Mechanism::payload_body)
    .def_property_readonly("moving_joints", &dynid::Mechanism::moving_joints)
    .def_property_readonly("memory_count", &dynid::Mechanism::memory_count)
    .def("with_parameters", &dynid::Mechanism::with_parameters)
    .def("physical_problem", &dynid::physical_problem, py::arg("parameters"))
    .def(
      "regressor_into", &regressor_into, py::arg("q"), py::arg("dq"), py::arg("ddq"),
      py::arg("out").noconvert(), py::arg("past").noconvert())
    .def("advance", &advance, py::arg("q"), py::arg("dq"), py::arg("past").noconvert())
    .def(
      "gram", &gram, py::arg("q"), py::arg("dq"), py::arg("ddq"), py::arg("tau"),
      py::arg("columns"), py::arg("weights"), py::arg("past").noconvert())
    .def(
      "products", &products, py::arg("q"), py::arg("dq"), py::arg("ddq"), py::arg("vectors"),
      py::arg("past").noconvert())
    .def(
      "torque", &torque, py::arg("q"), py::arg("dq"), py::arg("ddq"), py::arg("parameters"),
      py::arg("past").noconvert())
    .def("inverse_dynamics", &of_states<&dynid::batch::inverse_dynamics>)
    .def("term_torque", &of_states<&dynid::batch::term_torque>)
    .def("forward_dynamics", &of_states<&dynid::batch::forward_dynamics>)
    .def("gravity_torque", &gravity_torque)
    .def("moving_positions", &moving_positions)
    .def("reachable", &reachable)
    .def("mass_matrix", &mass_matrix)
    .def("coriolis_matrix", &coriolis_matrix);

  module.def(
    "filter_zero_phase", &filter_zero_phase, py::arg("sections"), py::arg("values"),
    py::arg("pad"));
  dynid::bind_drive_plant(module);
  dynid::bind_control(module);
  dynid::bind_torque_law(module);
  dynid::bind_model_updates(module);
  dynid::bind_external_wrench(module);
  dynid::bind_stored_model(module);
}
