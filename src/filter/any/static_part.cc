#include "filter/any/static_part.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/atomic_file.h"
#include "base/crc32c.h"
#include "base/endian.h"
#include "base/memory.h"
#include "bloomery/base/uint128.h"
#include "bloomery/filter/any_filter.h"
#include "filter/fuse/fuse_family.h"
#include "filter/native/filter_body.h"
#include "filter/native/native_file.h"
#include "filter/ribbon/ribbon_family.h"
#include "filter/shards/hash_bits.h"
#include "filter/shards/shard_join.h"
#include "filter/shards/sharded_build.h"
#include "filter/spool/sort_hashes.h"

namespace bloomery {
namespace {

using RangeFiles = std::span<const std::unique_ptr<RangeFile>>;

const StaticFamily& family_of(FilterType type) {
  return type == FilterType::kFuse ? kFuseFamily : kRibbonFamily;
}

// Returns the plan of a complete filter.
Result<StaticPlan> plan_of(FilterType type, BlockedSetting setting, std::uint64_t capacity, double fpp) {
  return family_of(type).plan(capacity, fpp, {.filter = {.setting = setting}}, 64);
}

// Returns the shards that are entirely in the range, {0, 0} if there is none.
ShardRange whole_shards(const ShardCut& shape, HashRange range) {
  const std::uint64_t mask = mask_of(shape.hash_bits);
  const std::uint32_t at_begin = shard_of(shape, range.lowest & mask);
  const std::uint32_t first = lowest_hash_of(shape, at_begin) == range.lowest ? at_begin : at_begin + 1;
  const std::uint32_t end =
      range.highest == ~std::uint64_t{0} ? shape.shards : shard_of(shape, (range.highest + 1) & mask);
  return first < end ? ShardRange{.first = first, .end = end} : ShardRange{.first = 0, .end = 0};
}

// Returns the number of shards that end in the range or before it.
std::uint32_t ended_shards(const ShardCut& shape, HashRange range) {
  return range.highest == ~std::uint64_t{0} ? shape.shards
                                            : shard_of(shape, (range.highest + 1) & mask_of(shape.hash_bits));
}

std::string names(const std::string& a, const std::string& b) {
  return a + " and " + b;
}

std::string place(std::uint32_t index, std::uint32_t count) {
  return std::to_string(index) + " of " + std::to_string(count);
}

// Returns an id that all parts of one build share: a hash of the ids of the runs that have keys.
Hash128 id_of_runs(RangeFiles files) {
  std::vector<Hash128> ids;
  for (const auto& file : files) {
    if (file->front().envelope.id != Hash128{}) {
      ids.push_back(file->front().envelope.id);
    }
  }
  if (ids.empty()) {
    return {};
  }
  std::ranges::sort(ids, [](const Hash128& a, const Hash128& b) {
    return a.low != b.low ? a.low < b.low : a.high < b.high;
  });
  std::vector<std::byte> bytes(ids.size() * 16);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    store_little(bytes.data() + 16 * i, ids[i].low);
    store_little(bytes.data() + 16 * i + 8, ids[i].high);
  }
  return hash_bytes(std::span<const std::byte>(bytes), HashSpec{.id = HashId::kXxh3});
}

// The hashes of several range files as one source.
class MergedFiles {
 public:
  explicit MergedFiles(RangeFiles files) : files_(files) {}

  Status read_through(std::uint64_t last, std::vector<std::uint64_t>& out) {
    const auto begin = static_cast<std::ptrdiff_t>(out.size());
    int sources = 0;
    for (const auto& file : files_) {
      const std::size_t size = out.size();
      BLOOMERY_RETURN_IF_ERROR(file->read_through(last, out));
      sources += out.size() > size ? 1 : 0;
    }
    // A single file is already ascending and without repeats.
    if (sources > 1) {
      sorter_.sort(std::span(out.begin() + begin, out.end()));
      out.erase(std::unique(out.begin() + begin, out.end()), out.end());
    }
    return {};
  }

  Status check_end() const {
    for (const auto& file : files_) {
      BLOOMERY_RETURN_IF_ERROR(file->check_end());
    }
    return {};
  }

 private:
  RangeFiles files_;
  HashSorter sorter_;
};

// Reads the hashes up to `last` that belong to no complete shard, masked and each once.
Status read_edge(MergedFiles& source, const ShardCut& shape, std::uint64_t last,
                 std::vector<std::uint64_t>& edge) {
  BLOOMERY_RETURN_IF_ERROR(source.read_through(last, edge));
  const std::uint64_t mask = mask_of(shape.hash_bits);
  std::ranges::for_each(edge, [mask](std::uint64_t& hash) { hash &= mask; });
  edge.erase(std::unique(edge.begin(), edge.end()), edge.end());
  return {};
}

// Writes the native file inside a part. Its offsets count from the end of the envelope.
struct BehindEnvelope {
  AtomicFile& file;

