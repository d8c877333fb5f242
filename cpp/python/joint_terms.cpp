// dynid._core: the table of joint terms, and the terms; documentation is in
// dynid/dynamics/joint_terms.py.

#include "dynid/joint_terms.hpp"

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <map>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "rows.hpp"

namespace py = pybind11;

namespace
{

using dynid::Array;
using Shapes = std::map<std::string, double>;

dynid::JointTerm make_term(
  const std::string & kind, int joint, bool at_motor, const Shapes & shapes)
{
  dynid::JointTerm term;
  term.kind = &dynid::term_kind(kind);
  term.joint = joint;
  term.side = at_motor ? dynid::TermSide::motor : dynid::TermSide::joint;
  auto unknown = shapes;
  for (const auto & shape : dynid::term_shapes()) {
    if (const auto value = unknown.extract(std::string(shape.name)); !value.empty()) {
      term.*shape.value = value.mapped();
    }
  }
  if (!unknown.empty()) {
    throw std::invalid_argument("A joint term has no '" + unknown.begin()->first + "'.");
  }
  return term;
}

/// Torque per unit of a term's parameter along a motion, starting from relaxed contacts; (N,).
Array column(
  const dynid::JointTerm & term, const Array & q, const Array & dq, const Array & ddq,
  const Array & load)
{
  for (const auto * array : {&q, &dq, &ddq, &load}) {
    if (array->ndim() != 1 || array->shape(0) != q.shape(0)) {
      throw std::invalid_argument("A term's motion and load must be lists of the same length.");
    }
  }
  Array out(q.shape(0));
  const auto count = static_cast<std::size_t>(q.shape(0));
  const double * const motion[] = {q.data(), dq.data(), ddq.data(), load.data()};
  double * const found = out.mutable_data();
  const py::gil_scoped_release unlocked;
  dynid::Presliding past;
  for (std::size_t i = 0; i < count; ++i) {
    const dynid::TermInput at{motion[0][i], motion[1][i], motion[2][i], motion[3][i], 0.0};
    found[i] = dynid::term_column(term, at, past);
  }
  return out;
}

std::vector<std::string_view> shapes_of(const dynid::TermKind & kind)
{
  std::vector<std::string_view> names;
  for (const auto & shape : dynid::term_shapes()) {
    if (shape.taken(kind)) {
      names.push_back(shape.name);
    }
  }
  return names;
}

/// Registers the row in a capsule named "dynid.TermKind", defined by a C++ module.
void register_kind(const py::capsule & row)
{
  if (row.name() == nullptr || std::string(row.name()) != "dynid.TermKind") {
    throw std::invalid_argument("A kind of joint term must come in a capsule 'dynid.TermKind'.");
  }
  dynid::register_term_kind(*row.get_pointer<dynid::TermKind>());
}

using Kind = dynid::TermKind;

void bind_kind(py::module_ & module)
{
  py::class_<Kind>(module, "TermKind")
    .def_readonly("name", &Kind::name)
    .def_readonly("prefix", &Kind::prefix)
    .def_readonly("label", &Kind::label)
    .def_readonly("rotary_unit", &Kind::rotary_unit)
    .def_readonly("linear_unit", &Kind::linear_unit)
    .def_readonly("formula", &Kind::formula)
    .def_readonly("smoothed", &Kind::smoothed)
    .def_readonly("scaled", &Kind::scaled)
    .def_readonly("loaded", &Kind::loaded)
    .def_readonly("has_static_friction", &Kind::has_static_friction)
    .def_readonly("never_negative", &Kind::never_negative)
    .def_readonly("plain", &Kind::plain)
    .def_readonly("regrouped", &Kind::regrouped)
    .def_readonly("mirror", &Kind::mirror)
    .def_readonly("design", &Kind::design)
    .def_readonly("candidate", &Kind::candidate)
    .def_readonly("missing", &Kind::missing)
    .def_readonly("alternative", &Kind::alternative)
    .def_readonly("urdf", &Kind::urdf)
    .def_readonly("symoro_prefix", &Kind::symoro_prefix)
    .def_property_readonly("has_memory", &Kind::has_memory)
    .def_property_readonly("inertial", &Kind::inertial)
    .def_property_readonly("dry", &Kind::dry)
    .def_property_readonly("dissipative", &Kind::dissipative)
    .def_property_readonly(
      "elastic", [](const Kind & kind) { return kind.role == dynid::TermRole::spring; })
    .def_property_readonly("shapes", &shapes_of)
    .def("__repr__", [](const Kind & kind) { return "<TermKind " + std::string(kind.name) + ">"; });
}

void bind_shape(py::module_ & module)
{
  py::class_<dynid::TermShape>(module, "TermShape")
    .def_readonly("name", &dynid::TermShape::name)
    .def_readonly("plural", &dynid::TermShape::plural)
    .def_readonly("label", &dynid::TermShape::label)
    .def_readonly("rare", &dynid::TermShape::rare)
    .def(
      "taken", [](const dynid::TermShape & shape, const Kind & kind) { return shape.taken(kind); })
    .def(
      "unit",
      [](const dynid::TermShape & shape, const Kind & kind, bool linear) {
        return shape.unit(kind, linear);
      },
      py::arg("kind"), py::arg("linear"));
}

void bind_table(py::module_ & module)
{
  module.def(
    "term_kinds",
    [] {
      std::vector<const Kind *> kinds;
      for (const auto & kind : dynid::term_kinds()) {
        kinds.push_back(&kind);
      }
      return kinds;
    },
    py::return_value_policy::reference);
  module.def(
    "term_kind", [](const std::string & name) { return &dynid::term_kind(name); },
    py::return_value_policy::reference);
  module.def("register_term_kind", &register_kind, py::arg("capsule"));
  module.def(
    "term_shapes",
    [] {
      std::vector<const dynid::TermShape *> shapes;
      for (const auto & shape : dynid::term_shapes()) {
        shapes.push_back(&shape);
      }
      return shapes;
    },
    py::return_value_policy::reference);
}

}  // namespace

namespace dynid
{

void bind_joint_terms(py::module_ & module)
{
  bind_kind(module);
  bind_shape(module);
  bind_table(module);
  py::class_<JointTerm>(module, "JointTerm")
    .def(
      py::init(&make_term), py::arg("kind"), py::arg("joint"), py::arg("at_motor"),
      py::arg("shapes"))
    .def("column", &column, py::arg("q"), py::arg("dq"), py::arg("ddq"), py::arg("load"));
}

}  // namespace dynid
