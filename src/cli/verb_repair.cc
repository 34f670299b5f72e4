// bloomery repair: makes filters again from the data that they stand for.
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "cli/exit_status.h"
#include "cli/file_conflicts.h"
#include "cli/file_memory_option.h"
#include "cli/progress.h"
#include "cli/stop_signal.h"
#include "cli/summary.h"
#include "cli/verbs.h"
#include "verify/walk.h"

namespace bloomery::cli {
namespace {

constexpr const char* kRepairDescription =
    R"(Make the filters of a file again from the data that they stand for. The file itself is not changed.

  bloomery repair nb-1-big-Filter.db -o new/nb-1-big-Filter.db     # Cassandra: from the keys of its sstable
  bloomery repair orders.parquet -o repaired.parquet               # Parquet: other bitsets, the same size and footer

Nothing is written unless all keys can be read. For filters that their system writes with their data, the error says how
the system makes them again. Exit status: 0 if the file was written, 3 if the data is damaged, 2 if not repaired here.)";

struct RepairOptions {
  std::string file;
  std::string output;
  bool force = false;
  FileMemoryOption memory;
  SummaryChoice summary;
};

Status repair(const RepairOptions& options) {
  BLOOMERY_RETURN_IF_ERROR(check_output_is_no_input(options.output, std::vector{options.file}));
  const std::atomic<bool>& stop = catch_stop_signals();
  Progress progress("repair");
  std::uint64_t read = 0;
  ProofOptions how;
  BLOOMERY_ASSIGN_OR_RETURN(how.memory, options.memory.parse());
  how.progress = [&](std::uint64_t bytes) {
    read += bytes;
    progress.update_files(0, read);
    return !stop;
  };
  BLOOMERY_RETURN_IF_ERROR(
      repair_path(options.file, options.output, how, {.replace = options.force, .cancelled = &stop}));
  if (options.summary.wanted()) {
    progress.clear();
    warn("repair",
         fmt::format("{} has the filters of {}, made again from its data", options.output, options.file));
  }
  return {};
}

}  // namespace

void add_repair_verb(CLI::App& app, int& exit_status) {
  CLI::App* const verb = app.add_subcommand("repair", kRepairDescription);
  const auto options = std::make_shared<RepairOptions>();
  verb->add_option("FILE", options->file,
                   "a Filter.db of Cassandra in the folder of its sstable, or a Parquet file")
      ->required();
  verb->add_option("-o,--output", options->output, "the file that is written")->type_name("NEW")->required();
  verb->add_flag("--force", options->force, "replace an existing file");
  options->memory.add_to(*verb);
  options->summary.add_to(*verb);
  verb->callback([options, &exit_status] {
    const Status status = repair(*options);
    exit_status = status ? static_cast<int>(kDone) : report("repair", status.error());
  });
}

}  // namespace bloomery::cli
