// Any bytes as the pages of a column chunk: bytes 0 to 4 choose the codec, the type and the levels of its column.
//
// Reading ends with an error or with values that have the size of their type. It never crashes, hangs or allocates
// by what a length claims.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string_view>

#include "base/memory_budget.h"
#include "codec/parquet/chunk_values.h"

namespace {

using namespace bloomery;

constexpr std::size_t kChoiceBytes = 5;
constexpr std::uint64_t kMemory = std::uint64_t{64} << 20;

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

void read(std::span<const std::byte> input) {
  const auto choice = [&](std::size_t i) { return std::to_integer<std::uint32_t>(input[i]); };
  parquet::SchemaColumn column;
  column.path = "k";
  column.type.physical = static_cast<parquet::PhysicalType>(choice(1) % 8);
  column.type.length = static_cast<std::int32_t>(choice(2));
  column.definition_level = choice(3) % 4;
  column.repetition_level = choice(4) % 2;
  parquet::ColumnChunk chunk;
  chunk.path = "k";
  chunk.type = column.type.physical;
  chunk.codec = static_cast<std::int32_t>(choice(0) % 9);
  chunk.value_count = 30;
  chunk.pages = {.offset = kChoiceBytes, .length = static_cast<std::int64_t>(input.size() - kChoiceBytes)};
  const auto size = parquet::value_bytes(column.type);
  const auto memory = std::make_shared<MemoryBudget>(kMemory);
  std::uint64_t bytes = 0;
  const Status status = parquet::for_each_chunk_value(
      input, chunk, column, memory,
      [&](std::span<const std::string_view> values) -> Status {
        for (const std::string_view value : values) {
          require(!size || value.size() == *size);
          bytes += value.empty() ? 0 : static_cast<unsigned char>(value.back());  // so that it is read
        }
        return {};
      },
      [](std::uint64_t page_bytes) -> Status {
        require(page_bytes > 0);
        return {};
      });
  require(status || !status.error().to_string().empty());
  require(memory->used() == 0 && memory->most_used() <= kMemory);
  require(bytes < ~std::uint64_t{0});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > kChoiceBytes) {
    const auto input = std::as_bytes(std::span(data, size));
    read(input);
  }
  return 0;
}
