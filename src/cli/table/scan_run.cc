#include "cli/table/scan_run.h"

#include <atomic>
#include <cerrno>
#include <utility>

#include <fmt/format.h>

#include "base/byte_text.h"
#include "cli/exit_status.h"
#include "cli/numbers.h"
#include "cli/progress.h"
#include "cli/standard_streams.h"
#include "cli/stop_signal.h"

namespace bloomery::cli {
namespace {

// Describes a range: "rows from r1 to r5", "rows from r1 to before r6".
std::string show_rows(const RowRange& rows) {
  const std::string start = rows.start.empty() ? std::string("the first row") : escape_bytes(rows.start);
  if (rows.stop.empty()) {
    return fmt::format("rows from {} on", start);
  }
  return fmt::format("rows from {} to {}{}", start, rows.includes_stop ? "" : "before ",
                     escape_bytes(rows.stop));
}

class ScanRun {
 public:
  ScanRun(const std::string& verb, bool skips_damage, bool hides_progress)
      : verb_(verb), skips_damage_(skips_damage), stop_(catch_stop_signals()), progress_(verb) {
    if (hides_progress) {
      progress_.hide();
    }
  }

  // Shows progress and checks for Ctrl-C. Called before each row, also if a scan returns none.
  Status watch(const ScanPlace& place) {
    if (stop_) {
      return Error::io(verb_, "scan", EINTR);
    }
    if (progress_.is_shown()) {
      progress_.update_rows(place.rows, place.regions, place.of_regions);
    }
    return {};
  }

  Status run(TableScanner& scanner, const std::function<Status(const RowResult&)>& use) {
    for (;;) {
      Result<bool> found = scanner.next();
      list_skipped(scanner);
      if (!found || !*found) {
        return found ? Status() : found.error();
      }
      const Status used = use(scanner.result());
      if (!used && (!skips_damage_ || used.error().code() != ErrorCode::kCorruption)) {
        return used;
      }
      if (!used) {
        const std::string row(scanner.result().row());
        list({.rows = {.start = row, .stop = row, .includes_stop = true}, .error = used.error()});
      }
      results_ += used ? 1U : 0U;
    }
  }

  Result<ScanEnd> end(const Status& scanned) const {
    if (stop_ && !scanned && scanned.error().errno_value() == EINTR) {
      warn(verb_, "interrupted: the answer ends here");
      return ScanEnd{kInterrupted, results_};
    }
    if (!scanned) {
      return scanned.error();
    }
    if (ranges_ > 0) {
      warn(verb_, fmt::format("damaged: {} of rows {} not in the answer, and listed above",
                              ranges_ == 1 ? "a range" : show_count(ranges_) + " ranges",
                              ranges_ == 1 ? "is" : "are"));
    }
    return ScanEnd{ranges_ > 0 ? kDamaged : kDone, results_};
  }

 private:
  void list_skipped(const TableScanner& scanner) {
    for (; listed_ < scanner.skipped().size(); ++listed_) {
      list(scanner.skipped()[listed_]);
    }
  }
  void list(const SkippedRows& skipped) {
    warn(verb_, fmt::format("not in the answer: {}: {}", show_rows(skipped.rows), skipped.error.to_string()));
    ++ranges_;
  }

  const std::string& verb_;
  bool skips_damage_;
  std::atomic<bool>& stop_;
  Progress progress_;
  std::size_t listed_ = 0;
  std::uint64_t ranges_ = 0;
  std::uint64_t results_ = 0;
};

}  // namespace

Result<ScanEnd> run_scan(const std::string& verb, const Table& table, ScanRequest request,
                         const ScanOutput& output) {
  ScanRun run(verb, request.skips_damage, output.hides_progress);
  request.watch = [&run](const ScanPlace& place) { return run.watch(place); };
  BLOOMERY_ASSIGN_OR_RETURN(TableScanner scanner, table.scan(request));
  const Status scanned = run.run(scanner, output.use);
  BLOOMERY_RETURN_IF_ERROR(output.flush());
  if (request.notes_files && output.explain) {
    BLOOMERY_RETURN_IF_ERROR(output.explain(scanner.files()));
  } else if (request.notes_files) {
    explain_files("", scanner.files());
  }
  return run.end(scanned);
}

std::string files_text(const std::string& begin, const std::vector<FileOfScan>& files) {
  std::string text;
  for (const FileOfScan& file : files) {
    const std::string half = file.file.is_half
                                 ? fmt::format(" (half of it, as {}/{})", file.region, file.file.name)
                                 : std::string();
    text += fmt::format("{}{}{}: {}\n", begin, printable_text(file.file.path), printable_text(half),
                        file.skipped_by == SkippedBy::kNothing ? "read" : file.reason);
    for (const BlockOfScan& block : file.blocks) {
      text += fmt::format("{}  {} at byte {}, {} bytes, from {}\n", begin, block.kind, block.offset,
                          block.on_disk_bytes, block.is_from_disk ? "disk" : "the cache");
    }
  }
  return text;
}

void explain_files(const std::string& begin, const std::vector<FileOfScan>& files) {
  say("{}", files_text(begin, files));
}

}  // namespace bloomery::cli
