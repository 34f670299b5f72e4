#include "feed/rebuild.h"

#include <algorithm>
#include <utility>

#include "connect/postgres/copy_row.h"
#include "connect/postgres/table_watch.h"
#include "feed/row_keys.h"
#include "filter/leased/lease_page.h"

namespace bloomery::feed {
namespace {

// Keys that are inserted together.
constexpr std::size_t kBatch = 4096;

// A filter for a table that nearly is empty has room for it to grow.
constexpr std::uint64_t kLeastCapacity = 10'000;

// How long the scan may show no sign of life. To make its slot the server waits for all transactions that are writing.
constexpr std::chrono::milliseconds kScanPatience = std::chrono::minutes(10);

}  // namespace

Rebuild::Rebuild(const FeedPlan& plan, std::string table, std::uint64_t shape, FilterSink& sink)
    : plan_(plan),
      table_(std::move(table)),
      shape_(shape),
      sink_(sink),
      began_ns_(boot_clock_ns()),
      thread_([this] {
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

Status Rebuild::build() {
  const postgres::ConnectOptions options{.url = plan_.url,
                                         .application = "bloomery scan",
                                         .connect = plan_.connect,
                                         .answer = std::max(plan_.answer, kScanPatience),
                                         .stop = &stop_};
  std::uint64_t capacity = plan_.capacity.value_or(0);
  if (!plan_.capacity) {
    BLOOMERY_ASSIGN_OR_RETURN(postgres::Connection connection, postgres::Connection::open(options));
    BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t rows, postgres::count_rows(connection, table_));
    capacity = std::max(kLeastCapacity, rows + rows / 4);
  }
  BLOOMERY_RETURN_IF_ERROR(sink_.begin_build(capacity));
  RowKeys keys(plan_.keys);
  KeyBatch batch;
  postgres::CopyRow row;
  BLOOMERY_RETURN_IF_ERROR(postgres::scan_at_one_moment(
      options, table_, plan_.table.columns, [&](std::string_view line) -> Status {
        BLOOMERY_RETURN_IF_ERROR(row.read(line, plan_.table.columns.size()));
        keys.add(row.fields(), batch);
        rows_.fetch_add(1, std::memory_order_relaxed);
        if (batch.size() < kBatch) {
          return {};
        }
        const Status inserted = sink_.insert_scanned(batch);
        batch.clear();
        return inserted;
      }));
  without_key_ = keys.without_key();
  return sink_.insert_scanned(batch);
}

}  // namespace bloomery::feed
