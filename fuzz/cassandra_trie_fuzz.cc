// Any bytes as the files of an sstable of Cassandra in the format bti. The first two bytes are the size of the first
// file, CompressionInfo.db, and the next two that of Data.db; the rest is Partitions.db.
//
// The walk of a trie ends if it stops at a position that does not ascend, and data is read from inside of the file.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

#include "base/endian.h"
#include "base/memory_budget.h"
#include "codec/cassandra/compressed_data.h"
#include "codec/cassandra/partition_trie.h"

namespace {

using namespace bloomery;

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

void walk(std::span<const std::byte> file, CompressedData* data) {
  auto trie = PartitionTrie::open(file);
  if (!trie) {
    return;
  }
  std::uint64_t last = 0;
  for (std::size_t count = 0;; ++count) {
    require(count <= file.size());
    const auto place = trie->next();
    if (!place || !*place || (count > 0 && (*place)->position <= last)) {
      return;
    }
    last = (*place)->position;
    std::array<std::byte, 100> bytes;
    if (data != nullptr) {
      require(!data->read(last, bytes) || last + bytes.size() <= data->size());
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* input, std::size_t size) {
  const std::span<const std::byte> all = std::as_bytes(std::span(input, size));
  walk(all, nullptr);
  if (size < 4) {
    return 0;
  }
  const std::size_t info_size = load_big16(all.data());
  const std::size_t data_size = load_big16(all.data() + 2);
  if (size - 4 < info_size + data_size) {
    return 0;
  }
  const auto info = all.subspan(4, info_size);
  auto data = CompressedData::open(all.subspan(4 + info_size, data_size), info, *cassandra_layout("da"),
                                   std::make_shared<MemoryBudget>(std::uint64_t{16} << 20));
  walk(all.subspan(4 + info_size + data_size), data ? &*data : nullptr);
  return 0;
}
