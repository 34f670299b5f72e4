// bloomery copy --all: brings all filters of one Redis or Valkey server to another.
#pragma once

#include <atomic>
#include <string>

#include "bloomery/base/result.h"
#include "cli/summary.h"
#include "connect/redis/filter_transfer.h"

namespace bloomery::cli {

// Copies every filter of the server `from` to the server `to` (URLs), in the databases that they name. A key
// that cannot be copied is reported, and the others are copied. Returns the exit status: kDone if the
// destination has an equal filter for every filter of the source, otherwise kTrouble. Errors: those of
// url_with_password(), Client::connect() and scan_filters(); a lost connection; kIo with EINTR after `stop`.
Result<int> copy_all_filters(const std::string& from, const std::string& to, redis::IfOther if_other,
                             const SummaryChoice& summary, const std::atomic<bool>& stop);

}  // namespace bloomery::cli
