// The note that a state's file carries, beside whatever else stands there.
#include "dedup/state_note.h"

#include <gtest/gtest.h>

namespace bloomery {
namespace {

const StateNote kNote{.lines = 200'000, .kept = 123'456, .saved = "2026-11-21T20:00:00Z"};
const std::string kText = "dedup lines=200000 kept=123456 saved=2026-11-21T20:00:00Z\n";

TEST(StateNote, IsOneLine) {
  EXPECT_EQ(with_state_note("", kNote), kText);
  EXPECT_EQ(find_state_note(kText), kNote);
}

TEST(StateNote, OtherLinesStay) {
  const std::string before = "my crawler\n" + kText + "since May";
  const StateNote later{.lines = 1, .kept = 1, .saved = "now"};
  const std::string text = with_state_note(before, later);
  EXPECT_EQ(text, "my crawler\nsince May\ndedup lines=1 kept=1 saved=now\n");
  EXPECT_EQ(find_state_note(text), later);
  EXPECT_EQ(find_state_note(with_state_note("no newline", kNote)), kNote);
}

// A second note stayed, and was then found instead of the new one.
TEST(StateNote, RepeatedNotesAreReplacedByOne) {
  const StateNote later{.lines = 1, .kept = 1, .saved = "now"};
  EXPECT_EQ(find_state_note(with_state_note(kText + kText, later)), later);
  EXPECT_EQ(with_state_note(kText + "mine\n" + kText, later), "mine\n" + with_state_note("", later));
}

TEST(StateNote, WhatIsNoneIsNone) {
  for (const char* text : {"", "dedup", "dedup lines=", "dedup lines=x kept=1 saved=", "dedup lines=1\n",
                           "a dedup lines=1 kept=1 saved=x", "dedup lines=99999999999999999999 kept=1"}) {
    EXPECT_FALSE(find_state_note(text)) << text;
  }
}

TEST(StateNote, TheTimeIsInUtc) {
  const std::string now = utc_now();
  ASSERT_EQ(now.size(), 20u);
  EXPECT_EQ(now[10], 'T');
  EXPECT_EQ(now.back(), 'Z');
}

}  // namespace
}  // namespace bloomery
