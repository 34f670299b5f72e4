#include "filter/spool/range_files.h"

#include <array>
#include <cerrno>
#include <utility>

#include "base/crc32c.h"
#include "base/endian.h"

namespace bloomery {
namespace {

// The hashes that are read from the spool at a time, if they are spread evenly.
constexpr std::uint64_t kTakenAtOnce = kBlockHashes;
// The bytes that are written at a time.
constexpr std::size_t kWrittenAtOnce = std::size_t{1} << 20;

// Returns a hash of both ids.
Hash128 mixed(const Hash128& a, const Hash128& b) {
  std::array<std::byte, 32> bytes;
  store_little(bytes.data(), a.low);
  store_little(bytes.data() + 8, a.high);
  store_little(bytes.data() + 16, b.low);
  store_little(bytes.data() + 24, b.high);
  return hash_bytes(std::span<const std::byte>(bytes), HashSpec{.id = HashId::kXxh3});
}

// Buffers small writes to a file.
class Pieces {
 public:
  explicit Pieces(AtomicFile& file) : file_(file) {}

  Status append(std::span<const std::byte> bytes) {
    waiting_.insert(waiting_.end(), bytes.begin(), bytes.end());
    return waiting_.size() >= kWrittenAtOnce ? flush() : Status();
  }
  Status flush() {
    BLOOMERY_RETURN_IF_ERROR(file_.append(waiting_));
    waiting_.clear();
    return {};
  }

