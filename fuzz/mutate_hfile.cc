// HFiles whose blocks, indexes, Bloom filters, file info and trailer were changed, and whose checksums and offsets
// are right again.
//
//   seed file -> blocks, decompressed + trailer -> changed -> laid out anew: compressed, pointers moved to where
//   blocks are now, headers, checksums -> trailer
//
// A pointer is any offset and size of a block that stands in an index or a Bloom meta block; one that was changed
// stays changed. Every input is opened, walked in both directions, sought in, its filters are asked; some are
// verified, got from, counted and opened as a dialect, through a file in memory.
#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include "base/endian.h"
#include "bloomery/dialects/dialects.h"
#include "bloomery/hfile/hfile_writer.h"
#include "bloomery/table/get.h"
#include "bloomery/table/verify.h"
#include "fuzz/mutation.h"
#include "hfile/block_checksum.h"
#include "hfile/payload_compressor.h"
#include "hfile/trailer_writer.h"
#include "table/store_walk.h"
#include "tests/hfile/memory_files.h"
#include "tests/hfile/opened.h"

namespace {

using namespace bloomery;
using fuzz::Random;
using fuzz::require;
using hfile::BlockKind;

struct SeedBlock {
  hfile::BlockHeader header = {};
  std::uint64_t offset = 0;  // in the seed
  std::string payload = {};
  bool is_changed = false;
  std::string stored = {};  // the payload as it is in the seed
};

struct SeedFile {
  hfile::Trailer trailer = {};
  std::vector<SeedBlock> blocks = {};
};

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

SeedFile parsed(const std::string& file) {
  SeedFile seed;
  const auto bytes = std::as_bytes(std::span(file));
  seed.trailer = hfile::parse_trailer(bytes.last(hfile::kMaxTrailerBytes), file.size()).value();
  for (std::uint64_t at = 0; at < seed.trailer.offset;) {
    const auto header =
        hfile::parse_block_header(bytes.subspan(at).first<hfile::kBlockHeaderBytes>(), at).value();
    const auto block = hfile::make_block(hfile::BlockMemory::copy_of(bytes.subspan(at, header.on_disk_bytes)),
                                         at, seed.trailer.compression, 1 << 20)
                           .value();
    const auto stored =
        bytes.subspan(at + hfile::kBlockHeaderBytes, header.checked_bytes - hfile::kBlockHeaderBytes);
    seed.blocks.push_back({header, at, text_of(block->payload()), false, text_of(stored)});
    at += header.on_disk_bytes;
  }
  return seed;
}

// ---- Seeds: files of two dozen cells, one for each way to write them. ----

void write_cells(const std::string& path, const HFileWriteOptions& options) {
  HFileWriter writer = HFileWriter::create(path, options).value();
  for (int i = 0; i < 24; ++i) {
    char row[16];
    std::snprintf(row, sizeof row, "row-%05d", i / 2);
    const bool is_marker = i % 8 == 0;
    const std::string qualifier = is_marker ? "" : "q" + std::to_string(i % 2);
    const std::string tags = options.has_tags ? std::string("\0\3\1ab", 5) : std::string();
    const Cell cell{
        .key = {row, "f", qualifier, 1700000000000 - i, is_marker ? CellType::kDeleteFamily : CellType::kPut},
        .value = is_marker ? "" : "value",
        .tags = tags,
        .mvcc = i};
    require(writer.append(cell).has_value(), "a seed cannot be written");
  }
  require(writer.finish().has_value(), "a seed cannot be written");
}

std::vector<SeedFile> make_seeds() {
  using enum hfile::DataEncoding;
  const std::string path =
      (std::filesystem::temp_directory_path() / ("mutate_hfile_seed_" + std::to_string(::getpid()))).string();
  std::vector<SeedFile> seeds;
  const auto add = [&](HFileWriteOptions options) {
    options.may_replace = true;
    options.bytes_per_checksum = 512;
    write_cells(path, options);
    std::ifstream file(path, std::ios::binary);
    seeds.push_back(parsed({std::istreambuf_iterator<char>(file), {}}));
  };
  std::size_t i = 0;
  for (const auto compression :
       {hfile::Compression::kNone, hfile::Compression::kNone, hfile::Compression::kGz,
        hfile::Compression::kSnappy, hfile::Compression::kLz4, hfile::Compression::kZstd}) {
    for (const auto encoding : {kNone, kPrefix, kDiff, kFastDiff, kRowIndexV1}) {
      HFileWriteOptions options;
      options.compression = compression;
      options.encoding = encoding;
      options.block_bytes = i % 2 == 0 ? 300 : 65536;
      options.index_block_bytes = i % 3 == 0 ? 128 : 131072;
      options.index_min_entries = 2;
      options.has_tags = i % 4 < 2;
      options.tags_by_dictionary = i % 4 == 1 && encoding != kNone && encoding != kRowIndexV1;
      options.bloom.type =
          std::array{hbase::BloomType::kRow, hbase::BloomType::kRowCol, hbase::BloomType::kRowPrefix}[i % 3];
      options.bloom.prefix_bytes = i % 3 == 2 ? 7 : 0;
      options.bloom.chunk_bytes = 8;
      options.bloom.max_fold = 0;
      options.purpose = i % 5 == 0 ? HFilePurpose::kBulkLoad : HFilePurpose::kStore;
      add(options);
      ++i;
    }
  }
  std::filesystem::remove(path);
  return seeds;
}

// ---- Laying out. ----

struct Moved {
  std::uint64_t from;
  std::uint32_t from_bytes;
  std::uint64_t to;
  std::uint32_t to_bytes;
};

bool holds_pointers(BlockKind kind) {
  return kind != BlockKind::kData && kind != BlockKind::kEncodedData && kind != BlockKind::kBloomChunk &&
         kind != BlockKind::kFileInfo && kind != BlockKind::kMeta;
}

// Returns whether one was moved.
bool move_pointers(std::string& payload, const std::vector<Moved>& moved) {
  bool any = false;
  auto* const bytes = reinterpret_cast<std::byte*>(payload.data());
  for (std::size_t at = 0; at + 12 <= payload.size(); ++at) {
    const std::uint64_t offset = load_big64(bytes + at);
    if (offset >> 32 != 0) {
      continue;
    }
    const std::uint32_t size = load_big32(bytes + at + 8);
    for (const Moved& block : moved) {
      if (block.from == offset && block.from_bytes == size) {
        any = any || block.from != block.to || block.from_bytes != block.to_bytes;
        store_big(bytes + at, block.to);
        store_big(bytes + at + 8, block.to_bytes);
        at += 11;
        break;
      }
    }
  }
  return any;
}

std::string compressed(hfile::Compression compression, const std::string& payload) {
  static std::array<std::optional<hfile::PayloadCompressor>, 16> compressors;
  auto& compressor = compressors[static_cast<std::size_t>(compression)];
  if (!compressor) {
    compressor = hfile::PayloadCompressor::create(compression, HFileCodecs::kHBase).value();
  }
  std::string out(compressor->largest_stored(payload.size()), '\0');
  out.resize(compressor->compress(std::as_bytes(std::span(payload)), std::as_writable_bytes(std::span(out)))
                 .value());
  return out;
}

class Layout {
 public:
  explicit Layout(hfile::Compression compression) : compression_(compression) { last_of_kind_.fill(-1); }

