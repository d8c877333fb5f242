// CiA402's states of a drive, and how references wait for drives that are enabled.

#include <cmath>
#include <limits>

#include "checks.hpp"
#include "dynid/drive_gate.hpp"

namespace
{

using namespace dynid;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr int settling = 3;
constexpr double enabled = 0x0237;
constexpr double switched_on = 0x0233;
constexpr double in_fault = 0x0218;
const std::vector<std::string> joints{"shoulder", "elbow"};

/// Two drives, what they say, and what is done with the gate's answers.
struct Cell
{
  Cell() { commanded << nan, nan; }

  void cycle()
  {
    gate.update(words, position, reference);
    if (gate.phase() == DrivePhase::running) {
      gate.commanded(reference, true);
    }
    commanded = gate.hold();
  }

  void open()
  {
    words = {{enabled, 0.0}, {enabled, 0.0}};
    for (int k = 0; k < settling + 1; ++k) {
      cycle();
    }
  }

  DriveGate gate{2, settling};
  std::vector<DriveWords> words{{0.0, 0.0}, {0.0, 0.0}};
  Eigen::Vector2d position{0.0, 0.0};
  Eigen::Vector2d reference{0.0, 0.0};
  Eigen::Vector2d commanded;
};

void every_state_of_cia402_is_read_from_its_status_word()
{
  expect(
    drive_state(0x0000) == DriveState::not_ready &&
      drive_state(0x0250) == DriveState::switch_on_disabled &&
      drive_state(0x0231) == DriveState::ready_to_switch_on &&
      drive_state(0x0233) == DriveState::switched_on &&
      drive_state(0x0237) == DriveState::enabled && drive_state(0x0217) == DriveState::quick_stop &&
      drive_state(0x021F) == DriveState::fault_reaction && drive_state(0x0218) == DriveState::fault,
    "every state of CiA402 is read from its status word");
  expect(
    drive_state(nan) == DriveState::unknown && drive_state(-1.0) == DriveState::unknown &&
      drive_state(1e6) == DriveState::unknown && drive_state(0x0067) == DriveState::unknown,
    "and what is none is unknown");
  int enabled_words = 0;
  for (int word = 0; word <= 0xFFFF; ++word) {
    const bool stands = (word & 0x6F) == 0x27;
    enabled_words += (drive_state(word) == DriveState::enabled) == stands ? 0 : 1;
  }
  expect(
    enabled_words == 0, "a drive is enabled where bits 0, 1, 2 and 5 say so, and no other way");
}

void nothing_is_commanded_to_drives_that_say_nothing()
{
  Cell cell;
  cell.cycle();
  expect(!cell.commanded.allFinite(), "a bus full of zeros is no position");
  expect(
    describe(cell.gate.report(), joints) ==
      "waiting for the drive of joint 'shoulder', which is not ready to switch on (status word "
      "0x0000)",
    "and who is waited for is named");
}

void drives_that_come_late_are_commanded_to_where_they_are()
{
  Cell cell;
  cell.words[0].status = enabled;
  cell.cycle();
  cell.position << 0.01, 0.3;
  cell.words[1].status = switched_on;
  for (int k = 0; k < 100; ++k) {
    cell.cycle();
  }
  expect(
    cell.commanded[0] == 0.0 && cell.gate.phase() == DrivePhase::waiting,
    "a drive that is enabled keeps its first command while another is waited for");
  expect(cell.commanded[1] == 0.3, "the other is commanded to where it is");
  cell.position[1] = 0.31;
  cell.words[1].status = enabled;
  for (int k = 0; k < settling; ++k) {
    expect(cell.gate.phase() == DrivePhase::waiting, "references wait until all have settled");
    cell.cycle();
  }
  expect(cell.gate.opened() && cell.commanded[1] == cell.reference[1], "then they are followed");
  Cell twin;
  twin.words = {{enabled, 0.0}, {enabled, 0.0}};
  twin.position << 0.1, 0.3;
  twin.cycle();
  expect(twin.gate.hold() == twin.position, "and begin at what was measured");
}

void a_reference_in_motion_is_waited_for()
{
  Cell cell;
  cell.words = {{enabled, 0.0}, {enabled, 0.0}};
  for (int k = 0; k < 100; ++k) {
    cell.reference[0] += 1e-3;
    cell.cycle();
  }
  expect(cell.gate.phase() == DrivePhase::waiting, "a reference in motion is waited for");
  expect(
    describe(cell.gate.report(), joints) ==
      "every drive is enabled; waiting for the reference to be at rest",
    "which is said");
  cell.reference.setConstant(nan);
  cell.open();
  expect(cell.gate.phase() == DrivePhase::running, "none at all is at rest");
}

void a_position_that_is_no_number_is_waited_for()
{
  Cell cell;
  cell.position[1] = nan;
  cell.open();
  cell.open();
  expect(cell.gate.phase() == DrivePhase::waiting, "a position that is no number is waited for");
}

void a_drive_that_is_lost_stops_all_until_reset()
{
  Cell cell;
  cell.open();
  cell.words[1] = {0x021F, 0.0};
  cell.position << 0.0, 0.2;
  cell.cycle();
  expect(
    cell.gate.lost() && cell.gate.phase() == DrivePhase::stopping && cell.gate.follows(0) &&
      !cell.gate.follows(1),
    "a drive that is lost has the others come to rest");
  expect(!cell.gate.reset(), "which reset() waits for");
  cell.words[1] = {in_fault, 0x7305};
  cell.gate.commanded(Eigen::Vector2d(0.05, 9.0), true);
  cell.cycle();
  expect(
    cell.gate.phase() == DrivePhase::stopped && cell.commanded[0] == 0.05 &&
      cell.commanded[1] == 0.2,
    "they hold where they came to rest, and the lost one is commanded to where it is");
  expect(
    describe(cell.gate.report(), joints) ==
      "The drive of joint 'elbow' is in fault (status word 0x0218, error code 0x7305); the robot "
      "is stopped until ~/reset_fault.",
    "the reason names joint and error code");
  cell.words[1] = {enabled, 0x7305};
  for (int k = 0; k < 100; ++k) {
    cell.cycle();
    cell.gate.commanded(Eigen::Vector2d(0.05, 9.0), true);
  }
  expect(cell.gate.phase() == DrivePhase::stopped, "a drive that comes back moves nothing");
  expect(cell.commanded[1] == 0.2, "and is held where it came back");
  expect(cell.gate.reset(), "after reset()");
  cell.reference << 0.05, 0.2;
  for (int k = 0; k < settling; ++k) {
    cell.cycle();
  }
  expect(cell.gate.phase() == DrivePhase::waiting, "references are waited for");
  cell.cycle();
  expect(cell.gate.opened(), "and followed again");
}

void a_cycle_allocates_nothing()
{
  Cell cell;
  expect_no_allocation("a cycle of the gate", [&] {
    cell.open();
    cell.words[0].status = in_fault;
    for (int k = 0; k < 10; ++k) {
      cell.gate.update(cell.words, cell.position, cell.reference);
    }
  });
}

}  // namespace

int main()
{
  expect_that_allocations_are_counted();
  every_state_of_cia402_is_read_from_its_status_word();
  nothing_is_commanded_to_drives_that_say_nothing();
  drives_that_come_late_are_commanded_to_where_they_are();
  a_reference_in_motion_is_waited_for();
  a_position_that_is_no_number_is_waited_for();
  a_drive_that_is_lost_stops_all_until_reset();
  a_cycle_allocates_nothing();
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
