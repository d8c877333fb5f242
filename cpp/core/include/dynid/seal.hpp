#pragma once

// The seal of a model.yaml: SHA-256 over the canonical text of what the controller uses.
//
// The canonical text has, for each entry of sealed_entries() in this order, a line with its name
// and the number of its values, then a line for each value: a number as the 16 hexadecimal digits
// of the IEEE 754 double (big-endian, subnormals as 0), a string as the length of its UTF-8 in
// bytes, a colon and the string, a bool as true or false. An absent entry has 0 values. So it
// depends neither on how numbers are printed nor on the order of a YAML file. Python seals with
// these functions too.

#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace dynid
{

using SealedValue = std::variant<bool, double, std::string>;
/// Returns the values of a model's entry by its name, none where it is absent.
using SealedSource = std::function<std::vector<SealedValue>(const std::string & name)>;

/// What the seal is over, in its order; dots for nesting.
[[nodiscard]] const std::vector<std::string> & sealed_entries();

[[nodiscard]] std::string canonical_text(const SealedSource & source);

/// SHA-256 of the canonical text, in hexadecimal.
[[nodiscard]] std::string seal(const SealedSource & source);

}  // namespace dynid
