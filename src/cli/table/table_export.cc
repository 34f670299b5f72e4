// bloomery table export: the way out to a cluster.
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "bloomery/table/export.h"
#include "cli/exit_status.h"
#include "cli/hfile/write_options.h"
#include "cli/numbers.h"
#include "cli/table/table_place.h"
#include "cli/verbs.h"

namespace bloomery::cli {
namespace {

constexpr const char* kTableExportVerb = "table export";
constexpr const char* kTableExportDescription =
    R"(Write what a table or a snapshot holds, so that HBase takes it.

  bloomery table export -o to-load --root shop --table orders                  # hbase completebulkload to-load orders
  bloomery table export -o to-load --splits splits.txt --root shop --table orders
  bloomery table export -o exported --as-snapshot --root shop --snapshot monday

The first form writes DIR/FAMILY/FILE for an empty table of the same families: what a major compaction would leave, also of what
only logs have. With --splits no file crosses a region border of the cluster, so HBase need not split any. The last form has
the layout of HBase's ExportSnapshot, in hard links, or in copies where there can be none: copy DIR into the root of HBase, and
`clone_snapshot` finds it.)";

struct ExportOptions {
  TablePlace place;
  std::string directory;
  std::string splits_file;
  bool as_snapshot = false;
  bool copies = false;
};

Status export_place(const ExportOptions& options) {
  if (options.as_snapshot) {
    if (!options.splits_file.empty()) {
      return Error::invalid_argument("--splits", "expected none with --as-snapshot, found a file");
    }
    BLOOMERY_ASSIGN_OR_RETURN(const auto snapshot, options.place.snapshot());
    return export_snapshot(snapshot.root, snapshot.name, options.directory, options.copies);
  }
  SplitKeys splits;
  if (!options.splits_file.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(splits, read_split_keys(options.splits_file));
  }
  BLOOMERY_ASSIGN_OR_RETURN(const Table table, options.place.open(kTableExportVerb));
  BLOOMERY_ASSIGN_OR_RETURN(const BulkLoadCounts counts, export_bulk_load(table, options.directory, splits));
  fmt::print("{}: {} cells in {} files, {} bytes\n", options.directory, show_count(counts.cells),
             show_count(counts.files), show_count(counts.file_bytes));
  return {};
}

}  // namespace

void add_table_export_verb(CLI::App& table, int& exit_status) {
  CLI::App* const verb = table.add_subcommand("export", kTableExportDescription);
  const auto options = std::make_shared<ExportOptions>();
  verb->add_option("-o,--output", options->directory, "DIR, made unless it is there")->required();
  verb->add_option("--splits", options->splits_file,
                   "FILE of the rows at which regions begin, one a line, \\xHH is a byte");
  verb->add_flag("--as-snapshot", options->as_snapshot, "write the snapshot and its files, not its cells");
  verb->add_flag("--copy", options->copies, "copy the snapshot's files even where hard links would do");
  options->place.add_to(*verb);
  verb->callback([options, &exit_status] {
    const Status exported = export_place(*options);
    exit_status = exported ? kDone : report(kTableExportVerb, exported.error());
  });
}

}  // namespace bloomery::cli
