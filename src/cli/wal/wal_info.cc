// bloomery wal info and bloomery wal verify: what a log has, and whether it is intact.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/byte_text.h"
#include "base/file.h"
#include "bloomery/hfile/hfile_choices.h"
#include "cli/exit_status.h"
#include "cli/file_memory_option.h"
#include "cli/json.h"
#include "cli/verbs.h"
#include "cli/wal/log_scan.h"
#include "cli/wal/wal_paths.h"
#include "wal/log_mark.h"

namespace bloomery::cli {
namespace {

constexpr const char* kWalInfoDescription =
    R"(Show what a write-ahead log has: its compression, entries, cells, regions, times, its end, and its seals.

  bloomery wal info root/WALs/server/log
  bloomery wal info --json root | jq -r '.log + ": " + .end'

    Every entry is read,
                     past damage; `bloomery wal verify` says what is damaged.)";

constexpr const char* kWalVerifyDescription =
    R"(Check write-ahead logs: what is sealed, what is torn, what is damaged, by offset.

  bloomery wal verify root                            # all logs of an HBase root that it would replay
  bloomery wal verify --mark wal.mark log             # the log is intact up to where it was synced
  bloomery wal verify --json log | jq .damage

HBase's logs have no checksums: without seals (`bloomery wal seal`) only damage of the structure is seen, and nothing
vouches for the rest. A torn end is no damage, unless the mark says that it was synced. Exit status: 3 if a log is
damaged; 5 if one has a form that is not read here.)";

struct WalScanOptions {
  std::vector<std::string> files;
  std::string mark;
  bool json = false;
  FileMemoryOption memory;
};

std::string describe_compression(const wal::LogHeader& header) {
  if (!header.is_compressed.value_or(false)) {
    return "none";
  }
  std::string text = "dictionaries";
  text += header.has_compressed_tags.value_or(false) ? ", tags" : "";
  if (header.has_compressed_values.value_or(false) && header.value_compression) {
    text += fmt::format(", values {}", hfile::compression_name(*header.value_compression));
  }
  return text;
}

const char* describe_seal(const LogScan& scan) {
  return scan.is_sealed() ? "sealed" : "not sealed: nothing vouches for its bytes";
}

Json damage_json(const LogScan& scan) {
  Json damage = Json::array();
  for (const wal::LogDamage& found : scan.damage) {
    damage.push_back({{"begin", found.begin}, {"end", found.end}, {"reason", found.error.to_string()}});
  }
  return damage;
}

Json scan_json(const std::string& path, const LogScan& scan) {
  const auto time = [](const std::optional<std::uint64_t>& ms) { return ms ? Json(*ms) : Json(nullptr); };
  Json regions = Json::object();
  for (const auto& [region, entries] : scan.regions) {
    regions[region] = entries;
  }
  return {{"log", printable_text(path)},
          {"bytes", scan.size_bytes},
          {"compression", describe_compression(scan.header)},
          {"sealed", scan.is_sealed()},
          {"entries", scan.entries},
          {"markers", scan.markers},
          {"cells", scan.cells},
          {"first_write_time", time(scan.first_time)},
          {"last_write_time", time(scan.last_time)},
          {"end", describe_end(scan)},
          {"link", scan.is_sealed() ? Json(scan.link) : Json(nullptr)},
          {"damage", damage_json(scan)},
          {"regions", regions}};
}

void print_json(const Json& object) {
  fmt::print("{}\n", object.dump(2, ' ', false, Json::error_handler_t::replace));
}

void print_info(const std::string& path, const LogScan& scan) {
  const Json object = scan_json(path, scan);
  for (const auto& [name, value] : object.items()) {
    if (name == "regions") {
      for (const auto& [region, entries] : value.items()) {
        fmt::print("{:<18} {}: {} entries\n", "region", region, entries.dump());
      }
    } else if (name == "damage") {
      fmt::print("{:<18} {}\n", name,
                 value.empty() ? "none found" : fmt::format("in {} places", value.size()));
    } else if (name == "sealed") {
      fmt::print("{:<18} {}\n", name, scan.is_sealed() ? "yes" : "no: nothing vouches for its bytes");
    } else {
      fmt::print("{:<18} {}\n", name, value.is_string() ? value.get<std::string>() : value.dump());
    }
  }
}

