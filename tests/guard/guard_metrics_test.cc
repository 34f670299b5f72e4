// The text that Prometheus reads: every line has the form of version 0.0.4, and the numbers are those of the guard.
#include "bloomery/guard/guard_metrics.h"

#include <limits>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/guard/prometheus.h"
#include "tests/guard/guard_parts.h"

namespace bloomery::guard {
namespace {

TEST(Prometheus, WritesHeadsOnceAndEscapesLabels) {
  PrometheusText text("table=\"" + escaped_label("a\"b\\c\nd") + "\"");
  text.counter("rows_total", "Rows.", 3, "kind=\"x\"");
  text.counter("rows_total", "Rows.", 4, "kind=\"y\"");
  text.gauge("lag_seconds", "Lag.", std::numeric_limits<double>::infinity());
  EXPECT_EQ(text.text(),
            "# HELP rows_total Rows.\n# TYPE rows_total counter\n"
            "rows_total{table=\"a\\\"b\\\\c\\nd\",kind=\"x\"} 3\n"
            "rows_total{table=\"a\\\"b\\\\c\\nd\",kind=\"y\"} 4\n"
            "# HELP lag_seconds Lag.\n# TYPE lag_seconds gauge\n"
            "lag_seconds{table=\"a\\\"b\\\\c\\nd\"} +Inf\n");
  PrometheusText bare;
  bare.gauge("a", "b", 0.25);
  bare.gauge("c", "d", -std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(bare.text(), "# HELP a b\n# TYPE a gauge\na 0.25\n# HELP c d\n# TYPE c gauge\nc NaN\n");
}

TEST(GuardMetrics, AreCountedOnceAndAllAreInTheText) {
  Database database;
  database.commit("row", "value");
  const auto live = made_filter(1e-6);
  fill(*live, std::vector<std::string>{"row", "ghost"});
  const auto guarded = made_guard(live, database);
  for (const char* const key : {"row", "row", "ghost", "ghost", "nobody"}) {
    (void)guarded->get(key);
  }
  const GuardMetrics metrics = guarded->metrics();
  EXPECT_EQ(metrics.filter_passed, 4U);
  EXPECT_EQ(metrics.rejected, 1U);
  EXPECT_EQ(metrics.passed_found, 2U);
  EXPECT_EQ(metrics.passed_absent, 2U);
  EXPECT_EQ(metrics.cache_hits, 1U);
  EXPECT_EQ(metrics.negative_hits, 1U);
  EXPECT_EQ(metrics.loads, 2U);
  EXPECT_EQ(metrics.state, GuardState::kActive);
  EXPECT_EQ(metrics.source.rebuilds, 1U);
  EXPECT_EQ(metrics.source.keys, 2U);
  EXPECT_DOUBLE_EQ(metrics.measured_fpp(), 2.0 / 3);

  const std::string text = prometheus_text(metrics, "table=\"users\"");
  static const std::regex line(
      R"((# (HELP|TYPE) [a-z_]+ .+)|([a-z_]+\{table="users"(,state="[a-z]+")?\} (-?[0-9.e+-]+|\+Inf)))");
  std::istringstream lines(text);
  std::set<std::string> heads;
  for (std::string each; std::getline(lines, each);) {
    EXPECT_TRUE(std::regex_match(each, line)) << each;
    if (each.starts_with("# TYPE ")) {
      EXPECT_TRUE(heads.insert(each).second) << each;
    }
  }
  EXPECT_NE(text.find("bloomery_guard_rejected_total{table=\"users\"} 1\n"), std::string::npos);
  EXPECT_NE(text.find("bloomery_guard_state{table=\"users\",state=\"active\"} 1\n"), std::string::npos);
  EXPECT_NE(text.find("bloomery_guard_state{table=\"users\",state=\"stale\"} 0\n"), std::string::npos);
  EXPECT_NE(prometheus_text({}).find("bloomery_guard_lag_seconds 0\n"), std::string::npos);
}

}  // namespace
}  // namespace bloomery::guard
