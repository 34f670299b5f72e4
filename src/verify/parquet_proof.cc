#include "verify/parquet_proof.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/atomic_file.h"
#include "base/memory.h"
#include "base/memory_budget.h"
#include "base/message.h"
#include "codec/parquet/chunk_values.h"
#include "codec/parquet/placed_filter.h"
#include "dialects/whole_file.h"
#include "filter/native/save_options.h"
#include "hash/xxh.h"
#include "verify/parquet_chunks.h"

namespace bloomery {
namespace {

// A range of the file that is a filter, pages or an index.
struct UsedRange {
  std::uint64_t begin;
  std::uint64_t end;
  bool is_filter;
};

// Refuses a file in which a new bitset would replace anything but its own bytes.
class UsedRanges {
 public:
  explicit UsedRanges(const std::shared_ptr<MemoryBudget>& memory) : memory_(memory) {}

  Status add(const parquet::FilePlace& place) {
    return place.offset > 0 && place.length > 0
               ? add({.begin = static_cast<std::uint64_t>(place.offset),
                      .end = static_cast<std::uint64_t>(place.offset + place.length),
                      .is_filter = false})
               : Status();
  }
  Status add(const UsedRange& range) {
    BLOOMERY_RETURN_IF_ERROR(memory_.add("ranges of a parquet file", 2 * sizeof(range)));
    ranges_.push_back(range);
    return {};
  }
  Status check() {
    std::ranges::sort(ranges_, {}, &UsedRange::begin);
    std::uint64_t end = 0;         // of all ranges so far
    std::uint64_t filter_end = 0;  // of all filters so far
    for (const UsedRange& range : ranges_) {
      if (range.begin < (range.is_filter ? end : filter_end)) {
        return Error::corruption(parquet::kFileSubject, range.begin,
                                 "expected filters with bytes of their own, found shared bytes");
      }
      end = std::max(end, range.end);
      filter_end = range.is_filter ? std::max(filter_end, range.end) : filter_end;
    }
    return {};
  }

 private:
  MemoryShare memory_;
  std::vector<UsedRange> ranges_;
};

class ParquetRepair {
 public:
  ParquetRepair(std::span<const std::byte> file, const ProofOptions& options, AtomicFile& output)
      : file_(file),
        options_(options),
        output_(output),
        memory_(MemoryBudget::of_file(options.memory, file.size())) {}

  Status run() {
    BLOOMERY_ASSIGN_OR_RETURN(const ParquetChunks chunks, ParquetChunks::open(file_, memory_));
    BLOOMERY_RETURN_IF_ERROR(check_ranges(chunks));
    BLOOMERY_RETURN_IF_ERROR(output_.append(file_));
    return chunks.for_each(
        [&](const parquet::ColumnChunk& chunk, const parquet::SchemaColumn& column) -> Status {
          return chunk.filter_offset ? in_file(rewrite(chunk, column, chunks.footer()), chunk_name(chunk))
                                     : Status();
        });
  }

 private:
  Status check_ranges(const ParquetChunks& chunks) const {
    UsedRanges used(memory_);
    bool has_filter = false;
    BLOOMERY_RETURN_IF_ERROR(chunks.for_each(
        [&](const parquet::ColumnChunk& chunk, const parquet::SchemaColumn& /*column*/) -> Status {
          if (chunk.encrypted || chunk.in_other_file) {
            return Error(ErrorCode::kUnsupported, chunk_name(chunk),
                         chunk.encrypted ? "an encrypted chunk is not read" : "a chunk in another file");
          }
          BLOOMERY_RETURN_IF_ERROR(used.add(chunk.pages));
          BLOOMERY_RETURN_IF_ERROR(used.add(chunk.offset_index));
          BLOOMERY_RETURN_IF_ERROR(used.add(chunk.column_index));
          if (!chunk.filter_offset) {
            return {};
          }
          has_filter = true;
          BLOOMERY_ASSIGN_OR_RETURN(const parquet::PlacedFilter filter,
                                    parquet::placed_filter(chunk, file_, chunks.footer()));
          return used.add({.begin = filter.begin, .end = filter.end, .is_filter = true});
        }));
    return has_filter ? used.check()
                      : Status(Error::invalid_argument(parquet::kFileSubject,
                                                       "expected a column chunk with a filter, found none"));
  }