 private:
  AtomicFile& file_;
  std::vector<std::byte> waiting_;
};

}  // namespace

std::string range_file_name(std::uint32_t index, std::uint32_t count) {
  return "range-" + std::to_string(index) + "-of-" + std::to_string(count) + ".hashes";
}

Result<RangeFilesWriter> RangeFilesWriter::create(FileSystem& files, const RangeFilesOptions& options) {
  if (options.ranges == 0 || options.ranges > kMaxRanges) {
    return Error::invalid_argument("ranges", "expected 1 to " + std::to_string(kMaxRanges) + ", found " +
                                                 std::to_string(options.ranges));
  }
  if (options.note.size() > kMaxMetadataBytes) {
    return Error::invalid_argument(
        "note", "expected at most 16 MiB, found " + std::to_string(options.note.size()) + " bytes");
  }
  BLOOMERY_ASSIGN_OR_RETURN(HashSpool spool, HashSpool::create(files, options.spool));
  return RangeFilesWriter(files, options, std::move(spool));
}

// Returns a native header that records hash, key options and note, and nothing else.
NativeHeader RangeFilesWriter::native_header() const {
  NativeHeader made;
  made.type = FilterType::kRibbon;
  made.hash = options_.hash;
  made.hash_key_id = key_id_of(options_.hash);
  made.keys = options_.keys;
  made.target_fpp = 1;
  made.metadata_bytes = options_.note.size();
  made.metadata_checksum = crc32c(std::as_bytes(std::span(options_.note)));
  return made;
}

Result<RangeFilesWriter::Written> RangeFilesWriter::finish(const std::atomic<bool>* cancelled) {
  BLOOMERY_RETURN_IF_ERROR(spool_.finish());
  const std::uint64_t steps = spool_.distinct_at_most() / kTakenAtOnce + 1;
  step_ = ~std::uint64_t{0} / steps;
  const NativeHeader native = native_header();
  const auto bytes_of_native = encode(native);
  std::vector<std::byte> seed(bytes_of_native.begin(), bytes_of_native.end());
  const auto note = std::as_bytes(std::span(options_.note));
  seed.insert(seed.end(), note.begin(), note.end());
  id_ = hash_bytes(std::span<const std::byte>(seed), HashSpec{.id = HashId::kXxh3});
  for (std::uint32_t index = 1; index <= options_.ranges; ++index) {
    BLOOMERY_RETURN_IF_ERROR(write_range(index, cancelled));
  }
  Written written{.keys = 0, .bytes = 0, .spooled_bytes = spool_.disk_bytes()};
  for (const Waiting& waiting : waiting_) {
    written.keys += waiting.front.envelope.hashes;
  }
  for (Waiting& waiting : waiting_) {
    waiting.front.envelope.id = written.keys == 0 ? Hash128{} : id_;
    waiting.front.native.capacity = written.keys;
    written.bytes += waiting.front.blocks_offset() + waiting.front.envelope.block_bytes;
    BLOOMERY_RETURN_IF_ERROR(waiting.file.write_at(0, encode(waiting.front)));
  }
  for (Waiting& waiting : waiting_) {
    BLOOMERY_RETURN_IF_ERROR(waiting.file.commit());
  }
  return written;
}

// Writes all of a file except its front, which needs facts of the entire run.
Status RangeFilesWriter::write_range(std::uint32_t index, const std::atomic<bool>* cancelled) {
  const std::string path = options_.directory + "/" + range_file_name(index, options_.ranges);
  BLOOMERY_ASSIGN_OR_RETURN(
      AtomicFile file,
      AtomicFile::create(*files_, path, {.if_exists = options_.if_exists, .cancelled = cancelled}));
  waiting_.push_back({.file = std::move(file), .front = {}});
  Waiting& waiting = waiting_.back();
  Pieces pieces(waiting.file);
  BLOOMERY_RETURN_IF_ERROR(pieces.append(std::vector<std::byte>(kSpreadFrontBytes)));
  BLOOMERY_RETURN_IF_ERROR(pieces.append(std::as_bytes(std::span(options_.note))));
  HashBlockWriter blocks([&pieces](std::span<const std::byte> bytes) { return pieces.append(bytes); });
  BLOOMERY_RETURN_IF_ERROR(copy_hashes(range_of_hashes(index, options_.ranges), blocks, cancelled));
  BLOOMERY_RETURN_IF_ERROR(blocks.finish());
  BLOOMERY_RETURN_IF_ERROR(pieces.flush());
  waiting.front.envelope = {.kind = SpreadKind::kRangeFile,
                            .index = index,
                            .count = options_.ranges,
                            .hashes = blocks.hashes(),
                            .block_bytes = blocks.bytes()};
  waiting.front.native = native_header();
  waiting.front.native.inserted = blocks.hashes();
  id_ = mixed(id_, blocks.digest());
  return {};
}

// Passes the hashes of a range to the writer, in steps that bound the memory.
Status RangeFilesWriter::copy_hashes(HashRange range, HashBlockWriter& blocks,
                                     const std::atomic<bool>* cancelled) {
  std::vector<std::uint64_t> taken;
  std::uint64_t last = range.lowest;
  for (;;) {
    last = range.highest - last > step_ ? last + step_ : range.highest;
    taken.clear();
    BLOOMERY_RETURN_IF_ERROR(spool_.read_through(last, taken));
    BLOOMERY_RETURN_IF_ERROR(blocks.add(taken));
    if (cancelled != nullptr && *cancelled) {
      return Error::io("range files", "write", EINTR);
    }
    if (last == range.highest) {
      return {};
    }
  }
}

RangeFile::RangeFile(File file, const FileFacts& facts, const SpreadFront& front)
    : file_(std::move(file)),
      facts_(facts),
      front_(front),
      blocks_(file_, {.offset = front.blocks_offset(),
                      .bytes = front.envelope.block_bytes,
                      .hashes = front.envelope.hashes,
                      .range = front.range()}) {}

Result<std::unique_ptr<RangeFile>> RangeFile::open(FileSystem& files, const std::string& path) {
  BLOOMERY_ASSIGN_OR_RETURN(File file, files.open(path, OpenFor::kReading));
  BLOOMERY_ASSIGN_OR_RETURN(const FileFacts facts, files.facts(file));
  BLOOMERY_ASSIGN_OR_RETURN(const SpreadFront front, read_spread_front(files, file, SpreadKind::kRangeFile));
  const NativeHeader& native = front.native;
  if (native.payload_bytes != 0 || native.inserted != front.envelope.hashes ||
      native.capacity < native.inserted || (front.envelope.id == Hash128{}) != (native.capacity == 0)) {
    return Error::corruption(path, kSpreadEnvelopeBytes, "expected the counts of a range file, found others");
  }
  std::vector<std::byte> note(native.metadata_bytes);
  BLOOMERY_RETURN_IF_ERROR(file.read_exactly_at(kSpreadFrontBytes, note));
  if (const std::uint32_t computed = crc32c(note); computed != native.metadata_checksum) {
    return Error::corruption(path, kSpreadFrontBytes,
                             "checksum of the note: expected " + std::to_string(native.metadata_checksum) +
                                 ", found " + std::to_string(computed));
  }
  return std::unique_ptr<RangeFile>(new RangeFile(std::move(file), facts, front));
}

}  // namespace bloomery
