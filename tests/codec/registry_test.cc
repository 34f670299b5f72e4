// The registry: names, options and what is said when bytes or names do not tell.
#include <gtest/gtest.h>

#include "bloomery/codec/dialects.h"
#include "codec/dialect.h"
#include "tests/base/test_folder.h"

namespace bloomery {
namespace {

TEST(Registry, RowsAreInAlphabeticalOrderAndSayWhatTheyAre) {
  std::string_view last;
  for (const DialectDescription& dialect : dialects()) {
    EXPECT_LT(last, dialect.name);
    EXPECT_FALSE(dialect.summary.empty()) << dialect.name;
    last = dialect.name;
  }
}

TEST(Registry, AnUnknownNameIsRefusedAndNamed) {
  const auto filter = view_dialect({}, "unheard-of:option");
  ASSERT_FALSE(filter);
  EXPECT_EQ(filter.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_NE(filter.error().to_string().find("'unheard-of'"), std::string::npos);
  EXPECT_EQ(build_dialect("", {.capacity = 1, .fpp = 0.01, .bits_per_key = {}}).error().code(),
            ErrorCode::kInvalidArgument);
}

TEST(Registry, AFileThatIsMissingIsNotFound) {
  const TestFolder folder;
  EXPECT_EQ(open_dialect(folder.path("nothing")).error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(recognise_dialects(folder.path("nothing")).error().code(), ErrorCode::kNotFound);
}

}  // namespace
}  // namespace bloomery
