// bloomery wal cat: prints the cells of logs, one a line.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "base/byte_text.h"
#include "base/file.h"
#include "cli/exit_status.h"
#include "cli/file_memory_option.h"
#include "cli/hfile/cell_text.h"
#include "cli/json.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "cli/wal/wal_paths.h"
#include "wal/log_reader.h"

namespace bloomery::cli {
namespace {

constexpr const char* kWalCatVerb = "wal cat";
constexpr const char* kWalCatDescription =
    R"(Print the cells of write-ahead logs in their order, one a line, HBase's own records (METAFAMILY) among them.

  bloomery wal cat root/WALs/server/log | cut -f1-6
  bloomery wal cat root/WALs/* --json | jq -r 'select(.table == "users") | .row'
  bloomery wal cat root/data/default/users/*/recovered.edits/*[0-9]

A line has the fields of `bloomery hfile cat` (row, family, qualifier, timestamp, type, value, tags, mvcc), then the
number of the entry in its log, region, sequence id, table and log, separated by tabs. Cells of one entry were written
at once. After damage (exit status 3) nothing more of that log is printed; `bloomery wal repair` continues after it.)";

struct WalCatOptions {
  std::vector<std::string> files;
  bool json = false;
  FileMemoryOption memory;
};

// Appends to the line of a cell what its entry and its log say.
void append_place(std::string& line, const wal::LogEntry& entry, const std::string& log, CellForm form) {
  if (form == CellForm::kTabs) {
    line.pop_back();
    line += fmt::format("\t{}\t{}\t{}\t{}\t{}\n", entry.number, escape_bytes(entry.region), entry.sequence_id,
                        escape_bytes(entry.table), escape_bytes(log));
    return;
  }
  line.resize(line.size() - 2);  // "}" and the end of the line
  line += fmt::format(R"(,"entry":{},"region":{},"sequence_id":{},"table":{},"log":{}}})", entry.number,
                      Json(escape_bytes(entry.region)).dump(), entry.sequence_id,
                      Json(escape_bytes(entry.table)).dump(), Json(escape_bytes(log)).dump());
  line += '\n';
}

Status print_entry(const wal::LogEntry& entry, const std::string& log, CellForm form, Output& output) {
  std::string line;
  for (const Cell& cell : entry.cells) {
    line.clear();
    BLOOMERY_RETURN_IF_ERROR(append_cell(line, cell, form));
    append_place(line, entry, log, form);
    BLOOMERY_RETURN_IF_ERROR(output.write(line));
  }
  return {};
}

Status print_log(const std::string& path, const FileMemory& memory, CellForm form, Output& output) {
  BLOOMERY_ASSIGN_OR_RETURN(
      wal::LogReader reader,
      wal::LogReader::open(FileSystem::real(), path, {.kind = wal::log_kind_of(path), .memory = memory}));
  for (;;) {
    BLOOMERY_ASSIGN_OR_RETURN(const bool found, in_file(reader.next(), path));
    if (!found) {
      break;
    }
    BLOOMERY_RETURN_IF_ERROR(print_entry(reader.entry(), path, form, output));
  }
  if (reader.end().kind == wal::LogEndKind::kTorn) {
    warn(kWalCatVerb, fmt::format("{}: torn at byte {}: {}", path, reader.end().offset, reader.end().detail));
  }
  return {};
}

int cat_logs(const WalCatOptions& options) {
  const Result<FileMemory> memory = options.memory.parse();
  const Result<std::vector<std::string>> logs = find_logs(options.files);
  if (!memory || !logs) {
    return report(kWalCatVerb, memory ? logs.error() : memory.error());
  }
  int status = kDone;
  Output output(STDOUT_FILENO);
  for (const std::string& log : *logs) {
    const Status printed = print_log(log, *memory, options.json ? CellForm::kJson : CellForm::kTabs, output);
    if (!printed) {
      status = graver(status, report(kWalCatVerb, printed.error()));
      if (printed.error().code() == ErrorCode::kIo) {
        break;
      }
    }
  }
  const Status flushed = output.flush();
  return flushed ? status : graver(status, report(kWalCatVerb, flushed.error()));
}

}  // namespace

void add_wal_cat_verb(CLI::App& wal, int& exit_status) {
  CLI::App* const verb = wal.add_subcommand("cat", kWalCatDescription);
  const auto options = std::make_shared<WalCatOptions>();
  verb->add_option("FILE", options->files, "logs, or directories with logs in them or below")->required();
  verb->add_flag("--json", options->json, "one JSON object a line; its bytes are escaped alike");
  options->memory.add_to(*verb);
  verb->callback([options, &exit_status] { exit_status = cat_logs(*options); });
}

}  // namespace bloomery::cli
