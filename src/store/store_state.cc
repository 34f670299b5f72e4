#include "store/store_state.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/message.h"
#include "store/flush.h"
#include "store/no_memory.h"

namespace bloomery::store {
namespace {

// Unsynced entries, and the mark of synced ones, are on the disk so soon.
constexpr std::uint64_t kTendMs = 1000;

}  // namespace

Region& StoreTableState::region_of(std::string_view row) const {
  const auto start = [](const std::shared_ptr<Region>& region) -> std::string_view {
    return region->info().start;
  };
  return **std::prev(std::ranges::upper_bound(regions, row, {}, start));
}

StoreState::StoreState(const Environment& environment, const StoreOptions& options, StoreFiles files)
    : environment_(environment),
      options_(options),
      files_(std::move(files)),
      queue_([this](std::span<Write* const> group) { lead(group); }),
      compactor_(std::make_shared<Compactor>(*this)) {}

StoreCounters StoreState::counters() const {
  return {.writes = writes_,
          .groups = groups_,
          .syncs = syncs_,
          .flushes = flushes_,
          .waits = waits_,
          .compactions = compactor_->compactions(),
          .compacted_bytes = compactor_->compacted_bytes(),
          .failed_compactions = compactor_->failures()};
}

StoreTablePointer StoreState::table(std::string_view name) const {
  const std::lock_guard lock(tables_mutex_);
  const auto found = tables_.find(name);
  return found == tables_.end() ? nullptr : found->second;
}

std::vector<std::string> StoreState::tables() const {
  const std::lock_guard lock(tables_mutex_);
  std::vector<std::string> names;
  for (const auto& [name, table] : tables_) {
    names.push_back(name);
  }
  return names;
}

std::vector<std::shared_ptr<Region>> StoreState::regions() const {
  const std::lock_guard lock(tables_mutex_);
  std::vector<std::shared_ptr<Region>> regions;
  for (const auto& [name, table] : tables_) {
    regions.insert(regions.end(), table->regions.begin(), table->regions.end());
  }
  return regions;
}

std::shared_ptr<const TableSchema> StoreState::schema_of(std::string_view name) const {
  const auto found = table(name);
  return found == nullptr ? nullptr : found->schema.load();
}

void StoreState::add_table(const std::string& name, StoreTablePointer table) {
  const std::lock_guard lock(tables_mutex_);
  for (const auto& region : table->regions) {
    last_region_id_ = std::max(last_region_id_, region->info().id);
  }
  tables_[name] = std::move(table);
}

void StoreState::remove_table(const std::string& name) {
  const std::lock_guard lock(tables_mutex_);
  tables_.erase(name);
}

std::uint64_t StoreState::new_region_id(const table::TableName& table, const SplitKeys& splits) {
  const std::lock_guard lock(tables_mutex_);
  const auto now = static_cast<std::uint64_t>(std::max<std::int64_t>(environment_.clock->now_ms(), 0));
  last_region_id_ = std::max(now, last_region_id_ + 1);
  const auto has_gone = [&] {
    for (std::size_t i = 0; i < splits.region_count(); ++i) {
      const table::RegionInfo region{.table = table,
                                     .id = last_region_id_,
                                     .start = std::string(i == 0 ? std::string_view() : splits.start_of(i))};
      if (gone_regions_.contains(region.encoded_name())) {
        return true;
      }
    }
    return false;
  };
  while (!gone_regions_.empty() && has_gone()) {
    ++last_region_id_;
  }
  return last_region_id_;
}

Status StoreState::health() const {
  if (!is_read_only_.load(std::memory_order_acquire)) {
    return {};
  }
  const std::lock_guard lock(health_mutex_);
  return health_;
}

Status StoreState::check_open() const {
  return is_closed_
             ? Status(Error::invalid_argument(files_.root(), "expected an open store, found it closed"))
             : Status();
}

void StoreState::fail(const Error& error) {
  {
    const std::lock_guard lock(health_mutex_);
    if (health_) {
      health_ = or_no_memory([&]() -> Status {
        return Error(error.code(), files_.root(),
                     message("is read-only until it is opened again, because ", error.to_string()))
            .with_errno(error.errno_value());
      });
    }
    is_read_only_.store(true, std::memory_order_release);
  }
  environment_.executor->wake();
}

// Appends the write to the log's buffer. Precondition: sequence_ is that of the write.
Status StoreState::append(const Write& write) {
  entry_.region = write.region->name();
  entry_.table = write.region->table();
  entry_.sequence_id = sequence_;
  entry_.write_time = static_cast<std::uint64_t>(std::max<std::int64_t>(environment_.clock->now_ms(), 0));
  entry_.cells.assign(write.cells.begin(), write.cells.end());
  return log_->append(entry_);
}

// Does for the group what its most demanding write wants.
Status StoreState::make_durable(std::span<Write* const> group) {
  Durability most = Durability::kSkipWal;
  for (const Write* write : group) {
    most = write->status ? std::max(most, write->durability) : most;
  }
  if (most == Durability::kFsyncWal) {
    ++syncs_;
    return log_->sync();
  }
  return most == Durability::kSyncWal ? log_->write() : Status();
}

Status StoreState::apply(std::span<Write* const> group) {
  std::uint64_t sequence = read_point_.load(std::memory_order_relaxed);
  for (const Write* write : group) {
    ++sequence;
    if (!write->status) {
      continue;
    }
    const bool is_first = !write->region->first_edit_ms().has_value();
    BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t grown, write->region->apply(write->cells, sequence));
    if (grown > 0) {  // seldom: arenas grow by blocks
      memory_bytes_.fetch_add(grown, std::memory_order_relaxed);
    }
    if (is_first) {
      write->region->note_first_edit(environment_.clock->steady_ms());
    }
    if (write->region->memory_bytes() >= write->region->settings().flush_bytes) {
      want_flush(*write->region);
    }
  }
  read_point_.store(sequence, std::memory_order_release);
  return {};
}

