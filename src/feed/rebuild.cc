#include "feed/rebuild.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <sys/resource.h>

#include "connect/postgres/copy_row.h"
#include "connect/postgres/table_watch.h"
#include "feed/row_keys.h"
#include "filter/leased/lease_page.h"

namespace bloomery::feed {
namespace {

// The number of keys of one insert. A gentle scan uses smaller batches.
constexpr std::size_t kBatch = 4096;
constexpr std::size_t kGentleBatch = 512;
constexpr int kLowestPriority = 19;

// The smallest capacity, so that the filter of a nearly empty table can grow.
constexpr std::uint64_t kLeastCapacity = 10'000;

// The longest silence of the server: it makes the scan's slot only when all writing transactions have ended.
constexpr std::chrono::milliseconds kScanPatience = std::chrono::minutes(10);

}  // namespace

Rebuild::Rebuild(const FeedPlan& plan, RebuildWish wish, FilterSink& sink)
    : plan_(plan), wish_(std::move(wish)), sink_(sink), began_ns_(boot_clock_ns()), thread_([this] {
        result_ = build();
        is_done_ = true;
      }) {}

Rebuild::~Rebuild() {
  stop_ = true;
  thread_.join();
}

double Rebuild::seconds() const {
  return static_cast<double>(boot_clock_ns() - began_ns_) / 1e9;
}

// Sleeps after work that began at `since_ns`, so that work is only the plan's share of the time.
void Rebuild::rest(std::uint64_t since_ns) const {
  const auto worked = static_cast<double>(boot_clock_ns() - since_ns);
  std::this_thread::sleep_for(
      std::chrono::nanoseconds(static_cast<std::int64_t>(worked * (1 / plan_.rebuild_share - 1))));
}

Status Rebuild::build() {
  const bool is_gentle = wish_.rows_beside && plan_.rebuild_share < 1;
  if (is_gentle) {
    (void)::setpriority(PRIO_PROCESS, 0, kLowestPriority);  // on Linux, only this thread's priority
  }
  const postgres::ConnectOptions options{.url = plan_.url,
                                         .application = "bloomery feed scan",
                                         .connect = plan_.connect,
                                         .answer = std::max(plan_.answer, kScanPatience),
                                         .stop = &stop_};
  RowKeys keys(plan_.keys, wish_.spellings);
  std::uint64_t capacity = plan_.capacity.value_or(0);
  if (!plan_.capacity) {
    std::uint64_t rows = wish_.rows_beside.value_or(0);
    if (!wish_.rows_beside) {
      BLOOMERY_ASSIGN_OR_RETURN(postgres::Connection connection, postgres::Connection::open(options));
      BLOOMERY_ASSIGN_OR_RETURN(rows, postgres::count_rows(connection, wish_.table));
    }
    capacity = std::max(kLeastCapacity, (rows + rows / 4) * keys.keys_per_row());
  }
  BLOOMERY_RETURN_IF_ERROR(sink_.begin_build(capacity));
  KeyBatch batch;
  postgres::CopyRow row;
  std::uint64_t began_ns = boot_clock_ns();
  BLOOMERY_ASSIGN_OR_RETURN(
      moment_, postgres::scan_at_one_moment(
                   options, wish_.table, plan_.table.columns, [&](std::string_view line) -> Status {
                     BLOOMERY_RETURN_IF_ERROR(row.read(line, plan_.table.columns.size()));
                     keys.add(row.fields(), batch);
                     rows_.fetch_add(1, std::memory_order_relaxed);
                     if (batch.size() < (is_gentle ? kGentleBatch : kBatch)) {
                       return {};
                     }
                     keys_ += batch.size();
                     const Status inserted = sink_.insert_scanned(batch);
                     batch.clear();
                     if (is_gentle) {
                       rest(began_ns);
                       began_ns = boot_clock_ns();
                     }
                     return inserted;
                   }));
  without_key_ = keys.without_key();
  keys_ += batch.size();
  return sink_.insert_scanned(batch);
}

}  // namespace bloomery::feed