  void add(SeedBlock block, bool keeps_previous) {
    const bool is_moved = holds_pointers(block.header.kind) && move_pointers(block.payload, moved_);
    std::string stored = compression_ == hfile::Compression::kNone ? block.payload
                         : block.is_changed || is_moved            ? compressed(compression_, block.payload)
                                                                   : block.stored;
    hfile::BlockHeader header = block.header;
    if (block.is_changed && header.uncompressed_bytes == block.header.uncompressed_bytes && !claims_) {
      header.uncompressed_bytes = static_cast<std::uint32_t>(block.payload.size());
    }
    header.checked_bytes = static_cast<std::uint32_t>(hfile::kBlockHeaderBytes + stored.size());
    header.bytes_per_checksum = std::max(header.bytes_per_checksum, 33U);
    header.on_disk_bytes = header.checked_bytes + 4 * header.checksum_count();
    std::int64_t& last = last_of_kind_[static_cast<std::size_t>(
        header.kind == BlockKind::kEncodedData ? BlockKind::kData : header.kind)];
    if (!keeps_previous) {
      header.previous_offset = last;
    }
    const std::uint64_t offset = out_.size();
    last = static_cast<std::int64_t>(offset);
    moved_.push_back({block.offset, block.header.on_disk_bytes, offset, header.on_disk_bytes});
    out_.resize(offset + hfile::kBlockHeaderBytes);
    hfile::write_block_header(reinterpret_cast<std::byte*>(out_.data()) + offset, header);
    out_ += stored;
    append_checksums(offset, header);
  }
  // The next block says its own size.
  void let_claim(bool claims) { claims_ = claims; }

  std::uint64_t moved(std::uint64_t offset) const {
    const auto found = std::ranges::find(moved_, offset, &Moved::from);
    return found == moved_.end() ? offset : found->to;
  }
  std::string finish(hfile::Trailer trailer) {
    trailer.file_info_offset = moved(trailer.file_info_offset);
    trailer.load_on_open_offset = moved(trailer.load_on_open_offset);
    for (auto* const data : {&trailer.first_data_block_offset, &trailer.last_data_block_offset}) {
      *data = *data ? std::optional(moved(**data)) : std::nullopt;
    }
    hfile::ByteWriter bytes;
    hfile::append_trailer(bytes, trailer);
    return std::move(out_) + std::string(bytes.text());
  }

