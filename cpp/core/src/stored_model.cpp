#include "dynid/stored_model.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "dynid/control_report.hpp"
#include "dynid/physical_consistency.hpp"
#include "dynid/seal.hpp"
#include "dynid/sha256.hpp"
#include "dynid/term_lists.hpp"
#include "setting_checks.hpp"

namespace dynid
{
namespace
{

constexpr int unsealed_format = 1;
constexpr int newest_format = 2;  // with covariance and a seal

constexpr std::array<const char *, std::variant_size_v<ParameterEntry>> type_names{
  "none",       "bool",          "integer",      "double",      "string",
  "bool_array", "integer_array", "double_array", "string_array"};

/// Throws where a text would end or break the sentence that quotes it.
void check_text(const std::string & name, const std::string & text)
{
  const bool lines = name == "urdf";
  const auto breaks = [lines](char letter) {
    const auto code = static_cast<unsigned char>(letter);
    return (code < 0x20U && !(lines && std::isspace(code))) || code == 0x7FU;
  };
  if (std::any_of(text.begin(), text.end(), breaks)) {
    throw std::invalid_argument(
      "The parameter 'model." + name +
      "' contains a control character, which is in no name or URDF; identify again.");
  }
}

template <typename Value>
void check_text(const std::string & name, const Value & value)
{
  if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
    for (const auto & text : value) {
      check_text(name, text);
    }
  }
}

template <typename Value>
Value get(const EntrySource & source, const std::string & name)
{
  const auto found = source(name);
  if (std::holds_alternative<std::monostate>(found)) {
    throw std::invalid_argument(
      "The parameter 'model." + name +
      "' is missing; set all of a model.yaml at once, as model_publisher does.");
  }
  const auto * const value = std::get_if<Value>(&found);
  if (value == nullptr) {
    throw std::invalid_argument(
      "The parameter 'model." + name + "' has the type " + type_names.at(found.index()) +
      ", but another one is expected.");
  }
  check_text(name, *value);
  return *value;
}

/// A parameter that some models do not have.
template <typename Value>
Value get_or(const EntrySource & source, const std::string & name, const Value & otherwise)
{
  const bool there = !std::holds_alternative<std::monostate>(source(name));
  return there ? get<Value>(source, name) : otherwise;
}

/// A list that model.yaml omits where it is empty.
template <typename Value>
std::vector<Value> list(const EntrySource & source, const std::string & name)
{
  return get_or<std::vector<Value>>(source, name, {});
}

void check_entries(const std::string & name, std::size_t found, std::size_t expected)
{
  check_count("The parameter 'model." + name + "'", found, expected);
}

Eigen::VectorXd vector(const std::vector<double> & values)
{
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

ClosedChainDescription closed_chain(const EntrySource & source)
{
  ClosedChainLists lists;
  lists.passive_joints = list<std::string>(source, "passive_joints");
  lists.passive_positions = list<double>(source, "passive_positions");
  lists.assembled_at = list<double>(source, "assembled_at");
  lists.closure_kinds = list<std::string>(source, "closure_kinds");
  lists.closure_links = list<std::string>(source, "closure_links");
  lists.closure_points = list<double>(source, "closure_points");
  lists.closure_axes = list<double>(source, "closure_axes");
  lists.closure_lengths = list<double>(source, "closure_lengths");
  return closed_chain(lists);
}

std::vector<JointTerm> terms(const EntrySource & source, const std::vector<std::string> & joints)
{
  TermLists lists;
  lists.kinds = list<std::string>(source, "terms.kinds");
  lists.sides = list<std::string>(source, "terms.sides");
  for (const auto & name : list<std::string>(source, "terms.joints")) {
    const auto joint = std::find(joints.begin(), joints.end(), name);
    if (joint == joints.end()) {
      throw std::invalid_argument(
        "The parameter 'model.terms.joints' has '" + name + "', which is no joint of the model.");
    }
    lists.joints.push_back(static_cast<int>(joint - joints.begin()));
  }
  const auto & shapes = term_shapes();
  for (std::size_t s = 0; s < shapes.size(); ++s) {
    const auto name = "terms." + std::string(shapes.at(s).name);
    lists.shapes.at(s) = list<double>(source, name);
    if (!shapes.at(s).rare) {
      check_entries(name, lists.shapes.at(s).size(), lists.kinds.size());
    }
  }
  return joint_terms(lists, [](std::string_view name) {
    return "The parameter 'model.terms." + std::string(name) + "'";
  });
}

/// The values of an entry for the seal.
struct SealedValues
{
  using Values = std::vector<SealedValue>;

  Values operator()(std::monostate) const { return {}; }
  Values operator()(std::int64_t value) const { return {static_cast<double>(value)}; }
  Values operator()(const std::vector<std::int64_t> & values) const
  {
    return (*this)(std::vector<double>(values.begin(), values.end()));
  }
  template <typename Value>
  Values operator()(const Value & value) const
  {
    return {SealedValue(value)};
  }
  template <typename Value>
  Values operator()(const std::vector<Value> & values) const
  {
    Values found;
    for (std::size_t i = 0; i < values.size(); ++i) {  // by reference bools have none
      found.emplace_back(static_cast<Value>(values[i]));
    }
    return found;
  }
};

/// The first 12 characters; fewer where the 12th byte is not the end of one of UTF-8, as it may be
/// in a file that was altered.
std::string shortened(const std::string & digest)
{
  std::size_t end = std::min<std::size_t>(12, digest.size());
  while (end > 0 && end < digest.size() &&
         (static_cast<unsigned char>(digest[end]) & 0xC0U) == 0x80U) {
    --end;
  }
  return digest.substr(0, end) + "…";
}

/// Throws where sealed entries were changed; false where the model has no seal.
bool check_seal(const EntrySource & source, std::int64_t format)
{
  const auto expected = get_or<std::string>(source, "sha256", "");
  if (expected.empty()) {
    if (format == unsealed_format) {
      return false;
    }
    throw std::invalid_argument("The model has no seal (model.sha256); identify again.");
  }
  const auto found =
    seal([&](const std::string & name) { return std::visit(SealedValues{}, source(name)); });
  if (found != expected) {
    throw std::invalid_argument(
      "The model's status, parameters, terms or chains were altered after they were written (their "
      "SHA-256 is " +
      shortened(found) + ", model.sha256 is " + shortened(expected) +
      "); identify again, or confirm an intended edit with 'dynid model seal'.");
  }
  return format != unsealed_format;
}

void check_urdf(const std::string & urdf, const std::string & expected)
{
  const auto found = sha256(urdf);
  if (found != expected) {
    throw std::invalid_argument(
      "The model's URDF was altered (its SHA-256 is " + shortened(found) +
      ", model.urdf_sha256 is " + shortened(expected) + "); identify again.");
  }
}

MechanismDescription read_description(
  const EntrySource & source, const std::vector<std::string> & joints)
{
  MechanismDescription description;
  description.joints = get<std::vector<std::string>>(source, "joints");
  if (description.joints != joints) {
    throw std::invalid_argument(
      "The model has the joints " + joined(description.joints) + ", but the controller has " +
      joined(joints) + ".");
  }
  const auto n = joints.size();
  const auto gravity = get<std::vector<double>>(source, "gravity");
  const auto coupling = get<std::vector<double>>(source, "coupling");
  const auto locked = list<std::string>(source, "locked_joints");
  const auto positions = list<double>(source, "locked_positions");
  check_entries("gravity", gravity.size(), 3);
  check_entries("coupling", coupling.size(), n * n);
  check_entries("locked_positions", positions.size(), locked.size());
  description.urdf_xml = get<std::string>(source, "urdf");
  description.gravity = vector(gravity);
  description.coupling = Eigen::Map<const RowMajorMatrix>(
    coupling.data(), static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(n));
  for (std::size_t i = 0; i < locked.size(); ++i) {
    description.locked[locked[i]] = positions[i];
  }
  description.chain = closed_chain(source);
  description.payload_joint = get_or<std::string>(source, "payload_joint", "");
  description.semi_static = get_or<bool>(source, "semi_static", false);
  auto moving = joints;
  moving.insert(moving.end(), description.chain.passive.begin(), description.chain.passive.end());
  description.terms = terms(source, moving);
  return description;
}

void check_names(const EntrySource & source, const Mechanism & mechanism)
{
  const auto names = list<std::string>(source, "parameter_names");
  if (!names.empty() && names != mechanism.parameter_names()) {
    throw std::invalid_argument(
      "The parameter 'model.parameter_names' does not match what the model's URDF and terms "
      "describe; identify again.");
  }
}

}  // namespace

StoredModel read_model(
  const EntrySource & source, const std::vector<std::string> & joints, bool force)
{
  const auto format = get<std::int64_t>(source, "format");
  if (format < unsealed_format || format > newest_format) {
    throw std::invalid_argument(
      "The model has format " + std::to_string(format) + ", but this controller reads formats " +
      std::to_string(unsealed_format) + " to " + std::to_string(newest_format) +
      "; identify again with this release.");
  }
  if (get<std::string>(source, "status") != "success" && !force) {
    throw std::invalid_argument(
      "The model's identification failed; identify again, or set 'force' to use it anyway.");
  }
  auto description = read_description(source, joints);
  const auto values = get<std::vector<double>>(source, "parameters");
  const bool sealed = check_seal(source, format);
  if (sealed || !std::holds_alternative<std::monostate>(source("urdf_sha256"))) {
    check_urdf(description.urdf_xml, get<std::string>(source, "urdf_sha256"));
  }
  const auto mechanism = Mechanism(description).with_parameters(vector(values));
  check_names(source, mechanism);
  const auto problem = physical_problem(mechanism, mechanism.parameters());
  if (!problem.empty() && !force) {
    throw std::invalid_argument(
      "The model is not physically consistent: " + problem +
      "; identify again, or set 'force' to use it anyway.");
  }
  return {
    std::move(description), mechanism, sealed, get_or<std::string>(source, "created", ""),
    get_or<std::string>(source, "edited_at", "")};
}

}  // namespace dynid
