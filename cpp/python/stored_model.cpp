// dynid._core: the seal of a model.yaml, and how a controller reads one; documentation is in
// dynid/robot/model_entries.py.

#include "dynid/stored_model.hpp"

#include <pybind11/eigen.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "dynid/seal.hpp"
#include "dynid/sha256.hpp"

namespace py = pybind11;

namespace
{

using SealedValues = std::map<std::string, std::vector<dynid::SealedValue>>;
using Entries = std::map<std::string, dynid::ParameterEntry>;

template <typename Values>
auto by_name(const std::map<std::string, Values> & entries)
{
  return [&entries](const std::string & name) {
    const auto found = entries.find(name);
    return found == entries.end() ? Values{} : found->second;
  };
}

}  // namespace

namespace dynid
{

void bind_stored_model(py::module_ & module)
{
  module.def("sha256", [](const py::bytes & bytes) { return sha256(std::string(bytes)); });
  module.def("sealed_entries", &sealed_entries);
  // strings are bytes in both directions, because not every Python str can be encoded as UTF-8
  module.def("canonical_text", [](const SealedValues & entries) {
    return py::bytes(canonical_text(by_name(entries)));
  });
  module.def("seal", [](const SealedValues & entries) { return seal(by_name(entries)); });

  py::class_<StoredModel>(module, "StoredModel")
    .def(
      py::init([](const Entries & entries, const std::vector<std::string> & joints, bool force) {
        return read_model(by_name(entries), joints, force);
      }),
      py::arg("entries"), py::arg("joints"), py::arg("force"))
    .def_property_readonly(
      "parameters", [](const StoredModel & model) { return model.mechanism.parameters(); })
    .def(
      "inverse_dynamics",
      [](const StoredModel & model, const VectorIn & q, const VectorIn & dq, const VectorIn & ddq) {
        const auto n = model.mechanism.joint_count();
        if (q.size() != n || dq.size() != n || ddq.size() != n) {
          throw std::invalid_argument("A state must have one number for each joint.");
        }
        auto workspace = model.mechanism.workspace();
        Eigen::VectorXd tau(n);
        model.mechanism.inverse_dynamics(workspace, q, dq, ddq, tau);
        return tau;
      })
    .def_readonly("sealed", &StoredModel::sealed)
    .def_readonly("created", &StoredModel::created)
    .def_readonly("edited_at", &StoredModel::edited_at);
}

}  // namespace dynid
