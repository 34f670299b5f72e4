// bloomery table get: prints rows by their keys, with the cells that HBase would return for gets.
#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/atomic_file.h"
#include "base/byte_text.h"
#include "bloomery/hfile/block_cache.h"
#include "bloomery/table/read_counters.h"
#include "bloomery/table/row_reader.h"
#include "cli/exit_status.h"
#include "cli/hfile/cell_printer.h"
#include "cli/numbers.h"
#include "cli/read_counters_file.h"
#include "cli/standard_streams.h"
#include "cli/stop_signal.h"
#include "cli/table/read_options.h"
#include "cli/table/scan_run.h"
#include "cli/table/table_place.h"
#include "cli/verbs.h"
#include "keys/input_files.h"

namespace bloomery::cli {
namespace {

// Prints the read counters of a table on standard error: `table get --counters`.

std::string filter_text(const FilterCounters& filter) {
  if (filter.checks == 0) {
    return "filter not asked";
  }
  return fmt::format("filter asked {} times, no {}, maybe and it was there {}, maybe and it was not {}",
                     filter.checks, filter.negatives, filter.true_positives, filter.false_positives);
}

std::string blocks_text(const HFileCounters& blocks) {
  return fmt::format(
      "read {} data, {} index, {} Bloom and {} other blocks, {} bytes; {} blocks from the cache",
      blocks.data_blocks, blocks.index_blocks, blocks.bloom_chunks, blocks.other_blocks, blocks.bytes_read,
      blocks.cache_hits);
}

// Returns the options of `hfile advise` that describe these gets. That verb then computes how many reads each
// kind of filter would have saved.
std::string advise_options(const FamilyReads& family) {
  const FamilyReadCounters& gets = family.gets;
  const char* const kind = gets.row_gets == 0 ? "column" : gets.column_gets == 0 ? "row" : "mixed";
  return fmt::format("--gets {} --absent {:.3f}", kind,
                     static_cast<double>(family.found_nothing()) / static_cast<double>(family.count()));
}

void print_counters(const TableReadCounters& counters, const CacheCounters& cache) {
  for (const FileReadCounters& file : counters.files) {
    say("{}{}: {}; {}\n", file.region.empty() ? "" : file.region + " ", printable_text(file.path),
        filter_text(file.filter), blocks_text(file.blocks));
  }
  for (const auto& [name, family] : reads_by_family(counters)) {
    const FamilyReadCounters& gets = family.gets;
    say("family {}: {} gets of columns, {} without cells; {} gets of rows, {} without cells\n",
        escape_bytes(name), gets.column_gets, gets.absent_column_gets, gets.row_gets, gets.absent_row_gets);
    say("family {}: {}; {}\n", escape_bytes(name), filter_text(family.filter), blocks_text(family.blocks));
    say("family {}: which filter these gets want: bloomery hfile advise DIR {}\n", escape_bytes(name),
        advise_options(family));
  }
  for (std::size_t i = 0; i < kBlockGroups; ++i) {
    const CacheCounters::Asked& asked = cache.asked[i];
    if (asked.hits + asked.misses > 0) {
      say("cache, {} blocks: {} hits, {} misses\n", block_group_name(static_cast<BlockGroup>(i)), asked.hits,
          asked.misses);
    }
  }
}

constexpr const char* kTableGetVerb = "table get";
constexpr const char* kTableGetDescription =
    R"(Print the cells of a row, or of many rows, as HBase would answer gets.

