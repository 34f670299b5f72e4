// Which key forms suit a filter of another system, by its name.
#include "dialects/key_rule.h"

#include <gtest/gtest.h>

#include "dialects/dialect_rows.h"

namespace bloomery {
namespace {

std::string refusal(const std::string& dialect, KeyForm form) {
  const Status checked = KeyRule(dialect).check_form(form, "form");
  return checked ? "" : checked.error().subject() + ": " + checked.error().detail();
}

TEST(KeyRule, AFunnelOfJavaIsAKeyForm) {
  EXPECT_EQ(KeyRule("guava:mitz64,java=long").recorded_form(), KeyForm::kInt64);
  EXPECT_EQ(KeyRule("guava:mitz64").recorded_form(), std::nullopt);
  EXPECT_EQ(refusal("guava:java=long", KeyForm::kInt64), "");
  EXPECT_EQ(refusal("guava:java=long", KeyForm::kHex), "");
  EXPECT_EQ(refusal("guava:java=text", KeyForm::kUrl), "");
  EXPECT_EQ(refusal("guava", KeyForm::kInt32), "");
  EXPECT_EQ(
      refusal("guava:java=long", KeyForm::kInt32),
      "form: expected int64, since the filter is of com.google.common.hash.Funnels$LongFunnel, found int32");
}

TEST(KeyRule, CassandrasKeysHaveTypes) {
  EXPECT_TRUE(KeyRule("cassandra:nb").needs_types());
  EXPECT_FALSE(KeyRule("parquet:id").needs_types());
  EXPECT_EQ(refusal("cassandra:nb", KeyForm::kText), "");
  EXPECT_EQ(refusal("cassandra:nb", KeyForm::kInt32),
            "form: expected hex or text, for the bytes of Cassandra's keys, found int32");
  const KeyRule rule("cassandra");
  const auto agreed =
      rule.type_by({.given = "int,text", .recorded = "CompositeType(Int32Type,UTF8Type)", .option = "type"});
  ASSERT_TRUE(agreed) << agreed.error().to_string();
  EXPECT_EQ((*agreed)->parts(), 2u);
  const auto differs = rule.type_by({.given = "int", .recorded = "UTF8Type", .option = "type"});
  ASSERT_FALSE(differs);
  EXPECT_EQ(differs.error().detail(), "expected text as Statistics.db records it, found int");
}

TEST(KeyRule, TextHasTheUsualFormOfTheSystem) {
  EXPECT_EQ(KeyRule("simple-java:bits=64").usual_form(), KeyForm::kUtf16);
  EXPECT_EQ(KeyRule("spark:v1").usual_form(), KeyForm::kText);
  EXPECT_EQ(KeyRule("unheard-of").usual_form(), KeyForm::kText);
  EXPECT_TRUE(KeyRule("parquet:id").is_text_column());
  EXPECT_FALSE(KeyRule("parquet").is_text_column());
}

TEST(DialectRows, AreFoundByName) {
  EXPECT_EQ(named_dialect("guava:k-old").row->description.name, "guava");
  EXPECT_EQ(named_dialect("guava:k-old").option, "k-old");
  EXPECT_EQ(named_dialect("guava").option, "");
  EXPECT_FALSE(named_dialect("guavas").is_known());
  EXPECT_FALSE(named_dialect("").is_known());
}

}  // namespace
}  // namespace bloomery
