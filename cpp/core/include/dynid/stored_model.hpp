#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "dynid/mechanism.hpp"

namespace dynid
{

/// The types of a ROS 2 parameter; std::monostate where it is absent.
using ParameterEntry = std::variant<
  std::monostate, bool, std::int64_t, double, std::string, std::vector<bool>,
  std::vector<std::int64_t>, std::vector<double>, std::vector<std::string>>;

/// Returns an entry of a model.yaml by its name below `model`, dots for nesting.
using EntrySource = std::function<ParameterEntry(const std::string & name)>;

/// A model.yaml, as far as a controller needs it.
struct StoredModel
{
  MechanismDescription description;
  Mechanism mechanism;    ///< with the model's parameters
  bool sealed;            ///< whether it has a seal, which was valid; format 1 has none
  std::string created;    ///< when it was identified; empty where that is not known
  std::string edited_at;  ///< when an edit by hand was confirmed; empty where there was none
};

/// Reads and checks a model that reached a controller as parameters (docs/model-file.md). Throws
/// std::invalid_argument, with a sentence for the user, where an entry is missing, of another type,
/// not finite or contradicts others, where the model is of other joints, or where its seal or its
/// URDF's SHA-256 is wrong. Without `force`, also where its identification failed or its parameters
/// are not physically consistent.
StoredModel read_model(
  const EntrySource & source, const std::vector<std::string> & joints, bool force);

}  // namespace dynid
