// Compressed input made of anything: an error or bytes, whatever pieces it is read in; never a hang.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>

#include "compress/decompress.h"

namespace {

using namespace bloomery;

class MemorySource final : public ByteSource {
 public:
  MemorySource(std::span<const std::byte> bytes, std::size_t piece) : bytes_(bytes), piece_(piece) {}
  Result<std::size_t> read(std::span<std::byte> out) override {
    const std::size_t count = std::min({out.size(), bytes_.size(), piece_});
    std::copy_n(bytes_.begin(), count, out.begin());
    bytes_ = bytes_.subspan(count);
    return count;
  }

 private:
  std::span<const std::byte> bytes_;
  std::size_t piece_;
};

// What reading in pieces of one size gives: a sum of all bytes and whether it ended well.
struct Outcome {
  std::uint64_t sum = 0;
  bool good = false;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome read_all(std::span<const std::byte> bytes, std::size_t piece) {
  constexpr std::size_t kMost = std::size_t{1} << 22;  // a bomb is let go on only so far
  auto source = decompressed(std::make_unique<MemorySource>(bytes, piece), "fuzz");
  Outcome outcome;
  if (!source) {
    return outcome;
  }
  std::array<std::byte, 4096> out{};
  for (std::size_t total = 0; total < kMost;) {
    const Result<std::size_t> count = (*source)->read(out);
    if (!count || *count == 0) {
      outcome.good = count.has_value();
      return outcome;
    }
    total += *count;
    for (std::size_t i = 0; i < *count; ++i) {
      outcome.sum = outcome.sum * 31 + std::to_integer<std::uint64_t>(out[i]);
    }
  }
  outcome.good = true;
  outcome.sum = 0;  // let go: where exactly depends on the pieces
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const Outcome whole = read_all(bytes, size + 1);
  const Outcome pieces = read_all(bytes, 1);
  if (whole.good != pieces.good || (whole.good && whole != pieces)) {
    std::abort();
  }
  return 0;
}
