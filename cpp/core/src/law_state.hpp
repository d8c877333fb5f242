#pragma once

#include "dynid/control_law.hpp"

namespace dynid
{

/// What changes the state of a ControlLaw.
enum class LawEvent
{
  join,   ///< the reference is near the command and within its limits
  leave,  ///< it can no longer be followed
  stop,   ///< a collision or a fault
  rest,   ///< a stop is over
  reset   ///< a stop is cleared
};

/// The state after an event; the same state where the event means nothing in it.
[[nodiscard]] constexpr LawState next_state(LawState state, LawEvent event) noexcept
{
  switch (event) {
    case LawEvent::join:
      return state == LawState::waiting ? LawState::following : state;
    case LawEvent::leave:
      return state == LawState::following ? LawState::waiting : state;
    case LawEvent::stop:
      return is_stop(state) ? state : LawState::stopping;
    case LawEvent::rest:
      return state == LawState::stopping ? LawState::stopped : state;
    case LawEvent::reset:
      return state == LawState::stopped ? LawState::waiting : state;
  }
  return state;
}

}  // namespace dynid
