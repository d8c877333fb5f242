#include "dynid/drive_state.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>

namespace dynid
{
namespace
{

constexpr double largest_word = 65535.0;
constexpr unsigned internal_limit = 1U << 11U;
constexpr unsigned following_error = 1U << 13U;

struct Pattern
{
  unsigned mask;
  unsigned value;
  DriveState state;
  const char * name;
};

// CiA402-2, table of the status word's bits
constexpr std::array<Pattern, 8> patterns{{
  {0x4F, 0x00, DriveState::not_ready, "not ready to switch on"},
  {0x4F, 0x40, DriveState::switch_on_disabled, "switch on disabled"},
  {0x6F, 0x21, DriveState::ready_to_switch_on, "ready to switch on"},
  {0x6F, 0x23, DriveState::switched_on, "switched on, but not enabled"},
  {0x6F, 0x27, DriveState::enabled, "enabled"},
  {0x6F, 0x07, DriveState::quick_stop, "in quick stop"},
  {0x4F, 0x0F, DriveState::fault_reaction, "braking in a fault"},
  {0x4F, 0x08, DriveState::fault, "in fault"},
}};

std::string name_of(DriveState state)
{
  for (const auto & pattern : patterns) {
    if (pattern.state == state) {
      return pattern.name;
    }
  }
  return "in an unknown state";
}

/// Whether it is a word of 16 bits.
bool is_word(double value) noexcept { return value >= 0.0 && value <= largest_word; }

/// Whether a bit is set in a status word.
bool has_bit(double word, unsigned bit) noexcept
{
  return is_word(word) && (static_cast<unsigned>(word) & bit) != 0;
}

std::string hexadecimal(double word)
{
  if (!is_word(word)) {
    return "unknown";
  }
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "0x%04X", static_cast<unsigned>(word));
  return text.data();
}

}  // namespace

DriveState drive_state(double status_word) noexcept
{
  if (!is_word(status_word)) {
    return DriveState::unknown;
  }
  const auto word = static_cast<unsigned>(status_word);
  for (const auto & pattern : patterns) {
    if ((word & pattern.mask) == pattern.value) {
      return pattern.state;
    }
  }
  return DriveState::unknown;
}

bool has_fault(DriveState state) noexcept
{
  return state == DriveState::fault || state == DriveState::fault_reaction;
}

bool is_limited(double status_word) noexcept { return has_bit(status_word, internal_limit); }

bool has_following_error(double status_word) noexcept
{
  return has_bit(status_word, following_error);
}

std::string describe(const DriveWords & words)
{
  const auto state = drive_state(words.status);
  std::string text = name_of(state) + " (status word " + hexadecimal(words.status);
  // an error code remains after its fault, and is not valid then
  if (has_fault(state) && words.error != 0.0) {
    text += ", error code " + hexadecimal(words.error);
  }
  text += is_limited(words.status) ? ", internal limit active" : "";
  text += has_following_error(words.status) ? ", following error" : "";
  return text + ")";
}

}  // namespace dynid