Status StoreState::lead_alone(const std::function<Status()>& work) {
  BLOOMERY_RETURN_IF_ERROR(health());
  return work();
}

// Every write of the group has a sequence id, also one that the log refuses, so that the read point is the
// sequence id of the newest write.
Status StoreState::lead_writes(std::span<Write* const> group) {
  BLOOMERY_RETURN_IF_ERROR(health());
  for (Write* write : group) {
    ++sequence_;
    if (write->region->is_dropped) {
      write->status = Error(ErrorCode::kNotFound, write->region->table(),
                            "expected a table, found that it was dropped or truncated meanwhile");
      continue;
    }
    const TableSettings& settings = write->region->settings();
    if (settings.is_read_only) {
      write->status = Error::invalid_argument(
          "table", message("expected one that is not READONLY, found ", write->region->table()));
      continue;
    }
    if (write->durability == Durability::kUseDefault) {
      write->durability = settings.durability;
    }
    if (write->durability == Durability::kSkipWal) {
      write->region->has_unlogged = true;
    } else {
      write->status = or_no_memory([&] { return append(*write); });
    }
  }
  BLOOMERY_RETURN_IF_ERROR(make_durable(group));
  BLOOMERY_RETURN_IF_ERROR(apply(group));
  BLOOMERY_RETURN_IF_ERROR(log_->tend());
  writes_ += group.size();
  ++groups_;
  if (log_->old_logs() > options_.most_logs) {
    want_flushes_of_old_logs();
  }
  tend_later();
  return {};
}

// Without memory for a step, the store is read-only as after any other failed step.
void StoreState::lead(std::span<Write* const> group) {
  Write& first = *group.front();
  if (first.alone != nullptr) {
    first.status = or_no_memory([&] { return lead_alone(*first.alone); });
    return;
  }
  const Status led = or_no_memory([&] { return lead_writes(group); });
  if (!led) {
    fail(led.error());
    for (Write* write : group) {
      write->status = or_no_memory([&] { return health(); });
    }
  }
}

// Has the log written and its mark synced within a second.
void StoreState::tend_later() {
  if (is_tending_) {
    return;
  }
  is_tending_ = true;
  environment_.executor->post_after(kTendMs, [self = weak_from_this()] {
    const auto state = self.lock();
    if (state == nullptr || state->is_closed_) {
      return;
    }
    const Status tended = or_no_memory([&] {
      return state->run_alone([&]() -> Status {
        state->is_tending_ = false;
        BLOOMERY_RETURN_IF_ERROR(state->log_->sync());
        const Status status = state->log_->tend();
        if (state->log_->has_unsynced_mark()) {
          state->tend_later();
        }
        return status;
      });
    });
    if (!tended) {
      state->fail(tended.error());
    }
  });
}

std::shared_ptr<Region> StoreState::shared(const Region& region) const {
  const std::lock_guard lock(tables_mutex_);
  const auto table = tables_.find(region.table());
  if (table == tables_.end()) {
    return nullptr;
  }
  for (const auto& found : table->second->regions) {
    if (found.get() == &region) {
      return found;
    }
  }
  return nullptr;
}

// Posts a flush, unless one is wanted already.
void StoreState::want_flush(Region& region) {
  if (region.is_flush_wanted.exchange(true)) {
    return;
  }
  try {
    environment_.executor->post([self = weak_from_this(), region = shared(region)] {
      const auto state = self.lock();
      if (state != nullptr && region != nullptr && !state->is_closed_) {
        (void)state->flush(region);  // a failure makes the store read-only
      }
    });
  } catch (...) {
    region.is_flush_wanted = false;  // so that the next one who wants it tries again
    throw;
  }
}