void print_verified(const std::string& path, const LogScan& scan) {
  const std::string name = printable_text(path);
  for (const wal::LogDamage& found : scan.damage) {
    if (found.begin == found.end) {
      fmt::print("{}: damage at byte {}: {}\n", name, found.begin, found.error.to_string());
    } else {
      fmt::print("{}: damage from byte {} to {}: {}\n", name, found.begin, found.end,
                 found.error.to_string());
    }
  }
  fmt::print("{}: {}, {} entries, {} cells; {}; {}\n", name,
             scan.damage.empty() ? "no damage found" : "damaged", scan.entries, scan.cells,
             describe_end(scan), describe_seal(scan));
}

enum class ScanReport { kInfo, kVerify };

int report_log(const std::string& verb, const std::string& path, const WalScanOptions& options,
               const std::optional<wal::LogMark>& mark, ScanReport form) {
  const Result<FileMemory> memory = options.memory.parse();
  if (!memory) {
    return report(verb, memory.error());
  }
  const Result<LogScan> scan = scan_log(path, mark, *memory, [](const wal::LogEntry&) { return Status(); });
  if (!scan) {
    return report(verb, scan.error());
  }
  if (options.json) {
    print_json(scan_json(path, *scan));
  } else {
    (form == ScanReport::kInfo ? print_info : print_verified)(path, *scan);
  }
  return scan->damage.empty() ? kDone : kDamaged;
}

// Reads the mark, which must be of this log.
Result<std::optional<wal::LogMark>> mark_of(const WalScanOptions& options,
                                            const std::vector<std::string>& logs) {
  if (options.mark.empty()) {
    return std::optional<wal::LogMark>();
  }
  BLOOMERY_ASSIGN_OR_RETURN(wal::LogMark mark, wal::read_log_mark(FileSystem::real(), options.mark));
  const std::string name = logs.front().substr(logs.front().rfind('/') + 1);
  if (logs.size() != 1 || mark.log != name) {
    return Error::invalid_argument(
        options.mark, fmt::format("expected a mark of one log, {}, found one of {}", printable_text(name),
                                  printable_text(mark.log)));
  }
  return std::optional(std::move(mark));
}

int report_logs(const std::string& verb, const WalScanOptions& options, ScanReport form) {
  const Result<std::vector<std::string>> logs = find_logs(options.files);
  if (!logs) {
    return report(verb, logs.error());
  }
  const auto mark = mark_of(options, *logs);
  if (!mark) {
    return report(verb, mark.error());
  }
  int status = kDone;
  for (const std::string& log : *logs) {
    status = graver(status, report_log(verb, log, options, *mark, form));
  }
  return status;
}

void add_scan_verb(CLI::App& wal, int& exit_status, const std::string& name, const char* description,
                   ScanReport form) {
  CLI::App* const verb = wal.add_subcommand(name, description);
  const auto options = std::make_shared<WalScanOptions>();
  verb->add_option("FILE", options->files, "logs, or directories with logs in them or below")->required();
  if (form == ScanReport::kVerify) {
    verb->add_option("--mark", options->mark, "the mark file of the log: how far it was synced");
  }
  verb->add_flag("--json", options->json, "one JSON object a log");
  options->memory.add_to(*verb);
  verb->callback(
      [options, &exit_status, name, form] { exit_status = report_logs("wal " + name, *options, form); });
}

}  // namespace

void add_wal_info_verb(CLI::App& wal, int& exit_status) {
  add_scan_verb(wal, exit_status, "info", kWalInfoDescription, ScanReport::kInfo);
}

void add_wal_verify_verb(CLI::App& wal, int& exit_status) {
  add_scan_verb(wal, exit_status, "verify", kWalVerifyDescription, ScanReport::kVerify);
}

}  // namespace bloomery::cli
