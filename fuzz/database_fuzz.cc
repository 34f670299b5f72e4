// Any bytes as the files of a database of LevelDB or RocksDB beside its tables: a MANIFEST, a write-ahead log, a record of
// each. Reading them ends in an error or in facts that hold; it never crashes, hangs or allocates by what a size claims.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/memory_budget.h"
#include "codec/sstable/live_files.h"
#include "codec/sstable/log_records.h"
#include "codec/sstable/version_edit.h"
#include "codec/sstable/write_batch.h"

namespace {

using namespace bloomery;

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

Status count_key(std::uint32_t, std::string_view) {
  return {};
}

void read_log(std::span<const std::byte> file, std::uint64_t number) {
  sstable::LogRecords log(file, number, "log");
  std::size_t bytes = 0;
  while (log.next().value_or(false)) {
    bytes += log.record().size();
    require(log.offset() < file.size());
    (void)sstable::visit_write_batch(log.record(), log.offset(), count_key);
  }
  require(bytes <= file.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> file = std::as_bytes(std::span(data, size));
  const auto budget = MemoryBudget::of_file({}, size);
  read_log(file, 0);
  read_log(file, size == 0 ? 1 : data[0]);
  const auto live = sstable::LiveFiles::read(file, "manifest", budget);
  if (live) {
    require(live->families().contains(0));
  } else {
    require(!live.error().to_string().empty());
  }
  const auto edit = sstable::read_version_edit(file, 0, budget);
  require(!edit || edit->added.size() <= size);
  (void)sstable::visit_write_batch(file, 0, count_key);
  return 0;
}
