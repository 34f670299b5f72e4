#include "hfile/encoding/row_index.h"

#include <cstdint>

#include "base/endian.h"
#include "hfile/encoding/byte_reader.h"

namespace bloomery::hfile {

std::optional<RowIndex> RowIndex::over(std::span<const std::byte> payload) {
  if (payload.size() < 8) {
    return std::nullopt;
  }
  const std::uint64_t cell_bytes = load_big32(payload.data() + payload.size() - 4);
  if (cell_bytes > payload.size() - 8) {
    return std::nullopt;
  }
  RowIndex index;
  index.cells_ = payload.first(static_cast<std::size_t>(cell_bytes));
  const std::uint64_t rows = load_big32(payload.data() + cell_bytes);
  if (cell_bytes + 4 * rows + 8 != payload.size() || (rows == 0) != index.cells_.empty()) {
    return std::nullopt;
  }
  index.starts_ = payload.subspan(index.cells_.size() + 4, static_cast<std::size_t>(4 * rows));
  for (std::size_t i = 0; i < index.row_count(); ++i) {
    if (i == 0 ? index.start(i) != 0 : index.start(i) <= index.start(i - 1)) {
      return std::nullopt;
    }
  }
  const bool within = index.row_count() == 0 || index.start(index.row_count() - 1) < cell_bytes;
  return within ? std::optional(index) : std::nullopt;
}

std::size_t RowIndex::start(std::size_t i) const {
  return load_big32(starts_.data() + 4 * i);
}

std::optional<std::string_view> RowIndex::row_at(std::size_t i) const {
  ByteReader reader(cells_.subspan(start(i)));
  reader.number<std::uint64_t>();  // skips the lengths of key and value
  const std::string_view row = reader.bytes(reader.number<std::uint16_t>());
  return reader.failed() ? std::nullopt : std::optional(row);
}

std::optional<std::size_t> RowIndex::start_of(std::string_view row) const {
  std::size_t begin = 0;
  std::size_t end = row_count();
  while (end - begin > 1) {
    const std::size_t middle = begin + (end - begin) / 2;
    const auto middle_row = row_at(middle);
    if (!middle_row) {
      return std::nullopt;
    }
    (*middle_row <= row ? begin : end) = middle;
  }
  return row_count() == 0 ? 0 : start(begin);
}

}  // namespace bloomery::hfile
