// The names of choices: both directions of a table, and the messages it makes.
#include "base/choice_names.h"

#include <gtest/gtest.h>

namespace bloomery {
namespace {

enum class Shape { kRound, kSquare, kFlat, kNameless };

constexpr ChoiceNames<Shape, 3> kShapes{
    {{{Shape::kRound, "round"}, {Shape::kSquare, "square"}, {Shape::kFlat, "flat"}}}};

TEST(ChoiceNames, AreReadInBothDirections) {
  EXPECT_STREQ(kShapes.name_of(Shape::kSquare), "square");
  EXPECT_STREQ(kShapes.name_of(Shape::kNameless), "unknown");
  EXPECT_EQ(kShapes.find("flat"), Shape::kFlat);
  EXPECT_EQ(kShapes.find("Flat"), std::nullopt);
  EXPECT_EQ(kShapes.find(""), std::nullopt);
  EXPECT_EQ(kShapes.names(), (std::vector<std::string>{"round", "square", "flat"}));
}

TEST(ChoiceNames, ParseSaysWhatWasExpected) {
  EXPECT_EQ(kShapes.parse("plan", "shape", "round").value(), Shape::kRound);
  EXPECT_EQ(kShapes.parse("plan", "shape", "oval").error().to_string(),
            "plan: shape: expected round, square or flat, found oval (invalid argument)");
}

}  // namespace
}  // namespace bloomery