void StoreState::want_flushes_of_old_logs() {
  const std::uint64_t oldest = log_->oldest_log().value_or(0);
  for (const auto& region : regions()) {
    if (region->oldest_edit() && *region->oldest_edit() <= oldest) {
      want_flush(*region);
    }
  }
}

std::shared_ptr<Region> StoreState::biggest_region() const {
  const auto all = regions();
  const auto biggest = std::ranges::max_element(all, {}, &Region::memory_bytes);
  return biggest == all.end() ? nullptr : *biggest;
}

bool StoreState::has_room(const Region& region) const {
  const bool is_full = memory_bytes_.load(std::memory_order_relaxed) >= options_.memory_bytes;
  return (!is_full && !region.is_crowded.load(std::memory_order_relaxed)) || is_read_only_.load();
}

// Waits until the memstores have room again, and the region has few files. The biggest region is flushed for
// it, and then the next one: writers that found room together may have left more than one region holds.
Status StoreState::wait_for_room(Region& region, const WriteOptions& options) {
  while (!has_room(region)) {
    const std::uint64_t ended = flushes_ended_.load();
    const bool is_full = memory_bytes_.load(std::memory_order_relaxed) >= options_.memory_bytes;
    const auto biggest = is_full ? biggest_region() : nullptr;
    if (biggest != nullptr) {
      want_flush(*biggest);
    }
    if (!options.waits) {
      return Error::capacity(files_.root(),
                             is_full ? message("the memstores have ", memory_bytes_.load(), " bytes of ",
                                               options_.memory_bytes, "; flushes do not keep up")
                                     : message("region ", region.name(), " has ", options_.most_files,
                                               " files or more of a family; compactions do not keep up"));
    }
    ++waits_;
    environment_.executor->wait([&] { return has_room(region) || flushes_ended_.load() != ended; });
  }
  return {};
}

Status StoreState::commit(Region& region, std::span<const Cell> cells, const WriteOptions& options) {
  BLOOMERY_RETURN_IF_ERROR(wait_for_room(region, options));
  Write write{.region = &region, .cells = cells, .durability = options.durability};
  for (const Cell& cell : cells) {
    write.size_bytes += cell.key.row.size() + cell.key.qualifier.size() + cell.value.size();
  }
  return queue_.commit(write);
}

Status StoreState::run_alone(const std::function<Status()>& work) {
  return queue_.run_alone(work);
}

// Returns the greatest sequence id up to which all edits are in files. Leader only.
std::uint64_t StoreState::settled_sequence() const {
  std::uint64_t settled = sequence_;
  for (const auto& region : regions()) {
    if (const auto oldest = region->oldest_edit()) {
      settled = std::min(settled, *oldest - 1);
    }
  }
  return settled;
}

// The cells are in files that the trackers list: the view changes, and logs that nobody needs leave.
Status StoreState::settle(Region& region, std::uint64_t sequence) {
  memory_bytes_.fetch_sub(region.settle(), std::memory_order_relaxed);
  BLOOMERY_RETURN_IF_ERROR(append_flush_marker(*log_, region, sequence_ + 1, sequence, environment_));
  ++sequence_;
  read_point_.store(sequence_, std::memory_order_release);
  return log_->remove_settled(settled_sequence());
}

// Precondition: flush_mutex_ is held.
Status StoreState::flush_alone(std::span<const std::shared_ptr<Region>> regions) {
  std::uint64_t sequence = 0;
  std::vector<Region*> frozen;
  const auto freeze = [&]() -> Status {
    for (const auto& region : regions) {
      region->is_flush_wanted = false;
    }
    if (std::ranges::all_of(regions, [](const auto& region) { return region->is_dropped.load(); })) {
      return {};
    }
    // What a file has is also in the log that is on the disk, so that a crash leaves no hole in other
    // regions.
    BLOOMERY_RETURN_IF_ERROR(log_->sync());
    sequence = sequence_;
    for (const auto& region : regions) {
      if (!region->is_dropped && region->freeze()) {
        frozen.push_back(region.get());
      }
    }
    if (environment_.on_freeze) {
      environment_.on_freeze();
    }
    return {};
  };
  BLOOMERY_RETURN_IF_ERROR(run_alone(freeze));
  for (Region* const region : frozen) {
    const auto schema = table(region->table())->schema.load();
    BLOOMERY_RETURN_IF_ERROR(write_frozen(files_, *region, *schema, options_, sequence, *environment_.clock));
    BLOOMERY_RETURN_IF_ERROR(run_alone([&] { return settle(*region, sequence); }));
    ++flushes_;
    region->is_crowded = region->settings().compacts && region->most_files() >= options_.most_files;
    compactor_->wake();
  }
  return {};
}

