#include "cli/hfile/advice_report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/hfile/cell_text.h"
#include "cli/numbers.h"

namespace bloomery::cli {
namespace {

using Json = nlohmann::ordered_json;

std::vector<FilterKind> kinds_of(const AdviceReport& report) {
  std::vector<FilterKind> kinds = {FilterKind::kNone, FilterKind::kRow, FilterKind::kRowCol};
  if (report.prefix_bytes != 0) {
    kinds.push_back(FilterKind::kRowPrefix);
  }
  kinds.push_back(FilterKind::kToday);
  return kinds;
}

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string show_spread(const Spread& spread) {
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
  fmt::print("{}: {}, {} cells, {} rows, {} columns, {:.2f} columns a row; ", file.path,
             show_bytes(file.file_bytes), show_count(file.cells), show_count(file.rows()),
             show_count(file.columns()), ratio(file.columns(), file.rows()));
  if (file.bloom_type == hbase::BloomType::kNone) {
    fmt::print("no Bloom filter\n");
    return;
  }
  fmt::print("{}, fpp {}, {}, {:.2f} % of the file\n", hbase::bloom_type_name(file.bloom_type),
             show_probability(file.filter.fpp), show_bytes(file.filter.bytes),
             100 * ratio(file.filter.bytes, file.file_bytes));
}

void print_line(const char* name, const std::vector<FilterKind>& kinds, const auto& value) {
  fmt::print("  {:<26}", name);
  for (const FilterKind kind : kinds) {
    fmt::print(" {:>11}", value(kind));
  }
  fmt::print("\n");
}

void print_table(const FamilyAdvice& family, const AdviceReport& report) {
  const std::vector<FilterKind> kinds = kinds_of(report);
  print_line("data blocks a get reads", kinds, filter_kind_name);
  for (std::size_t i = 0; i < kGetKinds; ++i) {
    const auto get = static_cast<GetKind>(i);
    print_line(get_kind_name(get), kinds,
               [&](FilterKind kind) { return fmt::format("{:.3f}", family.reads(get, kind).blocks); });
  }
  print_line("a get, of those asked for", kinds,
             [&](FilterKind kind) { return fmt::format("{:.3f}", family.blocks_per_get(report.mix, kind)); });
  print_line("bytes of filters", kinds,
             [&](FilterKind kind) { return show_bytes(family.filter_bytes(kind)); });
  print_line("share of the files", kinds, [&](FilterKind kind) {
    return fmt::format("{:.2f} %", 100 * ratio(family.filter_bytes(kind), family.file_bytes()));
  });
  print_line("fpp", kinds, [&](FilterKind kind) { return show_probability(family.fpp(kind)); });
}

Json describe_file(const AdvisedFile& file) {
  return {{"file", file.path},
          {"store", file.store},
          {"family", escape_bytes(file.family)},
          {"file_bytes", file.file_bytes},
          {"cells", file.cells},
          {"rows", file.rows()},
          {"columns", file.columns()},
          {"columns_per_row", ratio(file.columns(), file.rows())},
          {"bloom_type", hbase::bloom_type_name(file.bloom_type)},
          {"fpp", file.filter.fpp},
          {"filter_bytes", file.filter.bytes},
          {"filter_share", ratio(file.filter.bytes, file.file_bytes)},
          {"counted_cells", file.counts.cells}};
}

Json describe_kind(const FamilyAdvice& family, const AdviceReport& report, FilterKind kind) {
  Json gets = Json::object();
  for (std::size_t i = 0; i < kGetKinds; ++i) {
    const auto get = static_cast<GetKind>(i);
    const ExpectedReads reads = family.reads(get, kind);
    gets[get_kind_key(get)] = {{"files", reads.files}, {"blocks", reads.blocks}};
  }
  return {{"blocks_per_get", family.blocks_per_get(report.mix, kind)},
          {"filter_bytes", family.filter_bytes(kind)},
          {"filter_share", ratio(family.filter_bytes(kind), family.file_bytes())},
          {"fpp", family.fpp(kind)},
          {"reads", gets}};
}

Json describe_family(const std::string& name, const FamilyAdvice& family, const AdviceReport& report) {
  Json object = {{"family", escape_bytes(name)},
                 {"stores", family.stores()},
                 {"files", family.files().size()},
                 {"file_bytes", family.file_bytes()},
                 {"is_sample", family.is_sample()},
                 {"rows_in_files", family.rows_in_files()},
                 {"columns_in_files", family.columns_in_files()}};
  Json kinds = Json::object();
  for (const FilterKind kind : kinds_of(report)) {
    kinds[filter_kind_name(kind)] = describe_kind(family, report, kind);
  }
  object["kinds"] = kinds;
  object["advice"] = filter_kind_name(family.best(report.mix));
  object["why"] = family.explain(report.mix);
  return object;
}

}  // namespace

void print_advice_text(const AdviceReport& report) {
  for (const auto& [name, family] : report.families) {
    for (const AdvisedFile& file : family.files()) {
      print_file(file);
    }
    fmt::print("family {}: files {}, stores {}, {}{}\n", escape_bytes(name), family.files().size(),
               family.stores(), show_bytes(family.file_bytes()),
               family.is_sample() ? "; from a sample of rows" : "");
    fmt::print("  rows by the files they are in: {}\n", show_spread(family.rows_in_files()));
    fmt::print("  columns of rows, likewise: {}\n", show_spread(family.columns_in_files()));
    print_table(family, report);
    fmt::print("advice for {}: {}\n", escape_bytes(name), family.explain(report.mix));
  }
  if (!report.others.empty()) {
    fmt::print("no HFiles: {}: {}\n", report.others.size(), fmt::join(report.others, ", "));
  }
}

void print_advice_json(const AdviceReport& report) {
  Json files = Json::array();
  Json families = Json::array();
  for (const auto& [name, family] : report.families) {
    for (const AdvisedFile& file : family.files()) {
      files.push_back(describe_file(file));
    }
    families.push_back(describe_family(name, family, report));
  }
  Json damaged = Json::array();
  for (const Error& error : report.errors) {
    damaged.push_back(error.to_string());
  }
  const Json object = {{"directory", report.directory},
                       {"share_of_whole_rows", report.mix.whole_rows},
                       {"share_of_absent", report.mix.absent},
                       {"file", files},
                       {"family", families},
                       {"no_hfiles", report.others},
                       {"errors", damaged}};
  fmt::print("{}\n", object.dump(2, ' ', false, Json::error_handler_t::replace));
}

}  // namespace bloomery::cli
