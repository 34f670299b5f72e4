// A region of a store's table: its memstores, its files, and the view of both that readers have.
//
//   apply ──> the active memstore of each family
//                 freeze()                          one write at a time is led: nobody writes meanwhile
//             a frozen memstore, and a new active one
//                 a flush writes it to a file
//                 settle()                          the file takes the place of the frozen memstore
//             files, which a compaction makes one; renew() takes the new list of files
//
// A view never changes. It has for each family the files, then the frozen memstore, then the active one, as
// the readers of a table expect them. A reader takes the view and then the read point, so it sees all that
// was committed when it began.
//
// Threads: view() and version() from any thread; apply(), freeze(), settle() and renew() from the leader of
// the commit queue; the lists and new_files from the one flush or installed compaction. The settings change
// while nobody writes and nothing is flushed.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/table/table_schema.h"
#include "store/memstore.h"
#include "store/read_demand.h"
#include "store/table_settings.h"
#include "table/layout/file_list.h"
#include "table/layout/hbase_messages.h"
#include "table/read/store_file.h"

namespace bloomery::store {

struct FamilyView {
  std::string name = {};
  std::shared_ptr<const table::OpenStore> store = {};
};

struct RegionView {
  std::vector<FamilyView> families = {};

  // Returns null if the region has no such family.
  std::shared_ptr<const table::OpenStore> store_of(std::string_view family) const;
};

// A family of a region, as the leader and the flush see it.
struct RegionFamily {
  std::string name = {};
  std::string directory = {};
  std::optional<table::FileList> list = {};            // the tracker; always present
  std::shared_ptr<const table::OpenStore> files = {};  // without memstores
  // The files after a flush or a compaction, until settle() or renew() takes them; otherwise null.
  std::shared_ptr<const table::OpenStore> new_files = {};
  ReadDemand demand = {};     // of the gets so far, if the family chooses filters
  std::int64_t flushed = -1;  // the greatest sequence id of its files
  std::shared_ptr<Memstore> active = {};
  std::shared_ptr<Memstore> frozen = {};  // null unless it is being flushed
};

class Region {
 public:
  Region(table::RegionInfo info, std::string table, const TableSettings& settings);

  const table::RegionInfo& info() const { return info_; }
  const std::string& name() const { return name_; }
  // "namespace:table", or "table".
  const std::string& table() const { return table_; }
  const TableSettings& settings() const { return settings_; }
  void set_settings(const TableSettings& settings) { settings_ = settings; }
  bool has_row(std::string_view row) const {
    return info_.start <= row && (info_.end.empty() || row < info_.end);
  }

  std::shared_ptr<const RegionView> view() const;
  // Changes with the view.
  std::uint64_t version() const { return version_.load(std::memory_order_acquire); }
  // The bytes of the memstores.
  std::uint64_t memory_bytes() const { return memory_bytes_.load(std::memory_order_relaxed); }

  std::vector<RegionFamily>& families() { return families_; }
  const std::vector<RegionFamily>& families() const { return families_; }
  // Returns null if there is no such family.
  RegionFamily* find(std::string_view family);
  void add_family(RegionFamily family);
  // Makes a view of what the families have now.
  void publish();

  // Adds cells with their mvcc. Returns the bytes that the memstores have grown by. Errors: kCapacity, if
  // there is no memory; some cells may have been added. Precondition: all families exist.
  Result<std::uint64_t> apply(std::span<const Cell> cells, std::uint64_t mvcc);
  // Freezes the memstores that have cells. Returns false if none has. Precondition: none is frozen.
  bool freeze();
  // Takes the new files, and drops the frozen memstores, whose cells these have. Returns their bytes.
  std::uint64_t settle();
  // Takes the new files.
  void renew();

  // Forgets all memory of a region that is dropped. Returns its bytes. Precondition: no flush runs.
  std::uint64_t drop();

  // The sequence id of the oldest edit that is in no file yet, or nothing.
  std::optional<std::uint64_t> oldest_edit() const;
  // When the oldest edit of the active memstores was added, in steady ms.
  std::optional<std::uint64_t> first_edit_ms() const { return first_edit_ms_; }
  void note_first_edit(std::uint64_t steady_ms) { first_edit_ms_ = steady_ms; }

  // The most files of a family.
  std::size_t most_files() const;

  // Set while writers wait for a compaction.
  std::atomic<bool> is_crowded = false;
  // In steady ms: after a failed compaction there is none until then.
  std::atomic<std::uint64_t> compacts_after = 0;
  // Set while a flush is wanted or runs.
  std::atomic<bool> is_flush_wanted = false;
  std::atomic<bool> is_dropped = false;
  // Set while the active memstores have edits that no log has. Of the leader.
  bool has_unlogged = false;

 private:
  table::RegionInfo info_;
  std::string name_;
  std::string table_;
  TableSettings settings_;
  std::vector<RegionFamily> families_;  // ascending by name
  std::atomic<std::uint64_t> memory_bytes_ = 0;
  std::uint64_t frozen_bytes_ = 0;
  std::optional<std::uint64_t> oldest_active_;
  std::optional<std::uint64_t> oldest_frozen_;
  std::optional<std::uint64_t> first_edit_ms_;
  mutable std::mutex mutex_;  // guards view_
  std::shared_ptr<const RegionView> view_;
  std::atomic<std::uint64_t> version_ = 1;
};

}  // namespace bloomery::store