  Status rewrite(const parquet::ColumnChunk& chunk, const parquet::SchemaColumn& column,
                 const parquet::Footer& footer) {
    BLOOMERY_ASSIGN_OR_RETURN(const parquet::PlacedFilter filter,
                              parquet::placed_filter(chunk, file_, footer));
    const std::uint64_t size = filter.blocks.bitset().size();
    MemoryShare share(memory_);
    BLOOMERY_RETURN_IF_ERROR(share.add("parquet filter", size));
    BLOOMERY_ASSIGN_OR_RETURN(const AlignedBuffer bitset, AlignedBuffer::zeroed(size));
    BLOOMERY_RETURN_IF_ERROR(parquet::for_each_chunk_value(
        file_, chunk, column, memory_,
        [&](std::span<const std::string_view> values) {
          for (const std::string_view value : values) {
            const std::uint64_t hash = xxh64(value);
            parquet::set_bits_of(hash, bitset.bytes().data() + filter.blocks.offset_of(hash));
          }
          return Status();
        },
        [&](std::uint64_t bytes) -> Status {
          return !options_.progress || options_.progress(bytes)
                     ? Status()
                     : Status(
                           Error(ErrorCode::kUnsupported, parquet::kFileSubject, "the repair was stopped"));
        }));
    return output_.write_at(filter.bitset_begin(), bitset.bytes());
  }

  std::span<const std::byte> file_;
  const ProofOptions& options_;
  AtomicFile& output_;
  std::shared_ptr<MemoryBudget> memory_;
};

}  // namespace

Status repair_parquet_filters(const std::string& path, const std::string& output, const ProofOptions& options,
                              const SaveTo& to) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::shared_ptr<MappedFile> mapping, map_whole(path));
  BLOOMERY_ASSIGN_OR_RETURN(AtomicFile file,
                            AtomicFile::create(FileSystem::real(), output, save_options(to)));
  const Status repaired = within_memory(
      path, [&] { return ParquetRepair(std::as_const(*mapping).bytes(), options, file).run(); });
  BLOOMERY_RETURN_IF_ERROR(mapping->status());
  BLOOMERY_RETURN_IF_ERROR(in_file(repaired, path));
  return file.commit();
}

namespace {

constexpr std::size_t kMostChunkNotes = 100;

class ParquetProver {
 public:
  ParquetProver(std::span<const std::byte> file, const ProofOptions& options, Proof& proof)
      : file_(file),
        options_(options),
        proof_(proof),
        memory_(MemoryBudget::of_file(options.memory, file.size())) {}

  Status file() {
    BLOOMERY_ASSIGN_OR_RETURN(const ParquetChunks chunks, ParquetChunks::open(file_, memory_));
    proof_.bytes += chunks.footer().metadata.size();
    BLOOMERY_RETURN_IF_ERROR(chunks.for_each(
        [&](const parquet::ColumnChunk& chunk, const parquet::SchemaColumn& column) -> Status {
          ++chunks_;
          if (!may_have_filter(chunk)) {
            return check_no_filter(chunk, chunks.footer());
          }
          ++with_filter_;
          BLOOMERY_RETURN_IF_ERROR(check_total(chunk, chunks.footer()));
          const Status proven = prove(chunk, column, chunks.footer());
          if (!proven && !stopped_) {
            proof_.add(proven.error().in_file(chunk_name(chunk)));
          }
          return stopped_ ? proven : Status();
        }));
    if (with_filter_ == 0) {
      proof_.add_unproven("no column chunk has a filter");
    } else if (with_filter_ < chunks_) {
      proof_.notes.push_back(
          message(chunks_ - with_filter_, " of ", chunks_, " column chunks have no filter"));
    }
    return {};
  }

 private:
  static Status check_no_filter(const parquet::ColumnChunk& chunk, const parquet::Footer& footer) {
    return chunk.filter_length ? Status(Error::corruption(
                                     parquet::kFileSubject, footer.offset,
                                     chunk_name(chunk) + ": a bloom_filter_offset before the length", "none"))
                               : Status();
  }

