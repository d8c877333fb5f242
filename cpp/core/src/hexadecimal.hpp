#pragma once

#include <cstdint>
#include <string>

namespace dynid
{

/// The last `digits` hexadecimal digits of a number, in lower case.
inline std::string hexadecimal_digits(std::uint64_t number, unsigned digits)
{
  std::string text;
  while (digits-- > 0) {
    text += "0123456789abcdef"[(number >> (4U * digits)) & 0xfU];
  }
  return text;
}

}  // namespace dynid
