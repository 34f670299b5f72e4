#include "store/region.h"

#include <algorithm>
#include <utility>

namespace bloomery::store {

std::shared_ptr<const table::OpenStore> RegionView::store_of(std::string_view family) const {
  const auto found = std::ranges::find(families, family, &FamilyView::name);
  return found == families.end() ? nullptr : found->store;
}

Region::Region(table::RegionInfo info, std::string table, const TableSettings& settings)
    : info_(std::move(info)),
      name_(info_.encoded_name()),
      table_(std::move(table)),
      settings_(settings),
      view_(std::make_shared<RegionView>()) {}

std::shared_ptr<const RegionView> Region::view() const {
  const std::lock_guard lock(mutex_);
  return view_;
}

RegionFamily* Region::find(std::string_view family) {
  const auto found = std::ranges::find(families_, family, &RegionFamily::name);
  return found == families_.end() ? nullptr : &*found;
}

void Region::add_family(RegionFamily family) {
  const auto after = std::ranges::upper_bound(families_, family.name, {}, &RegionFamily::name);
  families_.insert(after, std::move(family));
}

void Region::publish() {
  auto view = std::make_shared<RegionView>();
  for (const RegionFamily& family : families_) {
    std::vector<std::shared_ptr<const table::MemoryCells>> memory;
    for (const auto& memstore : {family.frozen, family.active}) {
      if (memstore != nullptr) {
        memory.push_back(memstore);
      }
    }
    view->families.push_back({family.name, table::with_memory(*family.files, memory)});
  }
  {
    const std::lock_guard lock(mutex_);
    view_ = std::move(view);
  }
  version_.fetch_add(1, std::memory_order_release);
}

Result<std::uint64_t> Region::apply(std::span<const Cell> cells, std::uint64_t mvcc) {
  bool is_new_memstore = false;
  std::uint64_t grown = 0;
  RegionFamily* family = nullptr;
  for (Cell cell : cells) {
    if (family == nullptr || family->name != cell.key.family) {
      family = find(cell.key.family);
    }
    if (family->active == nullptr) {
      family->active = std::make_shared<Memstore>(settings_.flush_bytes);
      is_new_memstore = true;
    }
    cell.mvcc = static_cast<std::int64_t>(mvcc);
    const std::uint64_t before = family->active->bytes();
    BLOOMERY_RETURN_IF_ERROR(family->active->add(cell));
    grown += family->active->bytes() - before;
  }
  if (!oldest_active_) {
    oldest_active_ = mvcc;
  }
  if (grown > 0) {
    memory_bytes_.fetch_add(grown, std::memory_order_relaxed);
  }
  if (is_new_memstore) {
    publish();
  }
  return grown;
}

bool Region::freeze() {
  bool is_any = false;
  for (RegionFamily& family : families_) {
    family.frozen = std::exchange(family.active, nullptr);
    is_any = is_any || family.frozen != nullptr;
  }
  if (is_any) {
    frozen_bytes_ = memory_bytes();
    oldest_frozen_ = std::exchange(oldest_active_, std::nullopt);
    first_edit_ms_.reset();
    has_unlogged = false;
    publish();
  } else {
    oldest_active_.reset();  // its family was removed
  }
  return is_any;
}

std::uint64_t Region::settle() {
  for (RegionFamily& family : families_) {
    family.frozen.reset();
  }
  oldest_frozen_.reset();
  renew();
  memory_bytes_.fetch_sub(frozen_bytes_, std::memory_order_relaxed);
  return std::exchange(frozen_bytes_, 0);
}

void Region::renew() {
  for (RegionFamily& family : families_) {
    if (family.new_files != nullptr) {
      family.files = std::move(family.new_files);
    }
  }
  publish();
}

std::size_t Region::most_files() const {
  std::size_t most = 0;
  for (const RegionFamily& family : families_) {
    most = std::max(most, family.files->files.size());
  }
  return most;
}

std::uint64_t Region::drop() {
  is_dropped = true;
  (void)freeze();
  return settle();
}

std::optional<std::uint64_t> Region::oldest_edit() const {
  return oldest_frozen_ ? oldest_frozen_ : oldest_active_;
}

}  // namespace bloomery::store