  bloomery table get --root /hbase --table shop:orders --row o1001
  bloomery table get PLACE --row 'r\x00' --column d:state --versions all
  bloomery table get PLACE --row o1001 --explain            # which files and blocks were read, and why not the others
  bloomery table get PLACE --row - --counters < asked       # what the filters spared, and what `hfile advise` may be asked
  cut -f1 wanted.tsv | bloomery table get PLACE --row -     # rows from standard input

Cells are printed as `table scan` prints them. --row - reads one row a line, in which \xHH is a byte, and answers in that
order, up to a thousand rows at a time; rows without cells print nothing. Exit status: 1 if no cell was found.)";

// The most rows of one multi-get, whose results are in memory together.
constexpr std::size_t kMostTogether = 1000;

struct TableGetOptions {
  TablePlace place;
  ReadOptions cells;
  std::string row;
  std::string cache = "64M";
  bool explain = false;
  bool counters = false;
  std::string counters_to;
  bool json = false;
};

Result<std::string> row_of(std::string_view text) {
  std::string row = unescape_bytes(text);
  if (row.empty() || row.size() > kLongestRow) {
    return Error::invalid_argument("row",
                                   fmt::format("expected 1 to {} bytes, found {}", kLongestRow, row.size()));
  }
  return row;
}

// Gets a batch of rows and prints them. If one fails, the rows before it are printed first.
Status get_together(RowReader& reader, std::span<const std::string_view> rows, CellPrinter& printer) {
  std::vector<RowResult> results;
  const Status got = reader.get(rows, results);
  if (got) {
    for (const RowResult& result : results) {
      BLOOMERY_RETURN_IF_ERROR(printer.print(result));
    }
    return {};
  }
  RowResult result;
  for (const std::string_view row : rows) {
    BLOOMERY_ASSIGN_OR_RETURN(const bool found, reader.get(row, result));
    if (found) {
      BLOOMERY_RETURN_IF_ERROR(printer.print(result));
    }
  }
  return got;
}

Status get_and_explain(RowReader& reader, std::string_view row, const std::string& begin,
                       CellPrinter& printer) {
  RowResult result;
  const Result<bool> found = reader.get(row, result);
  explain_files(begin, reader.files());
  if (!found) {
    return found.error();
  }
  return *found ? printer.print(result) : Status();
}

Status get_rows(const TableGetOptions& options, RowReader& reader, const std::vector<std::string>& rows,
                CellPrinter& printer) {
  if (options.explain) {
    for (const std::string& row : rows) {
      const std::string begin = options.row == "-" ? fmt::format("row {}: ", escape_bytes(row)) : "";
      BLOOMERY_RETURN_IF_ERROR(get_and_explain(reader, row, begin, printer));
    }
    return {};
  }
  const std::vector<std::string_view> views(rows.begin(), rows.end());
  for (std::size_t i = 0; i < views.size(); i += kMostTogether) {
    const auto some = std::span(views).subspan(i, std::min(kMostTogether, views.size() - i));
    BLOOMERY_RETURN_IF_ERROR(get_together(reader, some, printer));
  }
  return {};
}

Result<std::vector<std::string>> rows_of(const LineBatch& batch, const InputFiles& input) {
  std::vector<std::string> rows;
  for (std::size_t i = 0; i < batch.lines.size(); ++i) {
    auto row = row_of(batch.lines[i]);
    if (!row) {
      return row.error().in_file(fmt::format("{}: line {}", input.current_name(), input.first_line() + i));
    }
    rows.push_back(std::move(*row));
  }
  return rows;
}

Status get_rows_of_input(const TableGetOptions& options, RowReader& reader, CellPrinter& printer,
                         const std::atomic<bool>& stop) {
  InputFiles input({"-"}, '\n', &stop);
  LineBatch batch;
  for (;;) {
    BLOOMERY_ASSIGN_OR_RETURN(const bool more, input.next(batch));
    if (!more) {
      return {};
    }
    BLOOMERY_ASSIGN_OR_RETURN(const auto rows, rows_of(batch, input));
    BLOOMERY_RETURN_IF_ERROR(get_rows(options, reader, rows, printer));
    BLOOMERY_RETURN_IF_ERROR(printer.flush());  // so that interactive input is answered row by row
  }
}

Status get_all(const TableGetOptions& options, const CellRequest& cells, const Table& table,
               CellPrinter& printer, bool& is_stopped) {
  BLOOMERY_ASSIGN_OR_RETURN(RowReader reader, RowReader::make(table, cells));
  if (options.explain) {
    reader.note_files();
  }
  if (options.row != "-") {
    BLOOMERY_ASSIGN_OR_RETURN(std::string row, row_of(options.row));
    return get_rows(options, reader, {std::move(row)}, printer);
  }
  const std::atomic<bool>& stop = catch_stop_signals();
  const Status got = get_rows_of_input(options, reader, printer, stop);
  is_stopped = stop;
  return got;
}

Result<int> table_get(const TableGetOptions& options) {
  CellRequest cells;
  BLOOMERY_RETURN_IF_ERROR(options.cells.fill(cells));
  if (options.row != "-") {
    const auto row = row_of(options.row);
    if (!row) {
      return row.error().in_file("--row");
    }
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t cache_bytes, parse_size("--cache", options.cache));
  std::optional<AtomicFile> counters_file;
  if (!options.counters_to.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(counters_file, AtomicFile::create(FileSystem::real(), options.counters_to, {}));
  }
  const KeptBlocks kept{.cache = BlockCache::make(cache_bytes), .pins = cache_bytes > 0};
  BLOOMERY_ASSIGN_OR_RETURN(const Table table,
                            options.place.open(kTableGetVerb, TableFaults::kRefused, kept));
  CellPrinter printer(options.json ? CellForm::kJson : CellForm::kTabs);
  bool is_stopped = false;
  const Status got = get_all(options, cells, table, printer, is_stopped);
  BLOOMERY_RETURN_IF_ERROR(printer.flush());
  if (options.counters) {
    print_counters(table.read_counters(), kept.cache->counters());
  }
  if (counters_file) {
    const std::string text = read_counters_json(table.read_counters());
    BLOOMERY_RETURN_IF_ERROR(counters_file->append(std::as_bytes(std::span(text))));
    BLOOMERY_RETURN_IF_ERROR(counters_file->commit());
  }
  if (is_stopped) {
    warn(kTableGetVerb, "interrupted: the answer ends here");
    return static_cast<int>(kInterrupted);
  }
  if (!got) {
    return got.error();
  }
  return static_cast<int>(printer.cells() > 0 ? kDone : kNothing);
}

}  // namespace

void add_table_get_verb(CLI::App& table, int& exit_status) {
  CLI::App* const verb = table.add_subcommand("get", kTableGetDescription);
  const auto options = std::make_shared<TableGetOptions>();
  verb->add_option("--row", options->row,
                   "the row; \\xHH is a byte. With - rows are read from standard input")
      ->required();
  options->cells.add_to(*verb);
  verb->add_flag("--explain", options->explain,
                 "say of each file whether it was read, and why not, and which blocks came from where");
  verb->add_flag("--counters", options->counters,
                 "say at the end what filters and the cache have spared, file by file");
  verb->add_option("--counters-to", options->counters_to,
                   "write the same as JSON to this new file, which `hfile advise --counters` reads")
      ->type_name("FILE");
  verb->add_option(
          "--cache", options->cache,
          "memory for blocks that were read (default 64M); 0 keeps none, and no filters and indexes either")
      ->type_name("SIZE");
  verb->add_flag("--json", options->json, "one JSON object a line");
  options->place.add_to(*verb);
  verb->callback([options, &exit_status] {
    const Result<int> status = table_get(*options);
    exit_status = status ? *status : report(kTableGetVerb, status.error());
  });
}

}  // namespace bloomery::cli
