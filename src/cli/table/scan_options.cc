#include "cli/table/scan_options.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include <CLI/CLI.hpp>

#include "base/byte_text.h"
#include "cli/numbers.h"

namespace bloomery::cli {

void ScanChoice::add_to(CLI::App& verb) {
  verb.add_option("--start", start_, "the first row; \\xHH is a byte. With --reverse the greatest one");
  verb.add_flag("--exclude-start", excludes_start_, "begin behind the row of --start");
  verb.add_option("--stop", stop_, "end before this row; with --reverse, above it");
  verb.add_flag("--include-stop", includes_stop_, "end with the row of --stop");
  verb.add_option("--prefix", prefix_, "the rows with this prefix, in place of --start and --stop");
  verb.add_flag("--reverse", is_reversed_, "descending rows");
  verb.add_option("--limit", limit_, "N rows at most");
  cells_.add_to(verb);
  verb.add_option("--batch", batch_, "hold N cells of a row at a time: for rows that exceed the memory");
  verb.add_flag("--raw", is_raw_, "delete markers too, and the cells that they hide");
  verb.add_flag("--skip-damaged", skips_damage_,
                "go on behind damage; the rows that are missing are listed on stderr, and the status is 3");
}

Status ScanChoice::fill_rows(ScanRequest& request) const {
  if (!prefix_.empty() && (!start_.empty() || !stop_.empty())) {
    return Error::invalid_argument("--prefix", "expected no --start and no --stop with it, found one");
  }
  if (!prefix_.empty()) {
    request.set_prefix(unescape_bytes(prefix_), is_reversed_);
    return {};
  }
  request.is_reversed = is_reversed_;
  request.start = unescape_bytes(start_);
  request.stop = unescape_bytes(stop_);
  request.includes_start = !excludes_start_;
  request.includes_stop = includes_stop_;
  return {};
}

Result<ScanRequest> ScanChoice::parse() const {
  ScanRequest request;
  BLOOMERY_RETURN_IF_ERROR(fill_rows(request));
  BLOOMERY_RETURN_IF_ERROR(cells_.fill(request));
  request.is_raw = is_raw_;
  request.skips_damage = skips_damage_;
  if (!limit_.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(request.limit, parse_count("--limit", limit_));
  }
  if (!batch_.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t batch, parse_count("--batch", batch_));
    request.batch =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(batch, std::numeric_limits<std::uint32_t>::max()));
  }
  return request;
}

}  // namespace bloomery::cli
