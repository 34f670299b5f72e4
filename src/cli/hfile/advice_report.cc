#include <cmath>
#include <cstdint>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "base/byte_text.h"
#include "cli/hfile/reports.h"
#include "cli/json.h"
#include "cli/numbers.h"

namespace bloomery::cli {
namespace {

std::vector<BloomKind> kinds_of(const AdviceReport& report) {
  std::vector<BloomKind> kinds = {BloomKind::kNone, BloomKind::kRow, BloomKind::kRowCol};
  if (report.prefix_bytes != 0) {
    kinds.push_back(BloomKind::kRowPrefix);
  }
  kinds.push_back(BloomKind::kToday);
  return kinds;
}

// Returns the name of a kind of get in JSON.
const char* get_kind_key(GetKind kind) {
  switch (kind) {
    case GetKind::kPresentCell:
      return "present_cell";
    case GetKind::kAbsentColumn:
      return "absent_column";
    case GetKind::kColumnOfAbsentRow:
      return "column_of_absent_row";
    case GetKind::kWholeRow:
      return "whole_row";
    case GetKind::kAbsentRow:
      return "absent_row";
  }
  return "unknown";
}

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

// Formats a distribution: "1: 200, 2: 7" means that 200 are in one file and 7 in two.
std::string show_spread(const std::vector<std::uint64_t>& spread) {
  std::string text;
  for (std::size_t k = 1; k < spread.size(); ++k) {
    if (spread[k] != 0) {
      fmt::format_to(std::back_inserter(text), "{}{}: {}", text.empty() ? "" : ", ", k,
                     show_count(spread[k]));
    }
  }
  return text.empty() ? "none" : text;
}

void print_file(const AdvisedFile& file) {
  fmt::print("{}: {}, {}, {}, {}, {:.2f} columns a row; ", file.path, show_bytes(file.file_bytes),
             show_count_of(file.cells, "cell"), show_count_of(file.rows, "row"),
             show_count_of(file.columns, "column"), ratio(file.columns, file.rows));
  if (file.bloom_type == "NONE") {
    fmt::print("no Bloom filter\n");
    return;
  }
  fmt::print("{}, fpp {}, {}, {:.2f} % of the file\n", file.bloom_type, show_probability(file.fpp),
             show_bytes(file.filter_bytes), 100 * ratio(file.filter_bytes, file.file_bytes));
}

void print_line(const char* name, const std::vector<BloomKind>& kinds, const auto& value) {
  fmt::print("  {:<26}", name);
  for (const BloomKind kind : kinds) {
    fmt::print(" {:>11}", value(kind));
  }
  fmt::print("\n");
}

// Returns how many data blocks the recorded gets read, at `blocks_per_get` blocks per get.
double blocks_of(const FamilyReads& reads, double blocks_per_get) {
  return static_cast<double>(reads.count()) * blocks_per_get;
}

void print_reads(const FamilyReads& reads) {
  fmt::print("  gets that came: {} of columns, {} of rows; {} found nothing\n",
             show_count(reads.gets.column_gets), show_count(reads.gets.row_gets),
             show_count(reads.found_nothing()));
  fmt::print("  their filters: asked {}, no {}, right maybe {}, wrong maybe {}; data blocks from disk: {}\n",
             show_count(reads.filter.checks), show_count(reads.filter.negatives),
             show_count(reads.filter.true_positives), show_count(reads.filter.false_positives),
             show_count(reads.blocks.data_blocks));
}

void print_table(const FamilyAdvice& family, const AdviceReport& report) {
  const std::vector<BloomKind> kinds = kinds_of(report);
  print_line("data blocks a get reads", kinds, bloom_kind_name);
  for (std::size_t i = 0; i < kGetKinds; ++i) {
    print_line(get_kind_name(static_cast<GetKind>(i)), kinds,
               [&](BloomKind kind) { return fmt::format("{:.3f}", family.of(kind).reads[i].blocks); });
  }
  print_line("a get, of those asked for", kinds, [&](BloomKind kind) {
    return fmt::format("{:.3f}", family.of(kind).blocks_per_get(report.mix_of(family)));
  });
  if (const FamilyReads* const reads = report.reads_of(family)) {
    print_line("all gets that came", kinds, [&](BloomKind kind) {
      return fmt::format("{:.0f}", blocks_of(*reads, family.of(kind).blocks_per_get(report.mix_of(family))));
    });
  }
  print_line("bytes of filters", kinds,
             [&](BloomKind kind) { return show_bytes(family.of(kind).filter_bytes); });
  print_line("share of the files", kinds, [&](BloomKind kind) {
    return fmt::format("{:.2f} %", 100 * ratio(family.of(kind).filter_bytes, family.file_bytes));
  });
  print_line("fpp", kinds, [&](BloomKind kind) { return show_probability(family.of(kind).fpp); });
}

// Returns a sentence that names the best kind of filter, and its numbers.
std::string explain_advice(const FamilyAdvice& family, const GetMix& mix) {
  const GetMix of_columns{.whole_rows = 0, .absent = mix.absent};
  const GetMix of_rows{.whole_rows = 1, .absent = mix.absent};
  const auto blocks = [&](BloomKind kind) { return family.of(kind).blocks_per_get(mix); };
  const BloomKindAdvice& row = family.of(BloomKind::kRow);
  const BloomKindAdvice& rowcol = family.of(BloomKind::kRowCol);
  std::string text =
      fmt::format("{}: a get reads {:.3f} data blocks (NONE {:.3f}, ROW {:.3f}, ROWCOL {:.3f}; today {:.3f})",
                  bloom_kind_name(family.best(mix)), blocks(family.best(mix)), blocks(BloomKind::kNone),
                  blocks(BloomKind::kRow), blocks(BloomKind::kRowCol), blocks(BloomKind::kToday));
  const double row_bytes = static_cast<double>(row.filter_bytes);
  const double rowcol_bytes = static_cast<double>(rowcol.filter_bytes);
  fmt::format_to(std::back_inserter(text),
                 "; ROWCOL takes {}, {} {} than ROW, and changes a get of a column from {:.3f} to {:.3f} and "
                 "one of a whole row from {:.3f} to {:.3f}",
                 show_bytes(rowcol_bytes), show_bytes(std::abs(rowcol_bytes - row_bytes)),
                 rowcol_bytes >= row_bytes ? "more" : "less", row.blocks_per_get(of_columns),
                 rowcol.blocks_per_get(of_columns), row.blocks_per_get(of_rows),
                 rowcol.blocks_per_get(of_rows));
  return text;
}

// Returns the sentence of explain_advice(), or, if files of the family are missing, says that no kind is
// advised.
std::string explain_or_withhold(const FamilyAdvice& family, const GetMix& mix) {
  if (family.uncounted_files == 0) {
    return explain_advice(family, mix);
  }
  return fmt::format(
      "none, since gets read {} files of the family that are not counted; the others alone say {}",
      show_count(family.uncounted_files), explain_advice(family, mix));
}

Json describe_advised_file(const AdvisedFile& file) {
  return {{"file", file.path},
          {"store", file.store},
          {"family", escape_bytes(file.family)},
          {"file_bytes", file.file_bytes},
          {"cells", file.cells},
          {"rows", file.rows},
          {"columns", file.columns},
          {"columns_per_row", ratio(file.columns, file.rows)},
          {"bloom_type", file.bloom_type},
          {"fpp", file.fpp},
          {"filter_bytes", file.filter_bytes},
          {"filter_share", ratio(file.filter_bytes, file.file_bytes)},
          {"counted_cells", file.counted_cells}};
}

Json describe_kind(const FamilyAdvice& family, const AdviceReport& report, BloomKind kind) {
  Json gets = Json::object();
  for (std::size_t i = 0; i < kGetKinds; ++i) {
    const ExpectedReads& reads = family.of(kind).reads[i];
    gets[get_kind_key(static_cast<GetKind>(i))] = {{"files", reads.files}, {"blocks", reads.blocks}};
  }
  return {{"blocks_per_get", family.of(kind).blocks_per_get(report.mix_of(family))},
          {"filter_bytes", family.of(kind).filter_bytes},
          {"filter_share", ratio(family.of(kind).filter_bytes, family.file_bytes)},
          {"fpp", family.of(kind).fpp},
          {"reads", gets}};
}

Json describe_reads(const FamilyReads& reads, const FamilyAdvice& family, const AdviceReport& report) {
  Json blocks = Json::object();
  for (const BloomKind kind : kinds_of(report)) {
    blocks[bloom_kind_name(kind)] = blocks_of(reads, family.of(kind).blocks_per_get(report.mix_of(family)));
  }
  return {{"of_columns", reads.gets.column_gets},
          {"of_rows", reads.gets.row_gets},
          {"found_nothing", reads.found_nothing()},
          {"filter_checks", reads.filter.checks},
          {"filter_negatives", reads.filter.negatives},
          {"true_positives", reads.filter.true_positives},
          {"false_positives", reads.filter.false_positives},
          {"data_blocks_read", reads.blocks.data_blocks},
          {"expected_data_blocks", blocks}};
}

Json describe_advised_family(const FamilyAdvice& family, const AdviceReport& report) {
  Json object = {{"family", escape_bytes(family.family)},
                 {"stores", family.stores},
                 {"files", family.files.size()},
                 {"file_bytes", family.file_bytes},
                 {"uncounted_files", family.uncounted_files},
                 {"is_sample", family.is_sample},
                 {"rows_in_files", family.rows_in_files},
                 {"columns_in_files", family.columns_in_files}};
  Json kinds = Json::object();
  for (const BloomKind kind : kinds_of(report)) {
    kinds[bloom_kind_name(kind)] = describe_kind(family, report, kind);
  }
  object["kinds"] = kinds;
  if (const FamilyReads* const reads = report.reads_of(family)) {
    object["gets_that_came"] = describe_reads(*reads, family, report);
  }
  object["advice"] =
      family.uncounted_files == 0 ? Json(bloom_kind_name(family.best(report.mix_of(family)))) : Json(nullptr);
  object["why"] = explain_or_withhold(family, report.mix_of(family));
  return object;
}

}  // namespace

const FamilyReads* AdviceReport::reads_of(const FamilyAdvice& family) const {
  const auto found = reads.find(family.family);
  return found == reads.end() || found->second.count() == 0 ? nullptr : &found->second;
}

GetMix AdviceReport::mix_of(const FamilyAdvice& family) const {
  const FamilyReads* const came = reads_of(family);
  return came == nullptr ? mix
                         : GetMix{.whole_rows = ratio(came->gets.row_gets, came->count()),
                                  .absent = ratio(came->found_nothing(), came->count())};
}

void print_advice_text(const AdviceReport& report) {
  for (const FamilyAdvice& family : report.advice.families) {
    for (const AdvisedFile& file : family.files) {
      print_file(file);
    }
    fmt::print("family {}: files {}, stores {}, {}{}\n", escape_bytes(family.family), family.files.size(),
               family.stores, show_bytes(family.file_bytes),
               family.is_sample ? "; from a sample of rows" : "");
    fmt::print("  rows by the files they are in: {}\n", show_spread(family.rows_in_files));
    fmt::print("  columns of rows, likewise: {}\n", show_spread(family.columns_in_files));
    if (const FamilyReads* const reads = report.reads_of(family)) {
      print_reads(*reads);
    }
    print_table(family, report);
    fmt::print("advice for {}: {}\n", escape_bytes(family.family),
               explain_or_withhold(family, report.mix_of(family)));
  }
  for (const UncountedFile& file : report.advice.uncounted) {
    fmt::print("not counted: {}: {}\n", file.path, file.reason);
  }
  if (!report.advice.replaced_regions.empty()) {
    fmt::print("left out, since a split or a merge has replaced them: {}: {}\n",
               report.advice.replaced_regions.size(), fmt::join(report.advice.replaced_regions, ", "));
  }
  if (!report.advice.others.empty()) {
    fmt::print("no HFiles: {}: {}\n", report.advice.others.size(), fmt::join(report.advice.others, ", "));
  }
}

void print_advice_json(const AdviceReport& report) {
  Json files = Json::array();
  Json families = Json::array();
  for (const FamilyAdvice& family : report.advice.families) {
    for (const AdvisedFile& file : family.files) {
      files.push_back(describe_advised_file(file));
    }
    families.push_back(describe_advised_family(family, report));
  }
  Json uncounted = Json::array();
  for (const UncountedFile& file : report.advice.uncounted) {
    uncounted.push_back({{"file", file.path}, {"store", file.store}, {"why", file.reason}});
  }
  Json damaged = Json::array();
  for (const Error& error : report.advice.errors) {
    damaged.push_back(error.to_string());
  }
  const Json object = {{"directory", report.directory},
                       {"share_of_whole_rows", report.mix.whole_rows},
                       {"share_of_absent", report.mix.absent},
                       {"file", files},
                       {"family", families},
                       {"no_hfiles", report.advice.others},
                       {"uncounted", uncounted},
                       {"replaced_regions", report.advice.replaced_regions},
                       {"errors", damaged}};
  fmt::print("{}\n", object.dump(2, ' ', false, Json::error_handler_t::replace));
}

}  // namespace bloomery::cli
