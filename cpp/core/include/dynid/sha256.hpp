#pragma once

#include <string>
#include <string_view>

namespace dynid
{

/// SHA-256 of some bytes (FIPS 180-4), as 64 hexadecimal digits in lower case.
///
/// Implemented here so that a controller does not depend on OpenSSL for this one function. Python's
/// hashlib is the oracle of its tests.
[[nodiscard]] std::string sha256(std::string_view bytes);

}  // namespace dynid