 private:
  void append_checksums(std::uint64_t offset, const hfile::BlockHeader& header) {
    for (std::uint32_t at = 0; at < header.checked_bytes; at += header.bytes_per_checksum) {
      const std::uint32_t size = std::min(header.bytes_per_checksum, header.checked_bytes - at);
      std::array<std::byte, 4> sum;
      store_big(sum.data(), hfile::block_checksum(header.checksum,
                                                  std::as_bytes(std::span(out_)).subspan(offset + at, size)));
      out_ += text_of(sum);
    }
  }

  hfile::Compression compression_;
  bool claims_ = false;
  std::string out_;
  std::vector<Moved> moved_;
  std::array<std::int64_t, hfile::kBlockKinds> last_of_kind_;
};

// ---- Changing. ----

// What Zstandard or gzip make of many zeros, once: a bomb of that many bytes in a few kilobytes.
constexpr std::size_t kBombBytes = std::size_t{200} << 20;
const std::string& bomb(hfile::Compression compression) {
  static std::array<std::string, 16> bombs;
  std::string& made = bombs[static_cast<std::size_t>(compression)];
  if (made.empty()) {
    made = compressed(compression, std::string(kBombBytes, '\0'));
    made.shrink_to_fit();
  }
  return made;
}

void change_trailer(Random& random, hfile::Trailer& trailer) {
  const auto change32 = [&](std::uint32_t& field) {
    field = static_cast<std::uint32_t>(fuzz::changed_number(random, field)) & 0x7fffffff;
  };
  switch (random.below(10)) {
    case 0:
      return change32(trailer.data_index_count);
    case 1:
      return change32(trailer.meta_index_count);
    case 2:
      return change32(trailer.data_index_levels);
    case 3:
      trailer.entry_count = fuzz::changed_number(random, trailer.entry_count);
      return;
    case 4:
      trailer.file_info_offset = fuzz::changed_number(random, trailer.file_info_offset);
      return;
    case 5:
      trailer.load_on_open_offset = fuzz::changed_number(random, trailer.load_on_open_offset);
      return;
    case 6:
      trailer.first_data_block_offset =
          fuzz::changed_number(random, trailer.first_data_block_offset.value_or(0));
      return;
    case 7:
      trailer.last_data_block_offset =
          fuzz::changed_number(random, trailer.last_data_block_offset.value_or(0));
      return;
    case 8:
      trailer.compression = static_cast<hfile::Compression>(random.below(9));
      return;
    default:
      trailer.data_index_bytes = fuzz::changed_number(random, trailer.data_index_bytes);
  }
}

void change_blocks(Random& random, std::vector<SeedBlock>& blocks) {
  const std::size_t at = random.below(blocks.size());
  const std::size_t other = random.below(blocks.size());
  switch (random.below(12)) {
    case 0:
      std::swap(blocks[at], blocks[other]);
      return;
    case 1:
      blocks.insert(blocks.begin() + static_cast<std::ptrdiff_t>(at), SeedBlock(blocks[other]));
      return;
    case 2:
      if (blocks.size() > 1) {
        blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(at));
      }
      return;
    case 3:
      blocks[at].header.kind = static_cast<BlockKind>(random.below(hfile::kBlockKinds));
      return;
    case 4:
      blocks[at].payload = blocks[other].payload;
      break;
    case 5:
      blocks[at].payload.clear();
      break;
    case 6:
      blocks[at].header.checksum = static_cast<hfile::ChecksumType>(random.below(3));
      blocks[at].header.bytes_per_checksum =
          std::max<std::uint32_t>(33, static_cast<std::uint32_t>(fuzz::changed_number(random, 512)) & 0xffff);
      return;
    default:
      for (std::size_t n = 1 + random.below(3); n > 0; --n) {
        fuzz::change_bytes(random, blocks[at].payload);
      }
  }
  blocks[at].is_changed = true;
}

