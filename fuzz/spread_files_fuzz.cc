// Range files and parts made of anything: an error, or hashes and a filter that hold together. Never a crash, a hang
// or an allocation that the bytes do not back. Checksums would stop every input at once, so those of most inputs are
// made right first.
//
// The first byte says what is done: bit 0, whether checksums are left alone; the others choose nothing.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <unistd.h>

#include "base/crc32c.h"
#include "base/endian.h"
#include "bloomery/filter/ribbon_filter.h"
#include "filter/any/static_part.h"
#include "filter/spool/range_files.h"

namespace {

using namespace bloomery;

constexpr std::size_t kNativeAt = kSpreadEnvelopeBytes;
constexpr std::size_t kBlockChecksumAt = 32;

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

// A plan for more keys has shards that no short input holds.
bool is_small(std::span<const std::byte> file) {
  return file.size() < kSpreadFrontBytes || load_little64(file.data() + kNativeAt + 48) <= 1'000'000;
}

void make_block_checksums_right(std::span<std::byte> blocks) {
  while (blocks.size() >= kHashBlockHeaderBytes) {
    const std::size_t size =
        std::min<std::size_t>(load_little32(blocks.data() + 4), blocks.size() - kHashBlockHeaderBytes);
    store_little(blocks.data() + 28, crc32c(blocks.subspan(kHashBlockHeaderBytes, size)));
    store_little(blocks.data() + kBlockChecksumAt, crc32c(blocks.first(kBlockChecksumAt)));
    blocks = blocks.subspan(kHashBlockHeaderBytes + size);
  }
}

void make_checksums_right(std::span<std::byte> file) {
  if (file.size() < kSpreadFrontBytes) {
    return;
  }
  const std::uint64_t behind = file.size() - kSpreadFrontBytes;
  const std::uint64_t block_bytes = std::min(load_little64(file.data() + 32), behind);
  store_little(file.data() + 60, crc32c(file.first(60)));
  std::byte* const native = file.data() + kNativeAt;
  std::span<std::byte> rest = file.subspan(kSpreadFrontBytes, behind - block_bytes);
  const std::uint64_t payload = std::min<std::uint64_t>(load_little64(native + 88), rest.size());
  const std::uint64_t directory =
      std::min(shard_directory_bytes(std::min(load_little32(native + 132), 1U << 20)), payload);
  store_little(native + 112, crc32c(rest.first(directory)));
  store_little(native + 116, crc32c(rest.subspan(payload)));
  store_little(native + 188, crc32c(std::span(native, 188)));
  make_block_checksums_right(file.last(block_bytes));
}

const std::string& folder() {
  static const std::string made = [] {
    std::string name = (std::filesystem::temp_directory_path() / "bloomery-fuzz-XXXXXX").string();
    require(::mkdtemp(name.data()) != nullptr);
    return name;
  }();
  return made;
}

void read_range_file(const std::string& path) {
  const auto file = RangeFile::open(FileSystem::real(), path);
  if (!file) {
    require(!file.error().to_string().empty());
    return;
  }
  const HashRange range = (*file)->front().range();
  std::vector<std::uint64_t> hashes;
  const bool whole = (*file)->read_through(range.lowest + (range.highest - range.lowest) / 3, hashes) &&
                     (*file)->read_through(range.highest, hashes) && (*file)->check_end();
  require(std::ranges::adjacent_find(hashes, std::greater_equal<>()) == hashes.end());
  require(
      std::ranges::all_of(hashes, [&](std::uint64_t h) { return h >= range.lowest && h <= range.highest; }));
  require(!whole || hashes.size() == (*file)->front().envelope.hashes);
}

void join_part(const std::string& path) {
  const std::string whole = folder() + "/whole";
  const std::vector<std::string> parts = {path};
  if (const Status joined = join_static_parts(FileSystem::real(), parts, whole, {.replace = true}); !joined) {
    require(!joined.error().to_string().empty());
    return;
  }
  const auto filter =
      RibbonFilter::open(whole, {.recorded_keys = RecordedKeys::kKnown, .without_secret = true});
  require(filter && filter->is_whole() && filter->verify());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  std::vector<std::byte> file(size - 1);
  std::ranges::copy(std::as_bytes(std::span(data + 1, size - 1)), file.begin());
  if (data[0] % 2 == 0) {
    make_checksums_right(file);
  }
  if (!is_small(file)) {
    return 0;
  }
  const std::string path = folder() + "/input";
  std::filesystem::remove(path);
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
  read_range_file(path);
  join_part(path);
  return 0;
}
