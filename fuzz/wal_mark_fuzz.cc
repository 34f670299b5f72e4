// Any bytes as the mark of a log: an error, or a mark that is written and read alike.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "base/crc32c.h"
#include "base/endian.h"
#include "wal/log_mark.h"

namespace {

using namespace bloomery;

void check_marks(std::span<const std::byte> file) {
  const auto mark = wal::parse_log_mark(file);
  if (mark) {
    const auto slot = wal::mark_slot(*mark);
    const auto again = wal::parse_log_mark(slot);
    if (!again || *again != *mark) {
      std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  check_marks(bytes);
  // Checksums would stop every input: they are made good.
  std::vector<std::byte> sealed(bytes.begin(), bytes.end());
  for (std::size_t at = 0; at + wal::kMarkSlotBytes <= sealed.size(); at += wal::kMarkSlotBytes) {
    const std::span slot = std::span(sealed).subspan(at, wal::kMarkSlotBytes);
    store_big(&slot[wal::kMarkSlotBytes - 4], crc32c(slot.first(wal::kMarkSlotBytes - 4)));
  }
  check_marks(sealed);
  return 0;
}
