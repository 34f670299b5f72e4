#include "cli/copy_all.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/byte_text.h"
#include "cli/exit_status.h"
#include "cli/numbers.h"
#include "cli/progress.h"
#include "cli/redis_keys.h"
#include "connect/redis/client.h"
#include "connect/redis/filter_scan.h"

namespace bloomery::cli {
namespace {

constexpr const char* kCopyAllVerb = "copy";

struct CopiedFilter {
  const redis::FoundFilter* filter;
  std::uint64_t mark;
};

struct CopyCounts {
  std::uint64_t there = 0;  // equal already
  std::uint64_t refused = 0;
  std::uint64_t changed = 0;  // since they were copied
  std::uint64_t bytes = 0;
};

// Returns true for an error that the next key would have, too.
bool ends_copy(const Error& error) {
  return error.code() == ErrorCode::kIo;
}

Status check_different(const redis::Url& from, const redis::Url& to) {
  if (from.endpoint == to.endpoint && from.login.database == to.login.database) {
    return Error::invalid_argument("copy --all", "expected two servers or databases, found the same twice");
  }
  return {};
}

std::string summary_of(const redis::Client& to, std::size_t copied, const CopyCounts& counts) {
  std::string text = fmt::format("{} in {}, {} of them before; copied {}", show_count_of(copied, "filter"),
                                 to.name(), counts.there, show_bytes(counts.bytes));
  if (counts.refused != 0) {
    text += fmt::format("; {} not copied", counts.refused);
  }
  if (counts.changed != 0) {
    text += fmt::format("; {} changed since: copy again with --replace", counts.changed);
  }
  return text;
}

// Reports every filter that has changed since it was copied. A filter that is gone has changed, too.
Result<std::uint64_t> count_changed(redis::Client& from, const std::vector<CopiedFilter>& copied,
                                    const std::atomic<bool>& stop) {
  std::uint64_t changed = 0;
  for (const CopiedFilter& row : copied) {
    if (stop) {
      break;
    }
    const Result<std::uint64_t> mark = mark_of(from, *row.filter);
    if (!mark && ends_copy(mark.error())) {
      return mark.error();
    }
    if (!mark || *mark != row.mark) {
      warn(kCopyAllVerb,
           fmt::format("key {} has changed since it was copied", escape_bytes(row.filter->key)));
      ++changed;
    }
  }
  return changed;
}

}  // namespace

Result<int> copy_all_filters(const std::string& from, const std::string& to, redis::IfOther if_other,
                             const SummaryChoice& summary, const std::atomic<bool>& stop) {
  BLOOMERY_ASSIGN_OR_RETURN(const redis::Url from_url, url_with_password(from));
  BLOOMERY_ASSIGN_OR_RETURN(const redis::Url to_url, url_with_password(to));
  BLOOMERY_RETURN_IF_ERROR(check_different(from_url, to_url));
  BLOOMERY_ASSIGN_OR_RETURN(redis::Client source, redis::Client::connect(from_url));
  BLOOMERY_ASSIGN_OR_RETURN(redis::Client destination, redis::Client::connect(to_url));
  BLOOMERY_ASSIGN_OR_RETURN(std::vector<redis::FoundFilter> filters,
                            redis::scan_filters(source, [&] { return !stop; }));
  std::erase_if(filters, [](const redis::FoundFilter& filter) { return redis::is_of_transfer(filter.key); });
  Progress progress(kCopyAllVerb);
  CopyCounts counts;
  std::vector<CopiedFilter> copied;
  const redis::TransferProgress watch = [&](std::uint64_t bytes) {
    counts.bytes += bytes;
    progress.update_steps(fmt::format("filters, {}", show_bytes(counts.bytes)), copied.size(),
                          filters.size());
    return !stop;
  };
  for (const redis::FoundFilter& filter : filters) {
    const auto transferred = redis::transfer_filter(source, destination, filter, if_other, watch);
    if (transferred) {
      counts.there += transferred->was_there ? 1U : 0U;
      copied.push_back({.filter = &filter, .mark = transferred->mark});
      continue;
    }
    if (ends_copy(transferred.error())) {
      return transferred.error();
    }
    progress.clear();
    warn(kCopyAllVerb, transferred.error().to_string());
    ++counts.refused;
  }
  progress.clear();
  BLOOMERY_ASSIGN_OR_RETURN(counts.changed, count_changed(source, copied, stop));
  const std::uint64_t amiss = counts.refused + counts.changed;
  if (summary.wanted_or_amiss(amiss)) {
    warn(kCopyAllVerb, summary_of(destination, copied.size(), counts));
  }
  return static_cast<int>(amiss == 0 ? kDone : kTrouble);
}

}  // namespace bloomery::cli