  Status append(std::span<const std::byte> bytes) { return file.append(bytes); }
  Status write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
    return file.write_at(kSpreadEnvelopeBytes + offset, bytes);
  }
};

Status check_range_file(const RangeFile& file, const StaticPartPlan& plan, const RangeFile& first) {
  const SpreadEnvelope& envelope = file.front().envelope;
  if (envelope.index != plan.part || envelope.count != plan.parts) {
    return Error::invalid_argument(file.path(), "expected range " + place(plan.part, plan.parts) +
                                                    ", found range " + place(envelope.index, envelope.count));
  }
  std::string differences;
  note_hash_differences(differences, first.front().native, file.front().native);
  if (!differences.empty()) {
    return Error::invalid_argument(
        names(first.path(), file.path()),
        "expected files of one hash and one key form, found different " + differences);
  }
  return {};
}

Status check_not_twice(const RangeFile& a, const RangeFile& b) {
  if (a.facts().is_same_file(b.facts())) {
    return Error::invalid_argument(names(a.path(), b.path()), "expected each file once, found it twice");
  }
  if (a.front().envelope.id == b.front().envelope.id && a.front().envelope.id != Hash128{}) {
    return Error::invalid_argument(
        names(a.path(), b.path()),
        "expected files of different machines, found the same keys: one is a copy. Leave it out; if two "
        "machines have the same keys, partition one of them with another --note");
  }
  return {};
}

}  // namespace

unsigned static_threads(FilterType type, unsigned wanted, std::uint64_t memory_bytes) {
  return shard_threads(wanted, memory_bytes, family_of(type).thread_memory);
}

std::uint64_t planned_capacity(RangeFiles files, const StaticPartPlan& plan) {
  if (plan.capacity != 0) {
    return plan.capacity;
  }
  std::uint64_t keys = 0;
  for (const auto& file : files) {
    // The plan refuses every number above kMaxStaticKeys, so the sum may be clamped.
    keys = std::min(keys, kMaxStaticKeys + 1) + std::min(file->run_keys(), kMaxStaticKeys + 1);
  }
  return std::max<std::uint64_t>(keys, 1);
}

Status check_range_files(RangeFiles files, const StaticPartPlan& plan) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    BLOOMERY_RETURN_IF_ERROR(check_range_file(*files[i], plan, *files[0]));
    for (std::size_t j = 0; j < i; ++j) {
      BLOOMERY_RETURN_IF_ERROR(check_not_twice(*files[j], *files[i]));
    }
  }
  return {};
}

Result<StaticPartWritten> write_static_part(FileSystem& files, RangeFiles range_files,
                                            const StaticPartPlan& plan, const std::string& path,
                                            const SaveTo& to, const StaticPartProgress& progress) {
  BLOOMERY_RETURN_IF_ERROR(check_range_files(range_files, plan));
  const std::uint64_t capacity = planned_capacity(range_files, plan);
  BLOOMERY_ASSIGN_OR_RETURN(const StaticPlan planned, plan_of(plan.type, plan.setting, capacity, plan.fpp));
  const ShardCut& shape = planned.cut;
  const HashRange range = range_of_hashes(plan.part, plan.parts);
  const ShardRange shards = whole_shards(shape, range);
  NativeHeader like = range_files.front()->front().native;
  for (const auto& file : range_files) {
    join_digest_widths(like, file->front().native);
  }
  const StaticFamily& family = family_of(plan.type);
  ShardRecord record = family.record(planned);
  record.hash = like.hash;
  record.hash_key_id = like.hash_key_id;
  record.keys = like.keys;
  record.capacity = capacity;
  record.fpp = plan.fpp;
  record.metadata = plan.note;
  const ShardedBuild build({.cut = shape,
                            .new_maker = planned.new_maker,
                            .at_once = family.at_once,
                            .range = shards,
                            .threads = plan.threads},
                           std::move(record));
  MergedFiles source(range_files);
  std::vector<std::uint64_t> front;
  if (shards.first > 0) {
    BLOOMERY_RETURN_IF_ERROR(read_edge(source, shape, highest_hash(shape, shards.first - 1), front));
  }
  BLOOMERY_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::create(files, path, save_options(to)));
  BLOOMERY_RETURN_IF_ERROR(file.append(std::vector<std::byte>(kSpreadEnvelopeBytes)));
  BehindEnvelope out{.file = file};
  const auto read = [&source](std::uint64_t last, std::vector<std::uint64_t>& hashes) {
    return source.read_through(last, hashes);
  };
  BLOOMERY_ASSIGN_OR_RETURN(const BuiltShards built, build.write(read, out, progress, to.cancelled));
  std::vector<std::uint64_t> back;
  BLOOMERY_RETURN_IF_ERROR(read_edge(source, shape, range.highest, back));
  BLOOMERY_RETURN_IF_ERROR(source.check_end());
  HashBlockWriter blocks([&file](std::span<const std::byte> bytes) { return file.append(bytes); });
  BLOOMERY_RETURN_IF_ERROR(blocks.add(front));
  BLOOMERY_RETURN_IF_ERROR(blocks.add(back));
  BLOOMERY_RETURN_IF_ERROR(blocks.finish());
  const SpreadFront written{.envelope = {.kind = SpreadKind::kPart,
                                         .index = plan.part,
                                         .count = plan.parts,
                                         .hashes = blocks.hashes(),
                                         .block_bytes = blocks.bytes(),
                                         .id = id_of_runs(range_files)},
                            .native = built.header};
  BLOOMERY_RETURN_IF_ERROR(file.write_at(0, encode(written)));
  BLOOMERY_RETURN_IF_ERROR(file.commit());
  return StaticPartWritten{.keys = built.header.inserted + blocks.hashes(),
                           .capacity = capacity,
                           .shards = shards.end - shards.first,
                           .all_shards = shape.shards,
                           .bytes = written.blocks_offset() + blocks.bytes()};
}

