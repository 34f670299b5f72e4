#include "codec/redisbloom/dump.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/endian.h"
#include "base/file.h"

namespace bloomery::redisbloom {
namespace {

constexpr std::uint64_t kRecordBytes = 16;
constexpr std::uint64_t kHeaderIterator = 1;
constexpr std::uint64_t kMaxChunkBytes = std::uint64_t{16} << 20;
constexpr std::string_view kHeaderSuffix = ".header";

constexpr const char* kDumpSubject = "redisbloom dump";

struct Record {
  std::uint64_t iterator;
  std::span<const std::byte> bytes;
  std::uint64_t offset;  // offset of `bytes` in the file

  bool is_end() const { return iterator == 0 && bytes.empty(); }
};

// Precondition: offset <= file.size().
Result<Record> read_record(std::span<const std::byte> file, std::uint64_t offset) {
  const std::uint64_t left = file.size() - offset;
  if (left < kRecordBytes) {
    return Error::corruption(kDumpSubject, offset, "16 bytes of iterator and length", left);
  }
  const std::uint64_t length = load_little64(file.data() + offset + 8);
  if (length > left - kRecordBytes) {
    return Error::corrupt_field(kDumpSubject, offset + 8, "length",
                                "at most " + std::to_string(left - kRecordBytes), length);
  }
  return Record{.iterator = load_little64(file.data() + offset),
                .bytes = file.subspan(offset + kRecordBytes, length),
                .offset = offset + kRecordBytes};
}

bool begins_like_stream(std::span<const std::byte> file) {
  const Result<Record> record = read_record(file, 0);
  return record && record->iterator == kHeaderIterator && read_chain_header(record->bytes, kRecordBytes);
}

// Copies chunks into the links of a chain, one after the other.   Calls: load* finish
class ChunkLoader {
 public:
  explicit ChunkLoader(ScalingChain& chain) : chain_(chain) {}

  std::uint64_t loaded() const { return loaded_; }

  // `offset` is the chunk's offset in its file.
  Status load(std::span<const std::byte> chunk, std::uint64_t offset) {
    const std::size_t links = chain_.header().links.size();
    const std::uint64_t left = link_ < links ? chain_.bytes_of(link_).size() - in_link_ : 0;
    if (chunk.empty() || chunk.size() > left) {
      return Error::corrupt_field(kDumpSubject, offset, "chunk",
                                  "1 to the " + std::to_string(left) + " bytes that its link lacks",
                                  chunk.size());
    }
    std::ranges::copy(chunk, chain_.bytes_of(link_).subspan(in_link_).begin());
    loaded_ += chunk.size();
    in_link_ += chunk.size();
    if (chunk.size() == left) {
      ++link_;
      in_link_ = 0;
    }
    return {};
  }
  Status finish(std::uint64_t offset) const {
    if (link_ < chain_.header().links.size()) {
      return Error::corrupt_field(kDumpSubject, offset, "chunks",
                                  std::to_string(chain_.header().data_bytes()) + " bytes", loaded_);
    }
    return {};
  }

