// Tables of LevelDB and RocksDB whose filters, indexes, properties and footer were changed, and whose checksums and
// handles are right again. Made of entries here, since their writers are other systems:
//
//   data, not read | filter blocks | [filter index] | [properties] | metaindex | index | footer
//   block: contents, perhaps compressed | u8 compression | u32 checksum
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/endian.h"
#include "base/varint.h"
#include "bloomery/codec/leveldb_filter_block.h"
#include "bloomery/dialects/dialects.h"
#include "codec/sstable/block_checksum.h"
#include "compress/block_compress.h"
#include "fuzz/mutation.h"

namespace {

using namespace bloomery;
using fuzz::Random;
using fuzz::require;
using sstable::ChecksumKind;

using Entries = std::vector<std::pair<std::string, std::string>>;

std::string varint(std::uint64_t value) {
  std::array<std::byte, kMaxVarintBytes> bytes;
  const std::size_t size = write_varint(bytes.data(), value);
  return {reinterpret_cast<const char*>(bytes.data()), size};
}

template <typename Number>
std::string little(Number value) {
  std::string bytes(sizeof value, '\0');
  store_little(reinterpret_cast<std::byte*>(bytes.data()), value);
  return bytes;
}

std::uint64_t maybe_changed(Random& random, std::uint64_t value) {
  return random.one_in(40) ? fuzz::changed_number(random, value) : value;
}

// A block of entries, whose keys share what they can or nothing.
std::string block_of(Random& random, const Entries& entries) {
  std::string bytes;
  std::string before;
  const bool shares = random.one_in(2);
  for (const auto& [key, value] : entries) {
    const auto [in_key, in_before] = std::ranges::mismatch(key, before);
    const std::size_t shared = shares ? static_cast<std::size_t>(in_key - key.begin()) : 0;
    bytes += varint(maybe_changed(random, shared)) + varint(maybe_changed(random, key.size() - shared)) +
             varint(maybe_changed(random, value.size())) + key.substr(shared) + value;
    before = key;
  }
  return bytes + little(std::uint32_t{0}) + little(static_cast<std::uint32_t>(maybe_changed(random, 1)));
}

void change_entries(Random& random, Entries& entries) {
  if (entries.empty()) {
    return;
  }
  const std::size_t at = random.below(entries.size());
  switch (random.below(6)) {
    case 0:
      std::swap(entries[at], entries[random.below(entries.size())]);
      return;
    case 1:
      entries.insert(entries.begin() + static_cast<std::ptrdiff_t>(at),
                     entries[random.below(entries.size())]);
      return;
    case 2:
      entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(at));
      return;
    case 3:
      return fuzz::change_bytes(random, entries[at].first);
    default:
      return fuzz::change_bytes(random, entries[at].second);
  }
}

struct Handle {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;

  std::string bytes() const { return varint(offset) + varint(size); }
};

std::string compressed(BlockCodec codec, const std::string& contents) {
  BlockCompressor compressor = BlockCompressor::create(codec).value();
  std::string out(compressor.largest_compressed(contents.size()), '\0');
  out.resize(compressor.compress(std::as_bytes(std::span(contents)), std::as_writable_bytes(std::span(out)))
                 .value());
  return out;
}

// Contents that are large only when they are decompressed, once.
constexpr std::size_t kBombBytes = std::size_t{200} << 20;
const std::string& bomb() {
  static const std::string made = [] {
    std::string packed = compressed(BlockCodec::kZstd, std::string(kBombBytes, '\0'));
    packed.shrink_to_fit();
    return packed;
  }();
  return made;
}

class Table {
 public:
  Table(Random& random, bool is_rocksdb)
      : random_(random),
        is_rocksdb_(is_rocksdb),
        checksum_(is_rocksdb ? static_cast<ChecksumKind>(random.below(5)) : ChecksumKind::kCrc32c),
        file_(100, 'd') {}  // the data block