Status StoreState::flush(std::span<const std::shared_ptr<Region>> regions,
                         const std::function<Status()>& then) {
  const std::lock_guard lock(flush_mutex_);
  Status status = or_no_memory([&] { return flush_alone(regions); });
  if (!status) {
    fail(status.error());
  }
  ++flushes_ended_;
  environment_.executor->wake();
  return status && then ? or_no_memory(then) : status;
}

// The region's new files take the place of those that were compacted.
Status StoreState::renew(Region& region, std::string_view description) {
  const Status renewed = run_alone([&]() -> Status {
    region.renew();
    BLOOMERY_RETURN_IF_ERROR(
        append_compaction_marker(*log_, region, sequence_ + 1, description, environment_));
    ++sequence_;
    read_point_.store(sequence_, std::memory_order_release);
    return {};
  });
  if (!renewed) {
    fail(renewed.error());
  }
  return renewed;
}

Status StoreState::change_tables(const std::function<Status(std::uint64_t)>& work) {
  const std::lock_guard lock(flush_mutex_);
  return change_tables_alone(work);
}

Status StoreState::change_tables_alone(const std::function<Status(std::uint64_t)>& work) {
  // The writes before it are on the disk first, so that a crash leaves no change without them.
  Status changed = or_no_memory([&] {
    return run_alone([&]() -> Status {
      BLOOMERY_RETURN_IF_ERROR(log_->sync());
      return work(sequence_);
    });
  });
  // Without the disk or without memory, a part of the change may be done.
  const bool may_be_partial = !changed && (changed.error().code() == ErrorCode::kIo ||
                                           changed.error().code() == ErrorCode::kCapacity);
  if (may_be_partial) {
    fail(changed.error());
  }
  return changed;
}

void StoreState::raise_sequence(std::uint64_t sequence) {
  sequence_ = std::max(sequence_, sequence);
  read_point_.store(sequence_, std::memory_order_release);
}

void StoreState::drop(Region& region) {
  memory_bytes_.fetch_sub(region.drop(), std::memory_order_relaxed);
}

Status StoreState::begin(std::uint64_t sequence, std::unique_ptr<StoreLog> log) {
  sequence_ = sequence;
  read_point_.store(sequence, std::memory_order_release);
  log_ = std::move(log);
  BLOOMERY_RETURN_IF_ERROR(log_->remove_settled(settled_sequence()));
  compactor_->wake();
  return {};
}

// A region that is full is flushed at once: there is no log yet that a flush could need.
Status StoreState::replay(const std::shared_ptr<Region>& region, std::span<const Cell> cells,
                          std::uint64_t sequence) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t grown, region->apply(cells, sequence));
  memory_bytes_ += grown;
  if (!region->first_edit_ms()) {
    region->note_first_edit(environment_.clock->steady_ms());
  }
  const bool has_room = region->memory_bytes() < region->settings().flush_bytes;
  if (has_room && memory_bytes_ < options_.memory_bytes) {
    return {};
  }
  return write_memory(has_room ? *biggest_region() : *region, sequence);
}

Status StoreState::write_memory(Region& region, std::uint64_t sequence) {
  if (region.freeze()) {
    const auto schema = table(region.table())->schema.load();
    BLOOMERY_RETURN_IF_ERROR(write_frozen(files_, region, *schema, options_, sequence, *environment_.clock));
    memory_bytes_ -= region.settle();
  }
  return {};
}

Status StoreState::close() {
  if (is_closed_.exchange(true)) {
    return or_no_memory([&] { return health(); });
  }
  environment_.executor->stop();
  compactor_->stop();
  Status closed = or_no_memory([&] { return flush_and_close_log(); });
  files_.unlock();
  const Status is_closed = or_no_memory([&]() -> Status { return check_open(); });
  fail(is_closed.error());
  return closed;
}

Status StoreState::flush_and_close_log() {
  bool is_flushed = options_.flushes_at_close;
  std::vector<std::shared_ptr<Region>> flushed;
  BLOOMERY_RETURN_IF_ERROR(run_alone([&]() -> Status {
    is_flushed = is_flushed || log_->old_logs() >= options_.most_logs;
    for (const auto& region : regions()) {
      if (is_flushed || region->has_unlogged) {
        flushed.push_back(region);
      }
    }
    return {};
  }));
  for (const auto& region : flushed) {
    BLOOMERY_RETURN_IF_ERROR(flush(region));
  }
  return run_alone([&] { return log_->close(); });
}

}  // namespace bloomery::store
