// Result: a value or an error, and the two macros that pass errors on.
#include "bloomery/base/result.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace bloomery {
namespace {

// A Result is asked, never silently taken for a truth value or a number.
static_assert(!std::is_convertible_v<Result<int>, bool>);
static_assert(!std::is_convertible_v<Status, bool>);
static_assert(std::is_constructible_v<bool, Result<int>>);
static_assert(!std::is_copy_constructible_v<Result<std::unique_ptr<int>>>);
static_assert(std::is_nothrow_move_constructible_v<Result<std::string>>);

Error an_error() {
  return Error::invalid_argument("subject", "detail");
}

TEST(Result, HoldsAValue) {
  Result<std::string> result = std::string("value");
  ASSERT_TRUE(result);
  EXPECT_TRUE(result.has_value());
  EXPECT_EQ(*result, "value");
  EXPECT_EQ(result->size(), 5u);
  result.value() += "s";
  EXPECT_EQ(result.value(), "values");
  EXPECT_EQ(std::move(result).value_or("other"), "values");
}

TEST(Result, HoldsAnError) {
  Result<std::string> result = an_error();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().subject(), "subject");
  EXPECT_EQ(std::move(result).value_or("other"), "other");
}

// Made out of sight: GCC 12 with sanitizers takes the error's string, never there, for used uninitialized.
template <typename T>
[[gnu::noinline]] Result<T> made(T value) {
  return value;
}

TEST(Result, FalseAndZeroAreValues) {
  EXPECT_TRUE(made(false).has_value());
  EXPECT_TRUE(made(0).has_value());
}

[[gnu::noinline]] Result<std::unique_ptr<int>> owned(int value) {
  return std::make_unique<int>(value);
}

TEST(Result, MoveOnlyValuesMoveThrough) {
  Result<std::unique_ptr<int>> result = owned(7);
  const Result<std::unique_ptr<int>> moved = std::move(result);
  ASSERT_TRUE(moved);
  EXPECT_EQ(**moved, 7);
  const std::unique_ptr<int> taken = *owned(8);
  EXPECT_EQ(*taken, 8);
}

TEST(Status, IsGoodUntilItHoldsAnError) {
  EXPECT_TRUE(Status());
  const Status bad = an_error();
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().detail(), "detail");
}

// Says how often it was asked, so that a macro that evaluates twice is caught.
struct Counted {
  int calls = 0;
  Result<int> value(bool good) {
    ++calls;
    return good ? Result<int>(calls) : an_error();
  }
  Status status(bool good) {
    ++calls;
    return good ? Status() : an_error();
  }
};

Result<int> sum_of_two(Counted& counted, bool first_good, bool second_good) {
  BLOOMERY_ASSIGN_OR_RETURN(const int first, counted.value(first_good));
  int second = 0;
  BLOOMERY_ASSIGN_OR_RETURN(second, counted.value(second_good));
  return first + second;
}

TEST(Result, InFileNamesTheFileOnce) {
  const std::string path = "a.bloom";
  EXPECT_EQ(in_file(Result<int>(3), path).value(), 3);
  EXPECT_TRUE(in_file(Status(), path));
  const Result<int> damaged = in_file(Result<int>(Error::corruption("header", 0, "bad")), path);
  EXPECT_EQ(damaged.error().subject(), "a.bloom: header");
  const Status named = in_file(Status(Error::invalid_argument(path, "is a folder")), path);
  EXPECT_EQ(named.error().subject(), path);
}

TEST(ResultMacros, AssignDeclaresOrAssignsOrReturnsTheError) {
  Counted counted;
  EXPECT_EQ(*sum_of_two(counted, true, true), 3);
  EXPECT_EQ(counted.calls, 2);
  EXPECT_EQ(sum_of_two(counted, false, true).error().subject(), "subject");
  EXPECT_EQ(counted.calls, 3);
  EXPECT_FALSE(sum_of_two(counted, true, false));
  EXPECT_EQ(counted.calls, 5);
}

Status three_steps(Counted& counted, int bad_step) {
  BLOOMERY_RETURN_IF_ERROR(counted.status(bad_step != 1));
  // A lambda inside, using the macro again; the comma between template arguments must not split it.
  BLOOMERY_RETURN_IF_ERROR([&]() -> Status {
    const std::pair<int, int> pair{1, 2};
    BLOOMERY_RETURN_IF_ERROR(counted.status(bad_step != pair.second));
    return {};
  }());
  if (bad_step == 3)
    BLOOMERY_RETURN_IF_ERROR(counted.status(false));
  else
    BLOOMERY_RETURN_IF_ERROR(counted.status(true));
  return {};
}

TEST(ResultMacros, ReturnIfErrorStopsAtTheFirstBadStep) {
  for (int bad_step = 1; bad_step <= 3; ++bad_step) {
    Counted counted;
    EXPECT_FALSE(three_steps(counted, bad_step));
    EXPECT_EQ(counted.calls, bad_step);
  }
  Counted counted;
  EXPECT_TRUE(three_steps(counted, 0));
  EXPECT_EQ(counted.calls, 3);
}

Result<std::string> moved_out(Result<std::unique_ptr<std::string>> source) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::unique_ptr<std::string> owned, std::move(source));
  return *owned;
}

TEST(ResultMacros, AssignMovesTheValue) {
  EXPECT_EQ(*moved_out(std::make_unique<std::string>("owned")), "owned");
}

}  // namespace
}  // namespace bloomery
