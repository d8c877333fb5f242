// CiA402's states of a drive, and how references wait for drives that are enabled.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "allocation_checks.hpp"
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

TEST(DriveGate, EveryStateOfCia402IsReadFromItsStatusWord)
{
  EXPECT_EQ(drive_state(0x0000), DriveState::not_ready)
    << "every state of CiA402 is read from its status word";
  EXPECT_EQ(drive_state(0x0250), DriveState::switch_on_disabled);
  EXPECT_EQ(drive_state(0x0231), DriveState::ready_to_switch_on);
  EXPECT_EQ(drive_state(0x0233), DriveState::switched_on);
  EXPECT_EQ(drive_state(0x0237), DriveState::enabled);
  EXPECT_EQ(drive_state(0x0217), DriveState::quick_stop);
  EXPECT_EQ(drive_state(0x021F), DriveState::fault_reaction);
  EXPECT_EQ(drive_state(0x0218), DriveState::fault);
  EXPECT_EQ(drive_state(nan), DriveState::unknown) << "and what is none is unknown";
  EXPECT_EQ(drive_state(-1.0), DriveState::unknown);
  EXPECT_EQ(drive_state(1e6), DriveState::unknown);
  EXPECT_EQ(drive_state(0x0067), DriveState::unknown);
  int enabled_words = 0;
  for (int word = 0; word <= 0xFFFF; ++word) {
    const bool stands = (word & 0x6F) == 0x27;
    enabled_words += (drive_state(word) == DriveState::enabled) == stands ? 0 : 1;
  }
  EXPECT_EQ(enabled_words, 0)
    << "a drive is enabled where bits 0, 1, 2 and 5 say so, and no other way";
}

TEST(DriveGate, NothingIsCommandedToDrivesThatSayNothing)
{
  Cell cell;
  cell.cycle();
  EXPECT_FALSE(cell.commanded.allFinite()) << "a bus full of zeros is no position";
  EXPECT_EQ(
    describe(cell.gate.report(), joints),
    "waiting for the drive of joint 'shoulder', which is not ready to switch on (status word "
    "0x0000)")
    << "and who is waited for is named";
}

TEST(DriveGate, DrivesThatComeLateAreCommandedToWhereTheyAre)
{
  Cell cell;
  cell.words[0].status = enabled;
  cell.cycle();
  cell.position << 0.01, 0.3;
  cell.words[1].status = switched_on;
  for (int k = 0; k < 100; ++k) {
    cell.cycle();
  }
  EXPECT_EQ(cell.commanded[0], 0.0)
    << "a drive that is enabled keeps its first command while another is waited for";
  EXPECT_EQ(cell.gate.phase(), DrivePhase::waiting);
  EXPECT_EQ(cell.commanded[1], 0.3) << "the other is commanded to where it is";
  cell.position[1] = 0.31;
  cell.words[1].status = enabled;
  for (int k = 0; k < settling; ++k) {
    EXPECT_EQ(cell.gate.phase(), DrivePhase::waiting) << "references wait until all have settled";
    cell.cycle();
  }
  EXPECT_TRUE(cell.gate.opened()) << "then they are followed";
  EXPECT_EQ(cell.commanded[1], cell.reference[1]);
  Cell twin;
  twin.words = {{enabled, 0.0}, {enabled, 0.0}};
  twin.position << 0.1, 0.3;
  twin.cycle();
  EXPECT_EQ(twin.gate.hold(), twin.position) << "and begin at what was measured";
}

TEST(DriveGate, AReferenceInMotionIsWaitedFor)
{
  Cell cell;
  cell.words = {{enabled, 0.0}, {enabled, 0.0}};
  for (int k = 0; k < 100; ++k) {
    cell.reference[0] += 1e-3;
    cell.cycle();
  }
  EXPECT_EQ(cell.gate.phase(), DrivePhase::waiting) << "a reference in motion is waited for";
  EXPECT_EQ(
    describe(cell.gate.report(), joints),
    "every drive is enabled; waiting for the reference to be at rest")
    << "which is said";
  cell.reference.setConstant(nan);
  cell.open();
  EXPECT_EQ(cell.gate.phase(), DrivePhase::running) << "none at all is at rest";
}

TEST(DriveGate, APositionThatIsNoNumberIsWaitedFor)
{
  Cell cell;
  cell.position[1] = nan;
  cell.open();
  cell.open();
  EXPECT_EQ(cell.gate.phase(), DrivePhase::waiting) << "a position that is no number is waited for";
}

TEST(DriveGate, ADriveThatIsLostStopsAllUntilReset)
{
  Cell cell;
  cell.open();
  cell.words[1] = {0x021F, 0.0};
  cell.position << 0.0, 0.2;
  cell.cycle();
  EXPECT_TRUE(cell.gate.lost()) << "a drive that is lost has the others come to rest";
  EXPECT_EQ(cell.gate.phase(), DrivePhase::stopping);
  EXPECT_TRUE(cell.gate.follows(0));
  EXPECT_FALSE(cell.gate.follows(1));
  EXPECT_FALSE(cell.gate.reset()) << "which reset() waits for";
  cell.words[1] = {in_fault, 0x7305};
  cell.gate.commanded(Eigen::Vector2d(0.05, 9.0), true);
  cell.cycle();
  EXPECT_EQ(cell.gate.phase(), DrivePhase::stopped)
    << "they hold where they came to rest, and the lost one is commanded to where it is";
  EXPECT_EQ(cell.commanded[0], 0.05);
  EXPECT_EQ(cell.commanded[1], 0.2);
  EXPECT_EQ(
    describe(cell.gate.report(), joints),
    "The drive of joint 'elbow' is in fault (status word 0x0218, error code 0x7305); the robot "
    "is stopped until ~/reset_fault.")
    << "the reason names joint and error code";
  cell.words[1] = {enabled, 0x7305};
  for (int k = 0; k < 100; ++k) {
    cell.cycle();
    cell.gate.commanded(Eigen::Vector2d(0.05, 9.0), true);
  }
  EXPECT_EQ(cell.gate.phase(), DrivePhase::stopped) << "a drive that comes back moves nothing";
  EXPECT_EQ(cell.commanded[1], 0.2) << "and is held where it came back";
  EXPECT_TRUE(cell.gate.reset()) << "after reset()";
  cell.reference << 0.05, 0.2;
  for (int k = 0; k < settling; ++k) {
    cell.cycle();
  }
  EXPECT_EQ(cell.gate.phase(), DrivePhase::waiting) << "references are waited for";
  cell.cycle();
  EXPECT_TRUE(cell.gate.opened()) << "and followed again";
}

TEST(DriveGate, ACycleAllocatesNothing)
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
