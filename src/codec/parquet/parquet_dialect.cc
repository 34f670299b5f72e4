// The dialect of Parquet's split-block Bloom filters. The bytes tell which of two kinds a file is:
//
//   one filter by itself                      raw_filter.h
//   a .parquet file, for one of its columns   column_filters.h
//
// The option has two meanings:
//
//   parquet[:arrow|duckdb]        to build, or to open a filter by itself: the rule that sizes it
//   parquet[:COLUMN[,ROWGROUP]]   to open a .parquet file
//
// Keys are plain-encoded values: INT32 as 4 bytes, INT64 as 8 bytes, little-endian; text as its bytes,
// without a length. Source: docs/formats/parquet.md. Not here: writing .parquet files.
#include "codec/dialect.h"
#include "codec/inserting_builder.h"
#include "codec/parquet/column_filters.h"
#include "codec/parquet/filter_digest.h"
#include "codec/parquet/filter_header.h"
#include "codec/parquet/parquet_sizing.h"
#include "codec/parquet/raw_filter.h"
#include "codec/plan.h"

namespace bloomery {
namespace {

Result<parquet::SizingRule> sizing_rule(std::string_view option) {
  if (option.empty() || option == "arrow") {
    return parquet::SizingRule::kArrow;
  }
  if (option == "duckdb") {
    return parquet::SizingRule::kDuckDb;
  }
  return unknown_option("parquet", "arrow or duckdb (a column only of a .parquet file)", option);
}

RecognisedDialect recognise_parquet(std::span<const std::byte> file) {
  const bool certain = parquet::looks_like_file(file) || parquet::read_filter_header(file, 0);
  return {.name = "parquet", .recognition = certain ? Recognition::kCertain : Recognition::kNo};
}

Result<std::unique_ptr<DialectFilter>> open_parquet(const DialectSource& source, std::string_view option) {
  if (parquet::looks_like_file(source.bytes)) {
    BLOOMERY_ASSIGN_OR_RETURN(
        std::unique_ptr<DialectFilter> filter,
        parquet::ColumnFilters::open(source.bytes, option, source.memory, source.missing));
    filter->hold(source.owner);
    return filter;
  }
  // An option that names no sizing rule names a column of a .parquet file. If the bytes are not a lone
  // filter either, the file was truncated or extended, which read_footer() reports.
  const Result<parquet::SizingRule> rule = sizing_rule(option);
  if (!rule && !parquet::RawFilter::read(source.bytes)) {
    return parquet::read_footer(source.bytes).error();
  }
  if (!rule) {
    return rule.error();
  }
  BLOOMERY_ASSIGN_OR_RETURN(auto charged, source.charged("parquet filter", source.bytes.size()));
  BLOOMERY_ASSIGN_OR_RETURN(std::unique_ptr<DialectFilter> filter, parquet::RawFilter::read(source.bytes));
  filter->hold(std::move(charged));
  return filter;
}

Result<std::unique_ptr<DialectBuilder>> build_parquet(const DialectPlan& plan, std::string_view option) {
  BLOOMERY_ASSIGN_OR_RETURN(const parquet::SizingRule rule, sizing_rule(option));
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t bytes, parquet::bitset_bytes(plan, rule));
  BLOOMERY_ASSIGN_OR_RETURN(std::unique_ptr<DialectFilter> filter, parquet::RawFilter::create(bytes));
  return inserting_builder(std::move(filter));
}

}  // namespace

Dialect parquet_dialect() {
  return {.description = {.name = "parquet",
                          .options = "arrow|duckdb (sizing), or COLUMN[,ROWGROUP] of a .parquet file",
                          .summary = "split-block filters, by themselves or inside .parquet files",
                          .sized_by = SizedBy::kCapacity,
                          .usual_key_form = KeyForm::kText},
          .recognise = recognise_parquet,
          .open = open_parquet,
          .build = build_parquet,
          .magic = {"PAR1", "a .parquet file"},
          .holds_data = true,
          .has_columns = parquet::looks_like_file,
          .filter_digest = parquet::filter_digest};
}

}  // namespace bloomery
