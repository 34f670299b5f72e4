#include "store/compactor.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "store/no_memory.h"

namespace bloomery::store {
namespace {

// A turn merges so many bytes at most.
constexpr std::uint64_t kTurnBytes = std::uint64_t{4} << 20;
// No compaction of a region begins so soon after one that failed.
constexpr std::uint64_t kPauseMs = 60'000;

}  // namespace

Status Compactor::health() const {
  const std::lock_guard lock(health_mutex_);
  return health_;
}

// Returns the files of the family that should become one. Damaged ones stay where they are.
FileRange Compactor::choose_minor(const RegionFamily& family) const {
  const auto& files = family.files->files;
  FileRange chosen;
  for (std::size_t begin = 0; begin < files.size();) {
    std::vector<std::uint64_t> sizes;
    for (std::size_t i = begin; i < files.size() && !set_aside_.contains(files[i]->path()); ++i) {
      sizes.push_back(files[i]->file->file_bytes());
    }
    const FileRange range = choose_minor_compaction(sizes, store_.options());
    if (range.end - range.begin > chosen.end - chosen.begin) {
      chosen = {begin + range.begin, begin + range.end};
    }
    begin += sizes.size() + 1;
  }
  return chosen;
}

// Returns all files of the family if they are due to become one, or notes when they will be.
FileRange Compactor::choose_major(const Region& region, const RegionFamily& family) {
  std::vector<FileAge> ages;
  for (const auto& file : family.files->files) {
    if (set_aside_.contains(file->path())) {
      return {};
    }
    const auto created_ms = file->file->info().int64_of("hfile.CREATE_TIME_TS");
    ages.push_back({.name = file->name, .created_ms = created_ms ? created_ms->value_or(0) : 0});
    if (file->times && file->times->has_times()) {
      ages.back().oldest_ms = file->times->oldest;
    }
  }
  const auto schema = store_.schema_of(region.table());
  const FamilySchema& of_family = *schema->find(family.name);
  const auto due_ms =
      next_major_compaction(ages, of_family.min_versions == 0 ? of_family.time_to_live_ms : std::nullopt,
                            major_compaction_period(*schema, of_family, store_.options()), store_.options());
  if (due_ms && *due_ms < store_.environment().clock->now_ms()) {
    return {0, ages.size()};
  }
  due_ms_ = due_ms ? std::min(*due_ms, due_ms_.value_or(*due_ms)) : due_ms_;
  return {};
}

Compactor::ChosenFiles Compactor::choose(const Region& region, const RegionFamily& family) {
  const FileRange all = choose_major(region, family);
  return all.empty() ? ChosenFiles{choose_minor(family), false} : ChosenFiles{all, true};
}

// Sets a timer for the next major compaction, unless one comes before it.
void Compactor::look_again() {
  if (!due_ms_) {
    return;
  }
  const std::uint64_t steady_ms = store_.environment().clock->steady_ms();
  const std::int64_t now_ms = store_.environment().clock->now_ms();
  const std::uint64_t wait_ms = static_cast<std::uint64_t>(std::max<std::int64_t>(*due_ms_ - now_ms, 0)) + 1;
  if (timer_ms_ > steady_ms && timer_ms_ <= steady_ms + wait_ms) {
    return;
  }
  timer_ms_ = steady_ms + wait_ms;
  wake_after(wait_ms);
}

// Begins the compaction of the family with most files. Returns null if none is needed: then another one may
// begin.
Result<std::unique_ptr<Compaction>> Compactor::next() {
  const std::lock_guard lock(store_.flush_mutex());
  const std::uint64_t steady_ms = store_.environment().clock->steady_ms();
  std::shared_ptr<Region> region;
  RegionFamily* family = nullptr;
  ChosenFiles chosen;
  due_ms_.reset();
  const bool is_writable = static_cast<bool>(store_.health());  // else a change of tables may be half done
  for (const auto& each : is_writable ? store_.regions() : std::vector<std::shared_ptr<Region>>()) {
    if (!each->settings().compacts) {
      continue;
    }
    bool is_needed = false;
    for (RegionFamily& of_region : each->families()) {
      const ChosenFiles files = each->compacts_after > steady_ms ? ChosenFiles() : choose(*each, of_region);
      is_needed = is_needed || !files.files.empty();
      const auto count = [](const RegionFamily& of) { return of.files->files.size(); };
      if (!files.files.empty() && (family == nullptr || count(of_region) > count(*family))) {
        region = each;
        family = &of_region;
        chosen = files;
      }
    }
    each->is_crowded = each->is_crowded && is_needed;
  }
  if (family == nullptr) {
    look_again();
    is_busy_ = false;
    return std::unique_ptr<Compaction>();
  }
  const auto schema = store_.schema_of(region->table());
  auto begun =
      Compaction::begin(store_.files(), region, *family, *schema->find(family->name), store_.options(),
                        chosen.files, chosen.is_major, store_.environment().clock->now_ms());
  if (!begun) {
    pause(*region, begun.error());
  }
  return begun;
}

void Compactor::wake() {
  if (store_.options().compacts && !is_busy_.exchange(true)) {
    const Status posted = or_no_memory([this]() -> Status {
      post_turn();
      return {};
    });
    if (!posted) {  // the next flush wakes it again; what was posted may have ended already
      is_busy_ = false;
    }
  }
}

void Compactor::wake_after(std::uint64_t ms) {
  store_.environment().executor->post_after(ms, [compactor = weak_from_this()] {
    if (const auto locked = compactor.lock()) {
      locked->wake();
    }
  });
}

void Compactor::post_turn() {
  store_.environment().executor->post([compactor = weak_from_this()] {
    if (const auto locked = compactor.lock()) {
      const Status taken = or_no_memory([&]() -> Status {
        locked->take_turn();
        return {};
      });
      if (!taken) {
        locked->give_up();
      }
    }
  });
}

void Compactor::take_turn() {
  if (compaction_ == nullptr) {
    auto begun = next();
    if (begun && *begun == nullptr) {
      store_.environment().executor->wake();
      return;
    }
    compaction_ = begun ? *std::move(begun) : nullptr;
  }
  if (compaction_ != nullptr) {
    const auto merged =
        compaction_->step(std::clamp<std::uint64_t>(store_.options().flush_bytes / 8, 1, kTurnBytes));
    if (!merged || *merged) {
      (void)end(*std::exchange(compaction_, nullptr), merged ? Status() : Status(merged.error()));
    }
  }
  if (compaction_ == nullptr && waiting_ > 0) {
    is_busy_ = false;
    store_.environment().executor->wake();
    return;
  }
  post_turn();
}

// Without memory for a turn: the next flush begins anew, and nobody waits for it.
void Compactor::give_up() {
  ++failures_;
  compaction_.reset();
  (void)or_no_memory([this]() -> Status {
    for (const auto& region : store_.regions()) {
      region->is_crowded = false;
    }
    return {};
  });
  is_busy_ = false;
  store_.environment().executor->wake();
}

// Installs a complete compaction, or notes why there is none.
Status Compactor::end(Compaction& compaction, Status merged) {
  const std::lock_guard lock(store_.flush_mutex());
  const Status status = merged ? install(compaction) : merged;
  if (!status && !compaction.region()->is_dropped) {
    if (status.error().code() == ErrorCode::kCorruption) {
      set_aside_.insert(compaction.input_of(status.error()));
    }
    pause(*compaction.region(), status.error());
  }
  store_.environment().executor->wake();
  return status;
}

Status Compactor::install(Compaction& compaction) {
  BLOOMERY_RETURN_IF_ERROR(store_.health());
  BLOOMERY_ASSIGN_OR_RETURN(const bool is_wanted, compaction.prepare());
  if (!is_wanted) {
    return {};
  }
  Region& region = *compaction.region();
  const Status installed = or_no_memory([&]() -> Status {
    BLOOMERY_RETURN_IF_ERROR(compaction.install(store_.environment()));
    return store_.renew(region, compaction.description());
  });
  if (!installed) {  // the list on the disk may be the old one or the new one
    store_.fail(installed.error());
    return installed;
  }
  region.is_crowded = region.is_crowded && region.most_files() >= store_.options().most_files;
  ++compactions_;
  compacted_bytes_ += compaction.input_bytes();
  compaction.remove_inputs();
  const std::lock_guard lock(health_mutex_);
  health_ = {};
  return {};
}

// Writers do not wait for compactions that fail.
void Compactor::pause(Region& region, const Error& error) {
  ++failures_;
  region.compacts_after = store_.environment().clock->steady_ms() + kPauseMs;
  region.is_crowded = false;
  {
    const std::lock_guard lock(health_mutex_);
    health_ = error;
  }
  wake_after(kPauseMs);
  store_.environment().executor->wake();
}

Status Compactor::compact(const std::shared_ptr<Region>& region, CompactionKind kind) {
  ++waiting_;
  Status status;
  while (status && is_busy_.exchange(true)) {
    store_.environment().executor->wait([this] { return !is_busy_ || !store_.health(); });
    status = store_.health();
  }
  --waiting_;
  if (!status) {
    return status;
  }
  const Status compacted = or_no_memory([&]() -> Status {
    std::vector<std::string> names;
    {
      const std::lock_guard lock(store_.flush_mutex());
      for (const RegionFamily& family : region->families()) {
        names.push_back(family.name);
      }
    }
    for (const std::string& name : names) {
      BLOOMERY_RETURN_IF_ERROR(compact_family(region, name, kind));
    }
    return {};
  });
  is_busy_ = false;
  store_.environment().executor->wake();
  wake();
  return compacted;
}

// Returns null if there is nothing to compact, or the family is gone.
Result<std::unique_ptr<Compaction>> Compactor::begin(const std::shared_ptr<Region>& region,
                                                     const std::string& name, CompactionKind kind) {
  const std::lock_guard lock(store_.flush_mutex());
  BLOOMERY_RETURN_IF_ERROR(store_.health());
  RegionFamily* const family = region->find(name);
  const auto schema = store_.schema_of(region->table());
  if (region->is_dropped || schema == nullptr || family == nullptr || family->files->files.empty()) {
    return std::unique_ptr<Compaction>();
  }
  const ChosenFiles chosen = kind == CompactionKind::kMinor
                                 ? choose(*region, *family)
                                 : ChosenFiles{{0, family->files->files.size()}, true};
  if (chosen.files.empty()) {
    return std::unique_ptr<Compaction>();
  }
  return Compaction::begin(store_.files(), region, *family, *schema->find(name), store_.options(),
                           chosen.files, chosen.is_major, store_.environment().clock->now_ms());
}

Status Compactor::compact_family(const std::shared_ptr<Region>& region, const std::string& name,
                                 CompactionKind kind) {
  for (;;) {
    BLOOMERY_ASSIGN_OR_RETURN(const auto compaction, begin(region, name, kind));
    if (compaction == nullptr) {
      return {};
    }
    Result<bool> merged = false;
    while (merged && !*merged) {
      BLOOMERY_RETURN_IF_ERROR(store_.health());
      merged = compaction->step(kTurnBytes);
    }
    BLOOMERY_RETURN_IF_ERROR(end(*compaction, merged ? Status() : Status(merged.error())));
    if (kind == CompactionKind::kMajor) {
      return {};
    }
  }
}

}  // namespace bloomery::store
