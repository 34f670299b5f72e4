// The checker of histories accepts what one order explains, and refuses what none does.
#include "tests/store/sim/linearizability.h"

#include <gtest/gtest.h>

namespace bloomery::store::sim {
namespace {

using Kind = RegisterOperation::Kind;

RegisterOperation read_of(std::uint64_t begin, std::uint64_t end, RegisterValue found) {
  return {.kind = Kind::kGet, .begin = begin, .end = end, .found = found};
}
RegisterOperation put_of(std::uint64_t begin, std::uint64_t end, std::int64_t value) {
  return {.kind = Kind::kPut, .begin = begin, .end = end, .given = value};
}

TEST(Linearizability, AReadBesideAWriteMayHaveEitherValue) {
  EXPECT_TRUE(is_linearizable({{put_of(1, 10, 5)}, {read_of(2, 3, std::nullopt), read_of(4, 5, 5)}}));
  EXPECT_TRUE(is_linearizable({{put_of(1, 10, 5)}, {read_of(2, 3, 5), read_of(4, 5, 5)}}));
  EXPECT_TRUE(is_linearizable({}));
}

TEST(Linearizability, AValueThatWasReadDoesNotGoBack) {
  EXPECT_FALSE(is_linearizable({{put_of(1, 10, 5)}, {read_of(2, 3, 5), read_of(4, 5, std::nullopt)}}));
}

TEST(Linearizability, AReadAfterAWriteHasIt) {
  EXPECT_FALSE(is_linearizable({{put_of(1, 2, 5)}, {read_of(3, 4, std::nullopt)}}));
  EXPECT_TRUE(is_linearizable({{put_of(1, 2, 5)}, {read_of(3, 4, 5)}}));
  EXPECT_FALSE(is_linearizable(
      {{put_of(1, 2, 5), {.kind = Kind::kDelete, .begin = 3, .end = 4}}, {read_of(5, 6, 5)}}));
}

TEST(Linearizability, NoTwoIncrementsHaveTheSameAnswer) {
  const auto add = [](std::uint64_t begin, std::int64_t found) {
    return RegisterOperation{
        .kind = Kind::kIncrement, .begin = begin, .end = begin + 10, .given = 1, .found = found};
  };
  EXPECT_TRUE(is_linearizable({{add(1, 2)}, {add(2, 1)}, {add(3, 3)}}));
  EXPECT_FALSE(is_linearizable({{add(1, 1)}, {add(2, 1)}}));
}

TEST(Linearizability, ACheckedWriteIsNotOvertaken) {
  const RegisterOperation checked{
      .kind = Kind::kCheckAndPut, .begin = 5, .end = 6, .given = 2, .checked = 1, .holds = true};
  EXPECT_TRUE(is_linearizable({{put_of(1, 2, 1), checked}, {read_of(7, 8, 2)}}));
  EXPECT_FALSE(is_linearizable({{put_of(1, 2, 1), checked}, {read_of(7, 8, 1)}}));
  EXPECT_FALSE(is_linearizable({{checked}, {put_of(7, 8, 1)}}));
}

}  // namespace
}  // namespace bloomery::store::sim
