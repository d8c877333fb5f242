#pragma once

#include <string>
#include <string_view>

namespace dynid
{

/// SHA-256 of some bytes (FIPS 180-4), as 64 hexadecimal digits in lower case.
///
/// Our own, because it is all of a cryptographic library that the core would need, and a controller
/// should not bring OpenSSL along for it. Python's hashlib is the oracle of its tests.
[[nodiscard]] std::string sha256(std::string_view bytes);

}  // namespace dynid
