// Any bytes as a table of LevelDB or RocksDB whose every key is read and asked. Reading ends; keys are in order, as it
// promises; a block is read once, so that no small file costs a long time.
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

#include "base/memory_budget.h"
#include "codec/sstable/table_entries.h"
#include "codec/sstable/table_file.h"

namespace {

using namespace bloomery;

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

void read_all(const sstable::TableFile& table, const sstable::EntriesForm& form) {
  auto entries = sstable::TableEntries::open(table, form);
  if (!entries) {
    return;
  }
  std::string last;
  bool has_last = false;
  while (true) {
    const Result<bool> more = entries->next();
    if (!more) {
      has_last = false;
      require(!more.error().to_string().empty());
      continue;
    }
    if (!*more) {
      break;
    }
    require(form.order == sstable::KeyOrder::kOther || !has_last || entries->user_key() >= last);
    last = entries->user_key();
    has_last = true;
  }
  require(entries->offset() <= table.bytes().size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> file = std::as_bytes(std::span(data, size));
  const auto table = sstable::TableFile::open(file, MemoryBudget::of_file({}, size));
  if (table) {
    for (const bool has_two_levels : {false, true}) {
      read_all(*table, {.has_two_levels = has_two_levels});
      read_all(*table, {.index = {.internal_keys = false, .delta_handles = true, .is_bytewise = false},
                        .has_two_levels = has_two_levels,
                        .order = sstable::KeyOrder::kOther});
    }
    read_all(*table, {.index = {.first_keys = true}});
  }
  return 0;
}
