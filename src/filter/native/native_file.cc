#include "filter/native/native_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "base/crc32c.h"
#include "base/map_watch.h"

namespace bloomery {
namespace {

constexpr int kMostLooks = 1000;  // rereads of a header that differs every time

Error bad_checksum(const char* part, std::uint64_t offset, std::uint32_t expected, std::uint32_t found) {
  return Error::corruption(
      part, offset, "checksum: expected " + std::to_string(expected) + ", found " + std::to_string(found));
}

// The parts of a file after its header.
struct Parts {
  std::span<const std::byte> payload;
  std::span<const std::byte> column;
  std::span<const std::byte> exceptions;
  std::span<const std::byte> metadata;

  // Returns the parts of a complete file in memory.
  static Parts of(const NativeHeader& header, std::span<const std::byte> file) {
    return {.payload = file.subspan(header.payload_offset(), header.payload_bytes),
            .column = file.subspan(header.column_offset(), header.column_bytes),
            .exceptions = file.subspan(header.exception_offset(), header.exception_bytes),
            .metadata = file.subspan(header.metadata_offset(), header.metadata_bytes)};
  }
};

Status verify_exceptions(const NativeHeader& header, std::span<const std::byte> table) {
  if (const std::uint32_t found = crc32c(table); found != header.exception_checksum) {
    return bad_checksum("exception table", header.exception_offset(), header.exception_checksum, found);
  }
  if (const Status checked = ExceptionTable::check(table, header.exceptions); !checked) {
    return Error::corruption("exception table", header.exception_offset(), checked.error().detail());
  }
  return {};
}

Status verify_checksums(const NativeHeader& header, const Parts& parts, const OpenOptions& options) {
  if (const std::uint32_t found = crc32c(parts.metadata); found != header.metadata_checksum) {
    return bad_checksum("metadata", header.metadata_offset(), header.metadata_checksum, found);
  }
  if (options.verify == Verify::kHeaderOnly || header.dirty) {
    return {};  // the payload checksum of a dirty file is older than its payload
  }
  const std::span<const std::byte> covered = parts.payload.first(header.checksummed_payload_bytes());
  if (const std::uint32_t found = crc32c(covered); found != header.payload_checksum) {
    return bad_checksum(is_static_type(header.type) ? "shard directory" : "payload", header.payload_offset(),
                        header.payload_checksum, found);
  }
  return verify_exceptions(header, parts.exceptions);
}

// Returns the error text for a dirty file, with its repair. Only a counting filter supports removes in place,
// so only its text mentions them.
std::string dirty_state(FilterType type) {
  const std::string found =
      "state: expected clean, found dirty: an update in place was interrupted; 'bloomery add --after-crash' "
      "(accept_dirty) with the same input mends it";
  return type == FilterType::kCounting
             ? found + ", after a remove with no input (/dev/null): keys that were being removed may stay"
             : found;
}

Status check_header(const NativeHeader& header, const OpenOptions& options, HeaderCheck check) {
  if (check != nullptr) {
    BLOOMERY_RETURN_IF_ERROR(check(header));
  }
  if (const std::uint64_t least = header.checksummed_payload_bytes(); header.payload_bytes < least) {
    return bad_header_field(native_header::kPayloadBytesAt, "payload bytes",
                            "at least " + std::to_string(least), header.payload_bytes);
  }
  if (header.dirty && !options.accept_dirty) {
    return Error::corruption("native header", native_header::kStateFlagsAt, dirty_state(header.type));
  }
  if (options.recorded_keys == RecordedKeys::kRefuse && header.keys != KeyTreatment{}) {
    return Error::invalid_argument(
        "keys", "expected keys that are plain text or bytes, found the form " + describe(header.keys) +
                    ": open it with RecordedKeys::kKnown, and ask for text by key_of()");
  }
  return {};
}

// Puts the secret of a keyed filter into its header.
Status set_secret(NativeHeader& header, const OpenOptions& options) {
  if (header.hash.id != HashId::kSipHash || options.without_secret) {
    return {};
  }
  const std::string expected = "expected the key with id " + show_key_id(header.hash_key_id) + ", found ";
  if (options.secret == nullptr) {
    return Error::invalid_argument("key", expected + "none: without it nothing can be asked");
  }
  if (options.secret->id() != header.hash_key_id) {
    return Error::invalid_argument("key", expected + "the one with id " + show_key_id(options.secret->id()));
  }
  header.hash.secret = *options.secret;
  return {};
}

// Verifies the checksums in the header and fills the body, except for the exceptions, whose bytes may not be
// aligned. All bytes are available. `parts` must outlive the body, but the metadata are copied.
Status fill_body(FilterBody& body, const NativeHeader& header, const Parts& parts,
                 const OpenOptions& options) {
  BLOOMERY_RETURN_IF_ERROR(verify_checksums(header, parts, options));
  body.header = header;
  BLOOMERY_RETURN_IF_ERROR(set_secret(body.header, options));
  body.inserted = header.inserted;
  body.metadata.assign(reinterpret_cast<const char*>(parts.metadata.data()), parts.metadata.size());
  body.storage = Storage(parts.payload);
  body.column = Storage(parts.column);
  return {};
}

// Copies a file's exception table, whose bytes are at a multiple of 8, to a table that owns its memory.
ExceptionTable owned_table(const NativeHeader& header, std::span<const std::byte> bytes) {
  return ExceptionTable::of(ExceptionTable::over(bytes, header.exceptions).entries());
}

Result<AlignedBuffer> aligned_copy(std::span<const std::byte> bytes) {
  BLOOMERY_ASSIGN_OR_RETURN(AlignedBuffer copy, AlignedBuffer::zeroed(bytes.size()));
  std::ranges::copy(bytes, copy.bytes().begin());
  return copy;
}

// Copies the parts that are in use from the file's bytes to the body's own memory.
Status own_parts(FilterBody& body, const Parts& parts) {
  BLOOMERY_ASSIGN_OR_RETURN(AlignedBuffer payload, aligned_copy(parts.payload));
  BLOOMERY_ASSIGN_OR_RETURN(AlignedBuffer column, aligned_copy(parts.column));
  BLOOMERY_ASSIGN_OR_RETURN(const AlignedBuffer exceptions, aligned_copy(parts.exceptions));
  body.storage = Storage(std::move(payload));
  body.column = Storage(std::move(column));
  body.exceptions = owned_table(body.header, exceptions.bytes());
  return {};
}

Result<AlignedBuffer> read_part(File& file, std::uint64_t offset, std::uint64_t size) {
  BLOOMERY_ASSIGN_OR_RETURN(AlignedBuffer part, AlignedBuffer::zeroed(size));
  BLOOMERY_RETURN_IF_ERROR(file.read_exactly_at(offset, part.bytes()));
  return part;
}

// Opens for Access::kCopy. The parts are read and not mapped, so memory holds them only once.
Result<std::unique_ptr<FilterBody>> read_body(File& file, const NativeHeader& header,
                                              const OpenOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(AlignedBuffer payload,
                            read_part(file, header.payload_offset(), header.payload_bytes));
  BLOOMERY_ASSIGN_OR_RETURN(AlignedBuffer column,
                            read_part(file, header.column_offset(), header.column_bytes));
  BLOOMERY_ASSIGN_OR_RETURN(const AlignedBuffer exceptions,
                            read_part(file, header.exception_offset(), header.exception_bytes));
  BLOOMERY_ASSIGN_OR_RETURN(const AlignedBuffer metadata,
                            read_part(file, header.metadata_offset(), header.metadata_bytes));
  auto body = std::make_unique<FilterBody>();
  const Parts parts{.payload = payload.bytes(),
                    .column = column.bytes(),
                    .exceptions = exceptions.bytes(),
                    .metadata = metadata.bytes()};
  BLOOMERY_RETURN_IF_ERROR(fill_body(*body, header, parts, options));
  body->storage = Storage(std::move(payload));
  body->column = Storage(std::move(column));
  body->exceptions = owned_table(header, exceptions.bytes());
  return body;
}

Status mark_dirty(File& file, NativeHeader header) {
  header.dirty = true;
  BLOOMERY_RETURN_IF_ERROR(file.write_all_at(0, encode(header)));
  return file.sync();
}

Error another_in_its_place() {
  return Error::invalid_argument("file", "expected the one that was locked, found another in its place");
}

Status check_is_locked(FileSystem& files, const File& file, const FileLock& lock) {
  if (!lock.holds_file()) {
    return another_in_its_place();
  }
  BLOOMERY_ASSIGN_OR_RETURN(const FileFacts locked, files.facts(*lock.file()));
  BLOOMERY_ASSIGN_OR_RETURN(const FileFacts opened, files.facts(file));
  return locked.is_same_file(opened) ? Status() : Status(another_in_its_place());
}

// The first bytes of a file, and the header parsed from them or the error.
struct ReadHeader {
  std::array<std::byte, kNativeHeaderBytes> bytes{};
  Result<NativeHeader> header = NativeHeader();
};

Result<ReadHeader> read_header_once(FileSystem& files, File& file) {
  BLOOMERY_ASSIGN_OR_RETURN(const FileFacts facts, files.facts(file));
  ReadHeader read;
  const std::span<std::byte> present =
      std::span(read.bytes).first(std::min<std::uint64_t>(read.bytes.size(), facts.size_bytes));
  BLOOMERY_RETURN_IF_ERROR(file.read_exactly_at(0, present));
  read.header = parse_native_header(present, facts.size_bytes);
  return read;
}

// Returns the checked header of an open file. Its file_bytes() is the size of the file. An update in place
// may write the header at the same moment, and a torn read is no valid header. So an invalid header is an
// error only if two reads return the same bytes.
Result<NativeHeader> read_header(FileSystem& files, File& file) {
  BLOOMERY_ASSIGN_OR_RETURN(ReadHeader read, read_header_once(files, file));
  for (int tries = 0; !read.header && tries < kMostLooks; ++tries) {
    const auto before = read.bytes;
    BLOOMERY_ASSIGN_OR_RETURN(read, read_header_once(files, file));
    if (read.bytes == before) {
      break;
    }
  }
  return read.header;
}

constexpr std::uint64_t kStateFlagsBytes = 2;

struct Seen {
  NativeHeader header;
  bool live = false;     // the header is dirty, and the process that set the mark is still running
  FileFacts facts = {};  // of the file before its header was read
};

// Returns the header for a reader without a lock. A dirty file belongs to a live writer if a process holds
// the lock of its state flags. If none does, the writer has crashed, or it has ended since the header was
// read, and another one may have begun. So it counts as crashed only if several reads, some time apart, find
// the same dirty header and never the lock.
Result<Seen> see(FileSystem& files, File& file) {
  constexpr int kLooks = 3;
  NativeHeader before;
  for (int same = 0, looks = 0;; ++looks) {
    BLOOMERY_ASSIGN_OR_RETURN(const NativeHeader header, read_header(files, file));
    if (!header.dirty) {
      return Seen{.header = header};
    }
    BLOOMERY_ASSIGN_OR_RETURN(const bool locked,
                              files.bytes_are_locked(file, native_header::kStateFlagsAt, kStateFlagsBytes));
    if (locked) {
      return Seen{.header = header, .live = true};
    }
    same = header == before ? same + 1 : 1;
    if (same == kLooks || looks == kMostLooks) {
      return Seen{.header = header};
    }
    before = header;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

// Returns true if the payload must not change while it is used, so that it is read into memory. When a mapped
// file is truncated, zeros replace the missing bytes. They make other filters answer no. The quotient kernels
// follow bits from word to word, which were verified when the file was opened. They would read outside of a
// table in which these bits have changed.
bool may_not_change(const NativeHeader& header) {
  return header.type == FilterType::kQuotient && cut_files_are_survived();
}

// Returns true if a reader without a lock must map the file. A copy would read the tables of a windowed
// filter at different moments, and a key that moves meanwhile from one to another could be in none.
bool must_be_mapped(const Seen& seen) {
  return seen.live && seen.header.type == FilterType::kWindowed;
}

// Returns true if filters of the type use the mapping for their lifetime. Types that may grow copy from it;
// their files are never updated in place.
bool keeps_its_mapping(FilterType type) {
  return type == FilterType::kBloom || type == FilterType::kBlocked || type == FilterType::kCounting ||
         type == FilterType::kWindowed;
}

MapAccess map_access_for(const NativeHeader& header, Access access) {
  if (access == Access::kUpdateInPlace) {
    return MapAccess::kReadWrite;
  }
  return is_static_type(header.type) ? MapAccess::kReadOnly : MapAccess::kCopyOnWrite;
}

// Locks the state flags and then marks the file dirty, in this order: a process that sees the mark sees the
// lock too.
Status begin_update(FileSystem& files, File& file, const NativeHeader& header) {
  BLOOMERY_RETURN_IF_ERROR(files.reserve(file, header.file_bytes()));
  BLOOMERY_RETURN_IF_ERROR(files.lock_bytes(file, native_header::kStateFlagsAt, kStateFlagsBytes));
  return mark_dirty(file, header);
}

// Returns the exceptions of a writable mapping. `live`: another process is writing them, so they are copied.
// `doubtful`: a crash may have left a withdrawal half done, so the entries are sorted again.
ExceptionTable mapped_exceptions(const NativeHeader& header, std::span<std::byte> table, bool live,
                                 bool doubtful) {
  if (live) {
    return owned_table(header, table);
  }
  // If all exceptions were withdrawn the entries mean nothing, and a crash changes none of them.
  return header.exceptions != 0 && doubtful ? ExceptionTable::mended(table)
                                            : ExceptionTable::over(table, header.exceptions);
}

Result<std::unique_ptr<FilterBody>> map_body(FileSystem& files, File& file, const NativeHeader& header,
                                             bool live, const OpenOptions& options) {
  const bool updating = options.access == Access::kUpdateInPlace;
  const MapAccess map_access = map_access_for(header, options.access);
  BLOOMERY_ASSIGN_OR_RETURN(MappedFile mapping, files.map(file, header.file_bytes(), map_access));
  auto body = std::make_unique<FilterBody>();
  const Parts parts = Parts::of(header, mapping.bytes());
  BLOOMERY_RETURN_IF_ERROR(fill_body(*body, header, parts, options));
  if (map_access == MapAccess::kReadOnly) {
    body->exceptions = ExceptionTable::over(parts.exceptions, header.exceptions);
  } else {
    if (updating) {
      BLOOMERY_RETURN_IF_ERROR(begin_update(files, file, header));
    }
    const std::span<std::byte> table =
        mapping.writable_bytes().subspan(header.exception_offset(), header.exception_bytes);
    body->exceptions = mapped_exceptions(header, table, live,
                                         header.dirty || (updating && options.verify == Verify::kHeaderOnly));
  }
  if (map_access == MapAccess::kCopyOnWrite && !header.dirty && keeps_its_mapping(header.type)) {
    const auto bytes = std::min<std::uint64_t>(HeaderWatch::kWatchedBytes, header.file_bytes());
    BLOOMERY_ASSIGN_OR_RETURN(body->watched, files.map(file, bytes, MapAccess::kReadOnly));
    body->watch = HeaderWatch(body->watched.bytes().data(), header);
  }
  body->storage = Storage(std::move(mapping), header.payload_offset(), header.payload_bytes, map_access);
  return body;
}

// Opens the parts of a file whose header was read.
Result<std::unique_ptr<FilterBody>> open_seen(FileSystem& files, File& file, const Seen& seen,
                                              OpenOptions options, HeaderCheck check) {
  NativeHeader header = seen.header;
  if (seen.live) {
    if (options.while_updated == WhileUpdated::kRefuse) {
      return Error::in_use("");
    }
    header.dirty = false;
    options.verify = Verify::kHeaderOnly;
  }
  BLOOMERY_RETURN_IF_ERROR(check_header(header, options, check));
  const bool copies = options.access == Access::kCopy || options.access == Access::kCopyLocked;
  const bool reads = (copies && !must_be_mapped(seen)) || may_not_change(header);
  BLOOMERY_ASSIGN_OR_RETURN(auto body, reads ? read_body(file, header, options)
                                             : map_body(files, file, header, seen.live, options));
  body->live = seen.live;
  body->known.note(KnownFile::native(file.path(), seen.facts, encode(seen.header)));
  return body;
}

// Returns true if a body may be used although an update in place began while it was read. It may if its
// checksums were verified, because then it is a consistent snapshot, and if it is mapped, because then it is
// watched.
bool is_sound_body(const FilterBody& body, const OpenOptions& options) {
  return options.verify == Verify::kChecksums || body.mapping() != nullptr;
}

// Opens a file without a lock. An update in place may begin or end meanwhile, so that bytes read before and
// after it are inconsistent. Then the file is opened again. After several such attempts it is opened like a
// file that is being updated, without a check of its checksums: each process that updates a file has verified
// it first.
Result<std::unique_ptr<FilterBody>> open_unlocked(FileSystem& files, File& file, const OpenOptions& options,
                                                  HeaderCheck check) {
  constexpr int kTries = 4;
  for (int tries = 1;; ++tries) {
    BLOOMERY_ASSIGN_OR_RETURN(const FileFacts before, files.facts(file));
    BLOOMERY_ASSIGN_OR_RETURN(Seen seen, see(files, file));
    seen.facts = before;
    auto opened = open_seen(files, file, seen, options, check);
    if (seen.live || is_static_type(seen.header.type) || (opened && is_sound_body(**opened, options))) {
      return opened;
    }
    BLOOMERY_ASSIGN_OR_RETURN(const FileFacts after, files.facts(file));
    const Result<NativeHeader> now = read_header(files, file);
    const bool updated = now && *now != seen.header;
    if (!updated && (tries == kTries || after.modified_ns == before.modified_ns)) {
      return opened;
    }
    if (tries >= kTries) {
      seen.live = true;
      return open_seen(files, file, seen, options, check);
    }
  }
}

Result<std::unique_ptr<FilterBody>> open_named(FileSystem& files, const std::string& path,
                                               const OpenOptions& options, HeaderCheck check) {
  const bool updating = options.access == Access::kUpdateInPlace;
  const bool locked =
      updating || options.access == Access::kMapLocked || options.access == Access::kCopyLocked;
  const OpenFor purpose = updating ? OpenFor::kUpdating : OpenFor::kReading;
  BLOOMERY_ASSIGN_OR_RETURN(File file, locked && options.lock == nullptr ? open_locked(files, path, purpose)
                                                                         : files.open(path, purpose));
  if (!locked) {
    return open_unlocked(files, file, options, check);
  }
  if (options.lock != nullptr) {
    BLOOMERY_RETURN_IF_ERROR(check_is_locked(files, file, *options.lock));
  }
  BLOOMERY_ASSIGN_OR_RETURN(const FileFacts facts, files.facts(file));
  BLOOMERY_ASSIGN_OR_RETURN(const NativeHeader header, read_header(files, file));
  BLOOMERY_ASSIGN_OR_RETURN(auto body,
                            open_seen(files, file, {.header = header, .facts = facts}, options, check));
  (updating ? body->updated_file : body->locked_file) = std::move(file);
  return body;
}

}  // namespace

Status move_to_memory(FilterBody& body) {
  return own_parts(body, {.payload = body.storage.bytes(),
                          .column = body.column.bytes(),
                          .exceptions = body.exceptions.bytes(),
                          .metadata = {}});
}

Result<std::unique_ptr<FilterBody>> open_native_file(FileSystem& files, const std::string& path,
                                                     const OpenOptions& options, HeaderCheck check) {
  return in_file(open_named(files, path, options, check), path);
}

Result<NativeHeader> native_file_header(FileSystem& files, const std::string& path) {
  BLOOMERY_ASSIGN_OR_RETURN(File file, files.open(path, OpenFor::kReading));
  return in_file(read_header(files, file), path);
}

Result<std::unique_ptr<FilterBody>> open_native_bytes(std::span<const std::byte> bytes,
                                                      const OpenOptions& options, HeaderCheck check) {
  if (options.access != Access::kMap && options.access != Access::kCopy) {
    return Error::invalid_argument("view", "expected a file to update or to lock, found bytes in memory");
  }
  BLOOMERY_ASSIGN_OR_RETURN(
      const NativeHeader header,
      parse_native_header(bytes.first(std::min(bytes.size(), kNativeHeaderBytes)), bytes.size()));
  BLOOMERY_RETURN_IF_ERROR(check_header(header, options, check));
  auto body = std::make_unique<FilterBody>();
  const Parts parts = Parts::of(header, bytes);
  BLOOMERY_RETURN_IF_ERROR(fill_body(*body, header, parts, options));
  if (options.access == Access::kCopy) {
    BLOOMERY_RETURN_IF_ERROR(own_parts(*body, parts));
    return body;
  }
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % 8 != 0) {
    return Error::invalid_argument("view", "expected bytes aligned to 8");
  }
  body->exceptions = ExceptionTable::over(parts.exceptions, header.exceptions);
  return body;
}

}  // namespace bloomery