std::string make(Random& random) {
  static const std::vector<SeedFile> seeds = [] {
    (void)bomb(hfile::Compression::kGz);
    (void)bomb(hfile::Compression::kZstd);
    return make_seeds();
  }();
  const SeedFile& seed = seeds[random.below(seeds.size())];
  std::vector<SeedBlock> blocks = seed.blocks;
  hfile::Trailer trailer = seed.trailer;
  for (std::size_t n = 1 + random.below(2); n > 0; --n) {
    change_blocks(random, blocks);
  }
  Layout layout(trailer.compression);
  const hfile::Compression compression = trailer.compression;
  const bool is_zipped = compression == hfile::Compression::kGz || compression == hfile::Compression::kZstd;
  if (is_zipped && random.one_in(10000)) {
    SeedBlock& block = blocks[random.below(blocks.size())];
    block.is_changed = false;
    block.stored = bomb(compression);
    block.header.uncompressed_bytes = kBombBytes;
  }
  const std::size_t claiming = random.one_in(8) ? random.below(blocks.size()) : blocks.size();
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    layout.let_claim(i == claiming);
    if (i == claiming) {
      std::uint32_t& claimed = blocks[i].header.uncompressed_bytes;
      claimed = static_cast<std::uint32_t>(fuzz::changed_number(random, claimed)) & 0x7fffffff;
    }
    layout.add(std::move(blocks[i]), random.one_in(64));
  }
  const bool changes_trailer = random.one_in(4);
  if (changes_trailer) {
    change_trailer(random, trailer);
  }
  std::string file = layout.finish(trailer);
  if (random.one_in(16)) {
    fuzz::change_bytes(random, file);
  }
  return file;
}

// ---- Asking. ----

std::size_t steps(Result<bool> found, HFileScanner& scanner, Result<bool> (HFileScanner::*step)()) {
  std::size_t count = 0;
  for (; found && *found; found = (scanner.*step)()) {
    ++count;
  }
  require(found || !found.error().to_string().empty(), "an error without words");
  return count;
}

void ask_reader(const std::string& bytes) {
  const unsigned variant = static_cast<unsigned char>(bytes.empty() ? '\0' : bytes[bytes.size() / 2]);
  MemoryFiles files(bytes);
  const auto reader = open_in(
      files, "mutated",
      {.cache_bytes = (variant & 1) * (std::uint64_t{1} << 20), .keep_bloom_chunks = (variant & 2) != 0});
  if (!reader) {
    require(!reader.error().to_string().empty(), "an error without words");
    return;
  }
  HFileScanner scanner = reader->scan();
  (void)steps(scanner.seek_to_first(), scanner, &HFileScanner::next);
  (void)steps(scanner.seek_to_last(), scanner, &HFileScanner::previous);
  for (const char* const row : {"", "row-00005", "row-00011", "s"}) {
    if (scanner.seek(first_on_row(row)).value_or(false)) {
      const FlatKey key(scanner.cell().key);
      (void)scanner.seek_before(key.key());
      (void)scanner.previous();
    }
    (void)reader->may_contain_row(row);
    (void)reader->may_contain_column(row, "q0");
    (void)reader->may_contain_prefix(row);
    (void)reader->may_contain_delete_family(row);
  }
  (void)reader->may_contain_row({});
  (void)reader->mid_key();
  (void)reader->first_key();
  (void)reader->last_key();
  (void)reader->meta_block("none");
  (void)reader->facts();
}

// A file of the machine that is only in memory.
class FileInMemory {
 public:
  FileInMemory() : descriptor_(::memfd_create("mutated", MFD_CLOEXEC)) {
    require(descriptor_ >= 0, "no file in memory");
  }
  std::string hold(const std::string& bytes) const {
    const bool held =
        ::ftruncate(descriptor_, static_cast<off_t>(bytes.size())) == 0 &&
        ::pwrite(descriptor_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size());
    require(held, "no room in memory");
    return "/proc/self/fd/" + std::to_string(descriptor_);
  }

 private:
  int descriptor_;
};

void ask_table(const std::string& path) {
  const auto verified = verify_hfile(path);
  require(verified || !verified.error().to_string().empty(), "an error without words");
  for (const char* const row : {"row-00005", "s"}) {
    auto get = RowGet::open({path}, row, CellChoice::of({}, {.since = 1600000000000}), ExplainSkips::kYes);
    while (get && get->next().value_or(false)) {
    }
    if (get) {
      (void)get->files();
    }
  }
  if (const auto filter = open_dialect(path, "hbase")) {
    (void)(*filter)->facts();
    (void)(*filter)->current_fpp();
    (void)(*filter)->estimated_count();
    (void)(*filter)->may_contain("row-00005");
  }
  if (const auto file = hfile::open_hfile(path)) {
    std::size_t failed = 0;
    (void)table::walk_store({*file}, {.prefix_bytes = 3}, failed);
  }
}

void ask(const std::string& bytes) {
  static const FileInMemory file;
  ask_reader(bytes);
  if (bytes.size() % 4 == 0) {
    ask_table(file.hold(bytes));
  }
}

}  // namespace

int main(int argc, char** argv) {
  return bloomery::fuzz::run_mutator(argc, argv, {.name = "hfile", .make = make, .ask = ask});
}
