#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "dynid/mechanism.hpp"

namespace dynid
{

/// What ROS 2 has for a parameter; the first where there is none.
using ParameterEntry = std::variant<
  std::monostate, bool, std::int64_t, double, std::string, std::vector<bool>,
  std::vector<std::int64_t>, std::vector<double>, std::vector<std::string>>;

/// Gives an entry of a model.yaml by its name below `model`, dots for nesting.
using EntrySource = std::function<ParameterEntry(const std::string & name)>;

/// A model.yaml, as far as a controller needs it.
struct StoredModel
{
  MechanismDescription description;
  Mechanism mechanism;    ///< with the model's parameters
  bool sealed;            ///< whether it carries a seal, which was right; format 1 has none
  std::string created;    ///< when it was identified; empty where that is not known
  std::string edited_at;  ///< when an edit by hand was confirmed; empty where there was none
};

/// Reads and checks a model that reached a controller as parameters (docs/model-file.md). Throws
/// std::invalid_argument with a whole sentence where an entry is missing, of another type, not
/// finite or contradicts others, where the model is of other joints, where its seal or its URDF's
/// SHA-256 is not right, and where its identification failed or no real robot can have its
/// parameters, unless that is wanted (`force`).
StoredModel read_model(
  const EntrySource & source, const std::vector<std::string> & joints, bool force);

}  // namespace dynid
