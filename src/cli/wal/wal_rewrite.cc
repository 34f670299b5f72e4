// bloomery wal repair and bloomery wal seal: write the entries of a log to a new one.
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/atomic_file.h"
#include "base/file.h"
#include "cli/exit_status.h"
#include "cli/file_memory_option.h"
#include "cli/verbs.h"
#include "cli/wal/log_scan.h"
#include "wal/log_writer.h"

namespace bloomery::cli {
namespace {

constexpr const char* kWalRepairDescription =
    R"(Write a new log of all entries of a damaged one that can be read; in a sealed log, of all that verify.

  bloomery wal repair -o new.log damaged.log

What is lost is listed by offset, with the reason. The new log is closed, is not compressed, and has seals if the old
one has. Exit status: 3 if something was damaged, although the new log is written.)";

constexpr const char* kWalSealDescription =
    R"(Write a log again, with seals: the same log for HBase, but one that shows damage here.

  bloomery wal seal -o sealed.log log
  bloomery wal seal -o second.sealed --after first.sealed second      # also shows that the first one is complete

The new log is not compressed. It is closed if the old one is. A damaged log is refused, a torn end is left out. The
seals vouch for the bytes as they are now: what was damaged before without a trace stays so.)";

struct WalRewriteOptions {
  std::string file;
  std::string output;
  std::string after;
  bool force = false;
  FileMemoryOption memory;
};

// A log that is being written to a file.
class LogOutput {
 public:
  static Result<LogOutput> create(const WalRewriteOptions& options) {
    const SaveOptions save{.if_exists = options.force ? IfExists::kReplace : IfExists::kRefuse};
    BLOOMERY_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::create(FileSystem::real(), options.output, save));
    return LogOutput(std::move(file));
  }

  void begin(const std::optional<wal::Seal>& seal) {
    wal::LogHeader header;
    header.seal = seal;
    writer_.emplace(*bytes_, header);
  }
  Status append(const wal::LogEntry& entry) {
    BLOOMERY_RETURN_IF_ERROR(writer_->append(entry));
    return bytes_->size() < kFlushBytes ? Status() : flush();
  }
  Status finish(bool closed) {
    if (closed) {
      writer_->close();
    }
    BLOOMERY_RETURN_IF_ERROR(flush());
    return file_.commit();
  }

 private:
  static constexpr std::size_t kFlushBytes = std::size_t{1} << 20;

  explicit LogOutput(AtomicFile file) : file_(std::move(file)) {}

  Status flush() {
    BLOOMERY_RETURN_IF_ERROR(file_.append(bytes_->bytes()));
    bytes_->clear();
    return {};
  }

  AtomicFile file_;
  std::unique_ptr<hfile::ByteWriter> bytes_ = std::make_unique<hfile::ByteWriter>();
  std::optional<wal::LogWriter> writer_;
};

// Returns the last link of a sealed log that is intact.
Result<std::uint32_t> last_link(const std::string& path, const FileMemory& memory) {
  BLOOMERY_ASSIGN_OR_RETURN(const LogScan scan, scan_log(path, std::nullopt, memory,
                                                         [](const wal::LogEntry&) { return Status(); }));
  if (!scan.is_sealed() || !scan.damage.empty()) {
    return Error::invalid_argument(path, "expected an intact sealed log, found another");
  }
  return scan.link;
}

// Returns true if the log has seals, although its header may have lost its own.
Result<bool> has_seals(const std::string& path, const FileMemory& memory) {
  BLOOMERY_ASSIGN_OR_RETURN(const LogScan scan, scan_log(path, std::nullopt, memory,
                                                         [](const wal::LogEntry&) { return Status(); }));
  return scan.is_sealed();
}

Result<int> repair(const WalRewriteOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(const FileMemory memory, options.memory.parse());
  BLOOMERY_ASSIGN_OR_RETURN(const bool is_sealed, has_seals(options.file, memory));
  BLOOMERY_ASSIGN_OR_RETURN(LogOutput output, LogOutput::create(options));
  output.begin(is_sealed ? std::optional(wal::Seal{}) : std::nullopt);
  BLOOMERY_ASSIGN_OR_RETURN(const LogScan scan,
                            scan_log(options.file, std::nullopt, memory,
                                     [&](const wal::LogEntry& entry) { return output.append(entry); }));
  BLOOMERY_RETURN_IF_ERROR(output.finish(true));
  for (const wal::LogDamage& found : scan.damage) {
    warn("wal repair", fmt::format("{}: bytes {} to {} are not in the new log: {}", options.file, found.begin,
                                   found.end, found.error.to_string()));
  }
  if (scan.end.kind == wal::LogEndKind::kTorn) {
    warn("wal repair", fmt::format("{}: {}", options.file, describe_end(scan)));
  }
  fmt::print("{}: {} entries, {} cells\n", options.output, scan.entries, scan.cells);
  return static_cast<int>(scan.damage.empty() ? kDone : kDamaged);
}

Result<int> seal(const WalRewriteOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(const FileMemory memory, options.memory.parse());
  wal::Seal first;
  if (!options.after.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(first.previous, last_link(options.after, memory));
  }
  BLOOMERY_ASSIGN_OR_RETURN(LogOutput output, LogOutput::create(options));
  output.begin(first);
  BLOOMERY_ASSIGN_OR_RETURN(const LogScan scan,
                            scan_log(options.file, std::nullopt, memory,
                                     [&](const wal::LogEntry& entry) { return output.append(entry); }));
  if (!scan.damage.empty()) {
    return scan.damage.front().error.in_file(options.file);
  }
  BLOOMERY_RETURN_IF_ERROR(output.finish(scan.end.kind == wal::LogEndKind::kClosed));
  if (scan.end.kind != wal::LogEndKind::kClosed) {
    warn("wal seal", fmt::format("{}: {}", options.file, describe_end(scan)));
  }
  fmt::print("{}: {} entries, {} cells\n", options.output, scan.entries, scan.cells);
  return static_cast<int>(kDone);
}

CLI::App* add_rewrite_verb(CLI::App& wal, const std::string& name, const char* description,
                           const std::shared_ptr<WalRewriteOptions>& options, int& exit_status,
                           Result<int> (*run)(const WalRewriteOptions&)) {
  CLI::App* const verb = wal.add_subcommand(name, description);
  verb->add_option("FILE", options->file, "a log")->required();
  verb->add_option("-o,--output", options->output, "the new log")->required();
  verb->add_flag("--force", options->force, "replace the new log if it exists");
  options->memory.add_to(*verb);
  verb->callback([options, &exit_status, name, run] {
    const Result<int> status = run(*options);
    exit_status = status ? *status : report("wal " + name, status.error());
  });
  return verb;
}

}  // namespace

void add_wal_repair_verb(CLI::App& wal, int& exit_status) {
  add_rewrite_verb(wal, "repair", kWalRepairDescription, std::make_shared<WalRewriteOptions>(), exit_status,
                   repair);
}

void add_wal_seal_verb(CLI::App& wal, int& exit_status) {
  const auto options = std::make_shared<WalRewriteOptions>();
  CLI::App* const verb = add_rewrite_verb(wal, "seal", kWalSealDescription, options, exit_status, seal);
  verb->add_option("--after", options->after, "the sealed log that was written before this one");
}

}  // namespace bloomery::cli
