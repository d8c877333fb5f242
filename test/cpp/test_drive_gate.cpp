// CiA402's states of a drive, and references that wait until drives are enabled.

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

/// Two drives with their status, and the commands from the gate.
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
  EXPECT_EQ(drive_state(nan), DriveState::unknown) << "and any other word is unknown";
  EXPECT_EQ(drive_state(-1.0), DriveState::unknown);
  EXPECT_EQ(drive_state(1e6), DriveState::unknown);
  EXPECT_EQ(drive_state(0x0067), DriveState::unknown);
  int enabled_words = 0;
  for (int word = 0; word <= 0xFFFF; ++word) {
    const bool stands = (word & 0x6F) == 0x27;
    enabled_words += (drive_state(word) == DriveState::enabled) == stands ? 0 : 1;
  }
  EXPECT_EQ(enabled_words, 0) << "a drive is enabled only by bits 0, 1, 2 and 5";
}

TEST(DriveGate, DrivesWithoutAStatusWordAreNotCommanded)
{
  Cell cell;
  cell.cycle();
  EXPECT_FALSE(cell.commanded.allFinite()) << "zeros on the bus are not a position";
  EXPECT_EQ(
    describe(cell.gate.report(), joints),
    "waiting for the drive of joint 'shoulder', which is not ready to switch on (status word "
    "0x0000)")
    << "and the drive it waits for is named";
}

TEST(DriveGate, LateDrivesAreCommandedToTheirMeasuredPosition)
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
    << "an enabled drive keeps its first command while another is not enabled";
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
  Cell late;
  late.words = {{enabled, 0.0}, {enabled, 0.0}};
  late.position << 0.1, 0.3;
  late.cycle();
  EXPECT_EQ(late.gate.hold(), late.position) << "and start at the measured positions";
}

TEST(DriveGate, WaitsForAReferenceInMotion)
{
  Cell cell;
  cell.words = {{enabled, 0.0}, {enabled, 0.0}};
  for (int k = 0; k < 100; ++k) {
    cell.reference[0] += 1e-3;
    cell.cycle();
  }
  EXPECT_EQ(cell.gate.phase(), DrivePhase::waiting) << "it waits until the reference is at rest";
  EXPECT_EQ(
    describe(cell.gate.report(), joints),
    "every drive is enabled; waiting for the reference to be at rest")
    << "which is reported";
  cell.reference.setConstant(nan);
  cell.open();
  EXPECT_EQ(cell.gate.phase(), DrivePhase::running) << "a missing reference counts as at rest";
}

TEST(DriveGate, WaitsForAFinitePosition)
{
  Cell cell;
  cell.position[1] = nan;
  cell.open();
  cell.open();
  EXPECT_EQ(cell.gate.phase(), DrivePhase::waiting) << "it waits until all positions are finite";
}

TEST(DriveGate, ADriveThatIsLostStopsAllUntilReset)
{
  Cell cell;
  cell.open();
  cell.words[1] = {0x021F, 0.0};
  cell.position << 0.0, 0.2;
  cell.cycle();
  EXPECT_TRUE(cell.gate.lost()) << "when a drive is lost the others come to rest";
  EXPECT_EQ(cell.gate.phase(), DrivePhase::stopping);
  EXPECT_TRUE(cell.gate.follows(0));
  EXPECT_FALSE(cell.gate.follows(1));
  EXPECT_FALSE(cell.gate.reset()) << "reset() is refused until then";
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
  EXPECT_EQ(cell.gate.phase(), DrivePhase::stopped)
    << "a drive that is enabled again starts no motion";
  EXPECT_EQ(cell.commanded[1], 0.2) << "and is held at its position";
  EXPECT_TRUE(cell.gate.reset()) << "after reset()";
  cell.reference << 0.05, 0.2;
  for (int k = 0; k < settling; ++k) {
    cell.cycle();
  }
  EXPECT_EQ(cell.gate.phase(), DrivePhase::waiting) << "it waits for a reference at rest";
  cell.cycle();
  EXPECT_TRUE(cell.gate.opened()) << "and followed again";
}

TEST(DriveGate, ADriveThatDoesNotReachItsTargetIsNamedWhileAllFollow)
{
  Cell cell;
  cell.open();
  EXPECT_EQ(describe(cell.gate.report(), joints), "every drive is enabled");
  cell.words[1].status = 0x0A37;
  cell.cycle();
  EXPECT_EQ(cell.gate.phase(), DrivePhase::running) << "it is no reason to stop";
  EXPECT_EQ(
    describe(cell.gate.report(), joints),
    "every drive is enabled; the drive of joint 'elbow' is enabled (status word 0x0A37, internal "
    "limit active)");
  cell.words[1].status = enabled;
  cell.words[0].status = 0x2237;
  cell.cycle();
  EXPECT_EQ(
    describe(cell.gate.report(), joints),
    "every drive is enabled; the drive of joint 'shoulder' is enabled (status word 0x2237, "
    "following error)");
  cell.words[0].status = enabled;
  cell.cycle();
  EXPECT_EQ(describe(cell.gate.report(), joints), "every drive is enabled");
  EXPECT_EQ(
    describe(DriveWords{0x2218, 0x8611}),
    "in fault (status word 0x2218, error code 0x8611, following error)");
}

TEST(DriveGate, LimitsAreBitsOfAWordOnly)
{
  EXPECT_TRUE(is_limited(0x0800));
  EXPECT_FALSE(is_limited(0xF7FF));
  EXPECT_TRUE(has_following_error(0x2000));
  EXPECT_FALSE(has_following_error(0xDFFF));
  for (const double word : {nan, -1.0, 65536.0 + 0x2800}) {
    EXPECT_FALSE(is_limited(word) || has_following_error(word)) << word;
  }
}

TEST(DriveGate, RestartingForgetsDrivesFaultAndReference)
{
  Cell cell;
  cell.open();
  cell.words[1].status = in_fault;
  cell.cycle();
  ASSERT_EQ(cell.gate.phase(), DrivePhase::stopping);
  cell.gate.restart();
  EXPECT_EQ(cell.gate.phase(), DrivePhase::waiting);
  EXPECT_FALSE(cell.gate.lost());
  EXPECT_FALSE(cell.gate.follows(0));
  EXPECT_FALSE(cell.gate.hold().allFinite()) << "no drive has a command";
  cell.position << 0.4, 0.5;
  cell.words = {{enabled, 0.0}, {enabled, 0.0}};
  for (int k = 0; k < settling; ++k) {
    cell.cycle();
    EXPECT_EQ(cell.gate.phase(), DrivePhase::waiting) << "it settles again";
    EXPECT_EQ(cell.commanded, cell.position) << "from where the drives are";
  }
  cell.cycle();
  EXPECT_TRUE(cell.gate.opened());
  cell.gate.restart();
  cell.open();
  cell.gate.restart();
  cell.words[0].status = in_fault;
  cell.cycle();
  EXPECT_EQ(cell.gate.phase(), DrivePhase::waiting) << "a fault before the start stops nothing";
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
