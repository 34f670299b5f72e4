// The line that a key came from, over files that follow each other and lines that are left out.
#include <gtest/gtest.h>

#include "cli/exception_list.h"

namespace bloomery::cli {
namespace {

TEST(LinePlaces, KeysOfOneFileGoOnCounting) {
  LinePlaces places;
  places.note(0, "a", 1);
  places.note(10, "a", 11);
  EXPECT_EQ(places.of(0), "a:1");
  EXPECT_EQ(places.of(9), "a:10");
  EXPECT_EQ(places.of(25), "a:26");
}

TEST(LinePlaces, AnotherFileAndAnotherLineBeginAnew) {
  LinePlaces places;
  places.note(0, "a", 1);
  places.note(10, "b", 11);  // the same line, were it the same file
  places.note(20, "b", 31);  // ten lines of b are no keys
  places.note(30, "b", 41);
  places.note(40, "a", 1);
  EXPECT_EQ(places.of(9), "a:10");
  EXPECT_EQ(places.of(10), "b:11");
  EXPECT_EQ(places.of(19), "b:20");
  EXPECT_EQ(places.of(20), "b:31");
  EXPECT_EQ(places.of(35), "b:46");
  EXPECT_EQ(places.of(40), "a:1");
}

}  // namespace
}  // namespace bloomery::cli