  // Chunks that share pages would cost more work than the file has bytes.
  Status check_total(const parquet::ColumnChunk& chunk, const parquet::Footer& footer) {
    const bool has_pages = !chunk.in_other_file && chunk.pages.offset > 0 && chunk.pages.length > 0;
    page_bytes_ += has_pages ? static_cast<std::uint64_t>(chunk.pages.length) : 0;
    return page_bytes_ <= footer.offset
               ? Status()
               : Status(Error::corruption(parquet::kFileSubject, footer.offset,
                                          "expected chunks with pages of their own, found shared pages"));
  }

  Status prove(const parquet::ColumnChunk& chunk, const parquet::SchemaColumn& column,
               const parquet::Footer& footer) {
    if (!chunk.filter_offset || chunk.in_other_file) {
      return Error(
          ErrorCode::kUnsupported, parquet::kFileSubject,
          chunk.encrypted ? "an encrypted chunk is not read" : "a chunk in another file is not read");
    }
    BLOOMERY_ASSIGN_OR_RETURN(const parquet::PlacedFilter filter,
                              parquet::placed_filter(chunk, file_, footer));
    proof_.bytes += filter.end - filter.begin;
    const std::uint64_t keys = proof_.keys;
    const std::uint64_t denied = proof_.denied;
    const Status read = parquet::for_each_chunk_value(
        file_, chunk, column, memory_,
        [&](std::span<const std::string_view> values) {
          ask(filter.blocks, values);
          return Status();
        },
        [&](std::uint64_t bytes) { return progress(bytes); });
    if (proof_.denied > denied && proof_.notes.size() < kMostChunkNotes) {
      proof_.notes.push_back(message(chunk_name(chunk), ": its filter denies ", proof_.denied - denied,
                                     " of ", proof_.keys - keys, " values"));
    }
    return read;
  }

  // Precondition: the batch is one of ValueBatch.
  void ask(const parquet::SplitBlocks& filter, std::span<const std::string_view> values) {
    const auto answers = std::span(answers_).first((values.size() + 63) / 64);
    parquet::any_may_contain_batch({&filter, 1}, values, answers);
    proof_.see_answers(values, answers);
  }

  Status progress(std::uint64_t bytes) {
    proof_.bytes += bytes;
    if (!options_.progress || options_.progress(bytes)) {
      return {};
    }
    stopped_ = true;
    return Error(ErrorCode::kUnsupported, parquet::kFileSubject, "the proof was stopped");
  }

  std::span<const std::byte> file_;
  const ProofOptions& options_;
  Proof& proof_;
  std::shared_ptr<MemoryBudget> memory_;
  std::uint64_t chunks_ = 0;
  std::uint64_t with_filter_ = 0;
  std::uint64_t page_bytes_ = 0;  // of the chunks with filters so far
  bool stopped_ = false;
  std::array<std::uint64_t, parquet::ValueBatch::kValues / 64> answers_ = {};
};

}  // namespace

bool is_parquet_file(const std::string&, std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return text.starts_with("PAR1") || text.starts_with("PARE");
}

Proof prove_parquet_bytes(std::span<const std::byte> file, const std::string& path,
                          const ProofOptions& options) {
  Proof proof{.path = path, .kind = "Parquet file", .against = "the values of its column chunks"};
  const Status proven = within_memory(path, [&] { return ParquetProver(file, options, proof).file(); });
  if (!proven) {
    proof.add(proven.error());
  }
  return proof;
}

Proof prove_parquet_file(const std::string& path, const ProofOptions& options) {
  const auto mapping = map_whole(path);
  if (!mapping) {
    Proof proof{.path = path, .kind = "Parquet file"};
    proof.add(mapping.error());
    return proof;
  }
  Proof proof = prove_parquet_bytes(std::as_const(**mapping).bytes(), path, options);
  if (const Status status = (*mapping)->status(); !status) {  // a file that was cut reads as zeros
    proof.add(status.error());
  }
  return proof;
}

}  // namespace bloomery