namespace {

// An opened part. `filter` has its complete shards; it is empty if the part has none.
struct OpenPart {
  File file;
  SpreadFront front;
  MappedFile mapping;
  std::optional<AnyFilter> filter;
  std::string note;

  const std::string& path() const { return file.path(); }
  ShardRange shards() const {
    return {.first = front.native.first_shard, .end = front.native.first_shard + front.native.held_shards};
  }
};

constexpr OpenOptions kOpenPart = {.recorded_keys = RecordedKeys::kKnown, .without_secret = true};

// Checks that the header is one that write_static_part() writes, and returns the plan.
Result<StaticPlan> check_part_plan(const SpreadFront& front) {
  const NativeHeader& native = front.native;
  const auto setting =
      native.stride_bytes == 0 ? BlockedSetting::kFast : static_cast<BlockedSetting>(native.stride_bytes);
  BLOOMERY_ASSIGN_OR_RETURN(StaticPlan plan,
                            plan_of(native.type, setting, native.capacity, native.target_fpp));
  const ShardCut& shape = plan.cut;
  const ShardRange shards = whole_shards(shape, front.range());
  if (native.hash_count != plan.hash_count || native.stride_bytes != plan.stride_bytes ||
      native.hash_bits != shape.hash_bits || native.shards != shape.shards ||
      native.first_shard != shards.first || native.held_shards != shards.end - shards.first) {
    return Error::corruption("part", kSpreadEnvelopeBytes,
                             "expected the shards of its range under its plan, found others");
  }
  if (native.held_shards == 0 && native.payload_bytes != 0) {
    return Error::corruption(
        "part", kSpreadEnvelopeBytes + native_header::kPayloadBytesAt,
        "payload bytes: expected 0 without shards, found " + std::to_string(native.payload_bytes));
  }
  return plan;
}

Result<std::unique_ptr<OpenPart>> open_part(FileSystem& files, const std::string& path) {
  auto part = std::make_unique<OpenPart>();
  BLOOMERY_ASSIGN_OR_RETURN(part->file, files.open(path, OpenFor::kReading));
  BLOOMERY_ASSIGN_OR_RETURN(part->front, read_spread_front(files, part->file, SpreadKind::kPart));
  const SpreadFront& front = part->front;
  if (const auto plan = check_part_plan(front); !plan) {
    return plan.error().in_file(path);
  }
  const std::uint64_t file_bytes = front.blocks_offset() + front.envelope.block_bytes;
  BLOOMERY_ASSIGN_OR_RETURN(part->mapping, files.map(part->file, file_bytes, MapAccess::kReadOnly));
  const std::span<const std::byte> native =
      part->mapping.bytes().subspan(kSpreadEnvelopeBytes, front.native_bytes());
  const std::span<const std::byte> note = native.last(front.native.metadata_bytes);
  if (crc32c(note) != front.native.metadata_checksum) {
    return Error::corruption(path, kSpreadEnvelopeBytes + front.native.metadata_offset(),
                             "note: its checksum does not hold");
  }
  part->note.assign(reinterpret_cast<const char*>(note.data()), note.size());
  if (front.native.held_shards != 0) {
    Result<AnyFilter> filter = AnyFilter::view(native, kOpenPart);
    if (!filter) {
      return filter.error().in_file(path);
    }
    part->filter = std::move(*filter);
    if (const Status whole = part->filter->verify(); !whole) {
      return whole.error().in_file(path);
    }
  }
  BLOOMERY_RETURN_IF_ERROR(in_file(part->mapping.status(), path));
  return part;
}

// Reads the hashes of the shards at the edges, and checks that they are outside of the part's own shards.
Status read_edges(OpenPart& part, const ShardCut& cut, std::vector<std::uint64_t>& edges) {
  const HashRange range = part.front.range();
  HashBlockReader blocks(
      part.file, {.offset = part.front.blocks_offset(),
                  .bytes = part.front.envelope.block_bytes,
                  .hashes = part.front.envelope.hashes,
                  .range = {.lowest = range.lowest & mask_of(cut.hash_bits), .highest = range.highest}});
  BLOOMERY_RETURN_IF_ERROR(blocks.read_through(~std::uint64_t{0}, edges));
  BLOOMERY_RETURN_IF_ERROR(blocks.check_end());
  const bool has_own = part.filter && std::ranges::any_of(edges, [&](std::uint64_t hash) {
                         const std::uint32_t shard = shard_of(cut, hash);
                         return shard >= part.shards().first && shard < part.shards().end;
                       });
  return has_own ? Status(Error::corruption(part.path(), part.front.blocks_offset(),
                                            "expected hashes outside its shards, found others"))
                 : Status();
}

using OpenParts = std::vector<std::unique_ptr<OpenPart>>;

Status check_joins(const OpenPart& first, const OpenPart& part) {
  const std::string both = names(first.path(), part.path());
  if (part.front.envelope.count != first.front.envelope.count) {
    return Error::invalid_argument(both, "expected parts of one number of ranges, found parts " +
                                             place(first.front.envelope.index, first.front.envelope.count) +
                                             " and " +
                                             place(part.front.envelope.index, part.front.envelope.count));
  }
  if (const Status same = check_same_plan(first.front.native, part.front.native); !same) {
    return Error::invalid_argument(both, same.error().detail());
  }
  if (part.front.envelope.id != first.front.envelope.id) {
    return Error::invalid_argument(
        both,
        "expected parts that were built from range files of the same machines, found "
        "different ones");
  }
  return {};
}

// Checks that the sorted parts are complete.
Status check_complete(const OpenParts& parts) {
  const std::uint32_t count = parts.front()->front.envelope.count;
  std::string missing;
  std::uint32_t next = 1;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::uint32_t index = parts[i]->front.envelope.index;
    if (i > 0 && index == parts[i - 1]->front.envelope.index) {
      return Error::invalid_argument(names(parts[i - 1]->path(), parts[i]->path()),
                                     "expected each part once, found part " + place(index, count) + " twice");
    }
    for (; next < index; ++next) {
      missing += (missing.empty() ? "" : ", ") + std::to_string(next);
    }
    ++next;
  }
  for (; next <= count; ++next) {
    missing += (missing.empty() ? "" : ", ") + std::to_string(next);
  }
  if (!missing.empty()) {
    return Error::invalid_argument(
        "parts", "expected all of 1 to " + std::to_string(count) + ", found all but " + missing);
  }
  return {};
}

