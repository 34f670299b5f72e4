// What a dialect gets without writing it: batches, and the words of what it cannot do.
#include "bloomery/codec/dialect_filter.h"

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace bloomery {
namespace {

// Remembers keys; a key that begins with '!' is refused.
class SetFilter final : public DialectFilter {
 public:
  std::string dialect() const override { return "set"; }
  DialectFacts facts() const override { return {}; }
  bool may_contain(std::string_view key) const override { return keys_.contains(std::string(key)); }
  Result<bool> insert(std::string_view key) override {
    if (key.starts_with('!')) {
      return Error::invalid_argument("set", "expected no '!'");
    }
    return keys_.insert(std::string(key)).second;
  }
  double current_fpp() const override { return 0; }
  Result<double> estimated_count() const override { return static_cast<double>(keys_.size()); }
  Status write(const Sink&) const override { return {}; }

 private:
  std::set<std::string> keys_;
};

TEST(DialectFilter, ABatchCountsTheKeysThatChangedSomething) {
  SetFilter filter;
  EXPECT_EQ(filter.insert_batch(std::vector<std::string_view>{"a", "b", "a", "c"}).value(), 3u);
  EXPECT_EQ(filter.insert_batch(std::vector<std::string_view>{"a", "d", "b", "e"}).value(), 2u);
  EXPECT_EQ(filter.insert_batch({}).value(), 0u);
  EXPECT_FALSE(filter.insert_batch(std::vector<std::string_view>{"f", "!", "g"}));
  EXPECT_TRUE(filter.may_contain("f"));
  EXPECT_FALSE(filter.may_contain("g")) << "behind the one that was refused";
}

}  // namespace
}  // namespace bloomery
