// The exit status of every kind of error.
#include "cli/exit_status.h"

#include <cerrno>

#include <gtest/gtest.h>

namespace bloomery::cli {
namespace {

TEST(ExitStatus, FitsTheError) {
  EXPECT_EQ(report("test", Error::corruption("file", 0, "expected one thing, found another")), kDamaged);
  EXPECT_EQ(report("test", Error::unsupported("file", 0, "expected version 1, found 2")), kUnsupported);
  EXPECT_EQ(report("test", Error::invalid_argument("-n", "expected a number")), kTrouble);
  EXPECT_EQ(report("test", Error::capacity("memory", "needs more")), kTrouble);
  EXPECT_EQ(report("test", Error::io("file", "write", ENOSPC)), kTrouble);
  EXPECT_EQ(report("test", Error::io("file", "open", ENOENT)), kTrouble);
}

// Damage is not hidden by another file that cannot be judged, whichever comes first.
TEST(ExitStatus, OfSeveralFilesIsThatOfTheGravest) {
  EXPECT_EQ(graver(kDamaged, kUnsupported), kDamaged);
  EXPECT_EQ(graver(kUnsupported, kDamaged), kDamaged);
  EXPECT_EQ(graver(kUnsupported, kTrouble), kUnsupported);
  EXPECT_EQ(graver(kDone, kUnsupported), kUnsupported);
  EXPECT_EQ(graver(kTrouble, kNothing), kTrouble);
  EXPECT_EQ(graver(kNothing, kDone), kNothing);
  EXPECT_EQ(graver(kDone, kDone), kDone);
  EXPECT_EQ(graver(kInterrupted, kDamaged), kInterrupted);
}

// A save that Ctrl-C stopped ends as a command that Ctrl-C killed would.
TEST(ExitStatus, OfASaveThatWasStopped) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(report("build", Error::io("file", "write", EINTR)), 130);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("bloomery build: file"), std::string::npos);
}

// Whoever meets a checksum for the first time learns what to do.
TEST(ExitStatus, AChecksumThatDoesNotHoldHasARemedy) {
  const Error checksum = Error::corruption("payload", 192, "checksum: expected 1, found 2");
  EXPECT_EQ(remedy_for(checksum),
            "; its bytes are not those that were written: restore it from a copy, or build it again");
  testing::internal::CaptureStderr();
  EXPECT_EQ(report("query", checksum.in_file("f")), kDamaged);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "bloomery query: f: payload: at byte 192: checksum: expected 1, found 2 (corruption); its bytes "
            "are not those "
            "that were written: restore it from a copy, or build it again\n");
  EXPECT_EQ(remedy_for(Error::corruption("payload", 192, "expected bits, found others")), "");
  EXPECT_EQ(remedy_for(Error::unsupported("header", 25, "checksum: expected 0 to 2, found 9")), "");
}

TEST(ExitStatus, AClosedPipeIsNotTalkedAbout) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(report("query", Error::io("standard output", "write", EPIPE)), kTrouble);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace bloomery::cli
