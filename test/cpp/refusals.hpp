#pragma once

// What a call is refused with.

#include <stdexcept>
#include <string>

namespace
{

/// The sentence of the std::invalid_argument that a call throws; empty where it throws none.
template <typename Call>
std::string refusal_of(const Call & call)
{
  try {
    call();
  } catch (const std::invalid_argument & error) {
    return error.what();
  }
  return {};
}

}  // namespace
