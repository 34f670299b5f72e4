#include "python/column_hashes.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace bloomery::python {
namespace {

// The number of keys whose views or numbers are on the stack together.
constexpr std::size_t kKeysOnStack = 256;

void hash_numbers(std::span<const std::uint64_t> numbers, const HashSpec& spec, std::span<Hash128> hashes) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    hashes[i] = hash_of_8_bytes(numbers[i], spec);
  }
}

}  // namespace

void hash_column(const KeyColumn& column, std::size_t first, const HashSpec& given,
                 std::span<Hash128> hashes) {
  const HashSpec spec = given;  // a copy stays in registers
  std::array<std::uint64_t, kKeysOnStack> numbers;
  std::array<std::string_view, kKeysOnStack> views;
  std::string room;
  for (std::size_t done = 0; done < hashes.size(); done += kKeysOnStack) {
    const std::span<Hash128> piece = hashes.subspan(done, std::min(kKeysOnStack, hashes.size() - done));
    if (column.is_integer()) {
      const auto read = std::span(numbers).first(piece.size());
      column.read_integers(first + done, read);
      hash_numbers(read, spec, piece);
    } else {
      const auto read = std::span(views).first(piece.size());
      column.read_bytes(first + done, read, room);
      hash_batch(read, spec, piece);
    }
  }
}

}  // namespace bloomery::python