// Collects the sections of the complete filter in order: shards of the parts, and shards at the edges between
// them.
class Joiner {
 public:
  Joiner(StaticPlan plan, const OpenPart& first)
      : plan_(std::move(plan)), family_(family_of(first.front.native.type)), record_(family_.record(plan_)) {
    const NativeHeader& native = first.front.native;
    record_.hash = native.hash;
    record_.hash_key_id = native.hash_key_id;
    record_.keys = native.keys;
    record_.capacity = native.capacity;
    record_.fpp = native.target_fpp;
    record_.metadata = first.note;
  }

  // Adds the next part.
  Status add(OpenPart& part) {
    const ShardRange own = part.shards();
    const bool has_shards = part.filter.has_value();
    std::vector<std::uint64_t> edges;
    BLOOMERY_RETURN_IF_ERROR(read_edges(part, plan_.cut, edges));
    const auto back = std::ranges::partition_point(
        edges, [&](std::uint64_t hash) { return !has_shards || shard_of(plan_.cut, hash) < own.first; });
    wait(std::span(edges.begin(), back));
    BLOOMERY_RETURN_IF_ERROR(
        build_until(has_shards ? own.first : ended_shards(plan_.cut, part.front.range())));
    if (has_shards) {
      pieces_.push_back(shards_of(*part.filter));
      next_ = own.end;
    }
    wait(std::span(back, edges.end()));
    return {};
  }