  // Changes the contents, compresses some, and repairs the checksum.
  Handle add(std::string contents) {
    if (random_.one_in(4)) {
      fuzz::change_bytes(random_, contents);
    }
    char kind = 0;
    if (random_.one_in(4)) {
      const bool is_zstd = random_.one_in(2);
      kind = is_zstd ? (is_rocksdb_ ? 7 : 2) : 1;
      std::uint64_t size = contents.size();
      const bool is_bomb = is_zstd && random_.one_in(20000);
      contents = is_bomb ? bomb() : compressed(is_zstd ? BlockCodec::kZstd : BlockCodec::kSnappy, contents);
      size = is_bomb ? kBombBytes : size;
      if (is_zstd && is_rocksdb_) {
        contents = varint(maybe_changed(random_, size)) + contents;
      }
    }
    const Handle handle{file_.size(), contents.size()};
    contents += random_.one_in(100) ? static_cast<char>(random_.below(9)) : kind;
    file_ += contents + little(sstable::block_checksum(checksum_, std::as_bytes(std::span(contents))));
    return {maybe_changed(random_, handle.offset), maybe_changed(random_, handle.size)};
  }
  Handle add(Entries entries) {
    if (random_.one_in(4)) {
      change_entries(random_, entries);
    }
    return add(block_of(random_, entries));
  }
  std::uint64_t size() const { return file_.size(); }

  std::string finish(const Handle& metaindex, const Handle& index) {
    std::string handles = metaindex.bytes() + index.bytes();
    handles.resize(40, '\0');
    if (is_rocksdb_) {
      file_ += static_cast<char>(checksum_);
      file_ += handles + little(static_cast<std::uint32_t>(maybe_changed(random_, 5)));
      file_ += little(std::uint64_t{0x88e241b785f4cff7});
    } else {
      file_ += handles + little(std::uint64_t{0xdb4775248b80fb57});
    }
    if (random_.one_in(20)) {
      fuzz::change_bytes(random_, file_);
    }
    return std::move(file_);
  }

 private:
  Random& random_;
  bool is_rocksdb_;
  ChecksumKind checksum_;
  std::string file_;
};

std::string internal(const std::string& key) {
  return key + std::string("\1\1\0\0\0\0\0\0", 8);
}

Entries index_entries(Random& random, std::size_t count, const std::vector<Handle>& handles) {
  Entries entries;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string key = "key" + std::to_string(100 + i * 10);
    entries.emplace_back(random.one_in(50) ? key : internal(key), handles[i % handles.size()].bytes());
  }
  return entries;
}

std::string leveldb_filter_block(Random& random) {
  LevelDbFilterBlockWriter writer(static_cast<int>(1 + random.below(20)));
  for (std::uint64_t offset = 0; offset < 3; ++offset) {
    require(writer.start_block(offset * 2048 * random.below(3)).has_value() || offset > 0, "a seed");
    writer.add_key("key" + std::to_string(100 + offset * 10));
  }
  return writer.finish().value();
}

std::string leveldb_table(Random& random) {
  Table table(random, false);
  const Handle filter = table.add(leveldb_filter_block(random));
  const Handle metaindex = table.add(Entries{{"filter.leveldb.BuiltinBloomFilter2", filter.bytes()}});
  const Handle index = table.add(index_entries(random, random.below(5), {{0, 20}, {25, 20}, {50, 45}}));
  return table.finish(metaindex, index);
}

// Full filters of RocksDB, made once.
const std::vector<std::string>& rocksdb_filters() {
  static const std::vector<std::string> made = [] {
    std::vector<std::string> filters = {""};
    for (const char* const name : {"rocksdb:fastlocal", "rocksdb:ribbon", "rocksdb:legacy"}) {
      const std::vector<std::string_view> keys = {"key100", "key110", "key120"};
      auto builder = build_dialect(name, {.capacity = 3, .fpp = 0.01, .bits_per_key = {}}).value();
      require(builder->add(keys).has_value(), "a seed");
      filters.emplace_back();
      require(builder->finish().value()->append_to(filters.back()).has_value(), "a seed");
    }
    return filters;
  }();
  return made;
}