 private:
  ScalingChain& chain_;
  std::size_t link_ = 0;
  std::uint64_t in_link_ = 0;
  std::uint64_t loaded_ = 0;
};

Result<Dump> read_stream(std::span<const std::byte> file, const Record& first) {
  BLOOMERY_ASSIGN_OR_RETURN(ChainHeader header, read_chain_header(first.bytes, first.offset));
  if (header.data_bytes() > file.size()) {
    return Error::corruption(kDumpSubject, first.offset,
                             "links of " + std::to_string(header.data_bytes()) + " bytes in a file of " +
                                 std::to_string(file.size()));
  }
  BLOOMERY_ASSIGN_OR_RETURN(ScalingChain chain, ScalingChain::zeroed(std::move(header)));
  Dump dump{.chain = std::move(chain)};
  ChunkLoader loader(dump.chain);
  std::uint64_t offset = first.offset + first.bytes.size();
  while (offset < file.size() && !dump.has_end) {
    BLOOMERY_ASSIGN_OR_RETURN(const Record record, read_record(file, offset));
    offset = record.offset + record.bytes.size();
    dump.has_end = record.is_end();
    if (dump.has_end) {
      continue;
    }
    BLOOMERY_RETURN_IF_ERROR(loader.load(record.bytes, record.offset));
    if (record.iterator != kHeaderIterator + loader.loaded()) {
      return Error::corrupt_field(kDumpSubject, record.offset - kRecordBytes, "iterator",
                                  std::to_string(kHeaderIterator + loader.loaded()), record.iterator);
    }
  }
  BLOOMERY_RETURN_IF_ERROR(loader.finish(offset));
  if (offset != file.size()) {
    return Error::corruption(kDumpSubject, offset, "the end",
                             std::to_string(file.size() - offset) + " bytes more");
  }
  return dump;
}

std::string chunk_path(const std::string& name, std::uint64_t number) {
  return name + ".chunk" + std::to_string(number);
}

// Counts the chunk files in the header's directory. Errors: kCorruption unless their total size is `bytes`.
Result<std::uint64_t> count_chunks(const std::string& name, std::uint64_t bytes) {
  std::uint64_t found = 0;
  for (std::uint64_t number = 0;; ++number) {
    const Result<FileFacts> facts = FileSystem::real().facts(chunk_path(name, number));
    if (!facts && facts.error().code() != ErrorCode::kNotFound) {
      return facts.error();
    }
    if (facts && facts->is_regular && facts->size_bytes <= bytes - found) {
      found += facts->size_bytes;
    } else if (facts || found != bytes) {
      return Error::corrupt_field(
          kDumpSubject, 0, "chunks",
          std::to_string(bytes) + " bytes in " + chunk_path(name, 0) + " and after it",
          (facts ? "other ones" : std::to_string(found)) + " up to number " + std::to_string(number));
    } else {
      return number;
    }
  }
}

Status load_chunk_file(const std::string& path, ChunkLoader& loader) {
  FileSystem& files = FileSystem::real();
  BLOOMERY_ASSIGN_OR_RETURN(const File file, files.open(path, OpenFor::kReading));
  BLOOMERY_ASSIGN_OR_RETURN(const FileFacts facts, files.facts(file));
  if (facts.size_bytes == 0) {  // an empty file cannot be mapped
    return loader.load({}, 0);
  }
  BLOOMERY_ASSIGN_OR_RETURN(const MappedFile mapping,
                            files.map(file, facts.size_bytes, MapAccess::kReadOnly));
  const Status loaded = loader.load(mapping.bytes(), 0);
  BLOOMERY_RETURN_IF_ERROR(mapping.status());
  return loaded;
}

Result<Dump> read_header_and_chunks(std::span<const std::byte> file, const std::string& path) {
  BLOOMERY_ASSIGN_OR_RETURN(ChainHeader header, read_chain_header(file, 0));
  if (!std::string_view(path).ends_with(kHeaderSuffix)) {
    return Error::invalid_argument("redisbloom dump",
                                   "a header alone: expected the file NAME.header beside NAME.chunk0, ...");
  }
  const std::string name = path.substr(0, path.size() - kHeaderSuffix.size());
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t chunks, count_chunks(name, header.data_bytes()));
  BLOOMERY_ASSIGN_OR_RETURN(ScalingChain chain, ScalingChain::zeroed(std::move(header)));
  Dump dump{.chain = std::move(chain)};
  ChunkLoader loader(dump.chain);
  for (std::uint64_t number = 0; number < chunks; ++number) {
    const std::string chunk_file = chunk_path(name, number);
    BLOOMERY_RETURN_IF_ERROR(in_file(load_chunk_file(chunk_file, loader), chunk_file));
  }
  BLOOMERY_RETURN_IF_ERROR(loader.finish(file.size()));
  return dump;
}

Status write_record(std::uint64_t iterator, std::span<const std::byte> bytes,
                    const DialectFilter::Sink& sink) {
  std::array<std::byte, kRecordBytes> front;
  store_little(front.data(), iterator);
  store_little(front.data() + 8, std::uint64_t{bytes.size()});
  BLOOMERY_RETURN_IF_ERROR(sink(front));
  return bytes.empty() ? Status() : sink(bytes);
}

}  // namespace

bool looks_like_dump(std::span<const std::byte> file) {
  return begins_like_stream(file) || read_chain_header(file, 0);
}

Result<Dump> read_dump(std::span<const std::byte> file, const std::string& path) {
  if (read_chain_header(file, 0)) {
    return read_header_and_chunks(file, path);
  }
  BLOOMERY_ASSIGN_OR_RETURN(const Record first, read_record(file, 0));
  if (first.iterator != kHeaderIterator) {
    return Error::corrupt_field(kDumpSubject, 0, "iterator of the header", "1", first.iterator);
  }
  return read_stream(file, first);
}

Status write_dump(const ScalingChain& chain, bool with_end, const DialectFilter::Sink& sink) {
  const std::string header = chain_header_bytes(chain.header());
  BLOOMERY_RETURN_IF_ERROR(write_record(kHeaderIterator, std::as_bytes(std::span(header)), sink));
  std::uint64_t iterator = kHeaderIterator;
  for (std::size_t link = 0; link < chain.header().links.size(); ++link) {
    std::span<const std::byte> left = chain.bytes_of(link);
    while (!left.empty()) {
      const auto chunk = left.first(std::min<std::size_t>(left.size(), kMaxChunkBytes));
      iterator += chunk.size();
      BLOOMERY_RETURN_IF_ERROR(write_record(iterator, chunk, sink));
      left = left.subspan(chunk.size());
    }
  }
  return with_end ? write_record(0, {}, sink) : Status();
}

}  // namespace bloomery::redisbloom