  std::vector<ShardPart> pieces() const { return pieces_; }

 private:
  struct Memory {
    std::vector<std::byte> bytes = {};

    Status append(std::span<const std::byte> more) {
      bytes.insert(bytes.end(), more.begin(), more.end());
      return {};
    }
    Status write_at(std::uint64_t offset, std::span<const std::byte> more) {
      std::ranges::copy(more, bytes.begin() + static_cast<std::ptrdiff_t>(offset));
      return {};
    }
  };
  struct Edge {
    AlignedBuffer bytes;
    AnyFilter filter;
  };

  static ShardPart shards_of(const AnyFilter& filter) {
    const auto* const fuse = std::get_if<FuseFilter>(&filter.variant());
    return fuse != nullptr ? ShardJoin::part_of(*fuse)
                           : ShardJoin::part_of(std::get<RibbonFilter>(filter.variant()));
  }

  // Keeps hashes of a shard that is not complete yet. A range boundary may leave one masked hash on both
  // sides.
  void wait(std::span<const std::uint64_t> hashes) {
    if (!hashes.empty() && !waiting_.empty() && waiting_.back() == hashes.front()) {
      hashes = hashes.subspan(1);
    }
    waiting_.insert(waiting_.end(), hashes.begin(), hashes.end());
  }

  // Builds the shards before `end` from the waiting hashes.
  Status build_until(std::uint32_t end) {
    if (end <= next_) {
      return {};
    }
    std::size_t taken = 0;
    const auto read = [&](std::uint64_t last, std::vector<std::uint64_t>& out) -> Status {
      for (; taken < waiting_.size() && waiting_[taken] <= last; ++taken) {
        out.push_back(waiting_[taken]);
      }
      return {};
    };
    const ShardedBuild build({.cut = plan_.cut,
                              .new_maker = plan_.new_maker,
                              .at_once = family_.at_once,
                              .range = {.first = next_, .end = end}},
                             record_);
    Memory memory;
    BLOOMERY_ASSIGN_OR_RETURN(const BuiltShards built, build.write(read, memory, {}, nullptr));
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(taken));
    BLOOMERY_ASSIGN_OR_RETURN(AlignedBuffer bytes, AlignedBuffer::zeroed(memory.bytes.size()));
    std::ranges::copy(memory.bytes, bytes.bytes().begin());
    BLOOMERY_ASSIGN_OR_RETURN(AnyFilter filter, AnyFilter::view(bytes.bytes(), kOpenPart));
    edges_.push_back(std::make_unique<Edge>(Edge{.bytes = std::move(bytes), .filter = std::move(filter)}));
    pieces_.push_back(shards_of(edges_.back()->filter));
    next_ = end;
    return {};
  }

  StaticPlan plan_;
  const StaticFamily& family_;
  ShardRecord record_;
  std::uint32_t next_ = 0;              // the first shard that pieces_ do not have
  std::vector<std::uint64_t> waiting_;  // hashes of the shards from next_ on
  std::vector<std::unique_ptr<Edge>> edges_;
  std::vector<ShardPart> pieces_;
};

}  // namespace

Status verify_static_part(FileSystem& files, const std::string& path) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::unique_ptr<OpenPart> part, open_part(files, path));
  BLOOMERY_ASSIGN_OR_RETURN(const StaticPlan plan, check_part_plan(part->front));
  std::vector<std::uint64_t> edges;
  return read_edges(*part, plan.cut, edges);
}

Status join_static_parts(FileSystem& files, std::span<const std::string> paths, const std::string& path,
                         const SaveTo& to) {
  OpenParts parts;
  for (const std::string& name : paths) {
    BLOOMERY_ASSIGN_OR_RETURN(std::unique_ptr<OpenPart> part, open_part(files, name));
    parts.push_back(std::move(part));
    BLOOMERY_RETURN_IF_ERROR(check_joins(*parts.front(), *parts.back()));
  }
  std::ranges::stable_sort(parts, {}, [](const auto& part) { return part->front.envelope.index; });
  BLOOMERY_RETURN_IF_ERROR(check_complete(parts));
  BLOOMERY_ASSIGN_OR_RETURN(StaticPlan plan, check_part_plan(parts.front()->front));
  Joiner joiner(std::move(plan), *parts.front());
  for (const auto& part : parts) {
    BLOOMERY_RETURN_IF_ERROR(joiner.add(*part));
  }
  return join_shards(joiner.pieces(), path, to);
}

}  // namespace bloomery