std::string rocksdb_table(Random& random) {
  Table table(random, true);
  const bool is_partitioned = random.one_in(2);
  const auto& filters = rocksdb_filters();
  std::vector<Handle> parts;
  for (std::size_t n = is_partitioned ? 1 + random.below(4) : 1; n > 0; --n) {
    parts.push_back(table.add(filters[random.below(filters.size())]));
  }
  const bool says_size = random.one_in(2);
  Handle filter = parts.front();
  if (is_partitioned) {
    filter = table.add(index_entries(random, parts.size(), parts));
  }
  Entries properties;
  const auto number = [&](const char* name, std::uint64_t value) {
    properties.emplace_back(name, varint(maybe_changed(random, value)));
  };
  properties.emplace_back("rocksdb.block.based.table.whole.key.filtering", random.one_in(20) ? "0" : "1");
  properties.emplace_back("rocksdb.comparator", random.one_in(20) ? "other" : "leveldb.BytewiseComparator");
  number("rocksdb.data.size", 100);
  if (says_size) {
    number("rocksdb.filter.size", filter.size);
  }
  number("rocksdb.index.key.is.user.key", random.below(2));
  number("rocksdb.index.value.is.delta.encoded", random.below(2));
  number("rocksdb.num.entries", 3);
  const Handle property_block = table.add(properties);
  const Handle metaindex = table.add(Entries{{is_partitioned ? "partitionedfilter.rocksdb.BuiltinBloomFilter"
                                                             : "fullfilter.rocksdb.BuiltinBloomFilter",
                                              filter.bytes()},
                                             {"rocksdb.properties", property_block.bytes()}});
  const Handle index = table.add(index_entries(random, 1, {{0, 95}}));
  return table.finish(metaindex, index);
}

std::string make(Random& random) {
  (void)bomb();  // with the seeds, before memory is watched
  switch (random.below(16)) {
    case 0: {
      std::string filter = leveldb_filter_block(random);
      fuzz::change_bytes(random, filter);
      return filter;
    }
    case 1: {
      std::string filter = rocksdb_filters()[random.below(rocksdb_filters().size())];
      fuzz::change_bytes(random, filter);
      return filter;
    }
    default:
      return random.one_in(2) ? leveldb_table(random) : rocksdb_table(random);
  }
}

void ask(const std::string& file) {
  static const std::vector<std::string_view> keys = {"key100", "key110", "key120", "key200", "a", ""};
  const auto bytes = std::as_bytes(std::span(file));
  (void)recognise_dialects(bytes);
  for (const char* const name : {"leveldb", "leveldb:block", "leveldb:raw", "leveldb:raw,forced", "rocksdb",
                                 "rocksdb:fastlocal,forced", "rocksdb:ribbon", "rocksdb:legacy,forced"}) {
    const auto filter = view_dialect(bytes, name);
    if (!filter) {
      require(!filter.error().to_string().empty(), "an error without words");
      continue;
    }
    const DialectFacts facts = (*filter)->facts();
    require(facts.set_bits <= facts.bits, "more bits set than there are");
    const double fpp = (*filter)->current_fpp();
    require(fpp >= 0 && fpp <= 1, "an fpp that is none");
    (void)(*filter)->estimated_count();
    std::array<std::uint64_t, 1> answers = {};
    (*filter)->may_contain_batch(keys, answers);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      require((*filter)->may_contain(keys[i]) == ((answers[0] >> i & 1) != 0), "a batch answers otherwise");
    }
    std::string written;
    require((*filter)->append_to(written).has_value(), "a file that cannot be written");
  }
}

}  // namespace

int main(int argc, char** argv) {
  return bloomery::fuzz::run_mutator(argc, argv, {.name = "sstable", .make = make, .ask = ask});
}
