#include "filter/native_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "base/crc32c.h"

namespace bloomery {
namespace {

Error bad_checksum(const char* part, std::uint64_t offset, std::uint32_t expected, std::uint32_t found) {
  return Error::corruption(
      part, offset, "checksum: expected " + std::to_string(expected) + ", found " + std::to_string(found));
}

Status verify_checksums(const NativeHeader& header, std::span<const std::byte> payload,
                        std::span<const std::byte> metadata, const OpenOptions& options) {
  if (const std::uint32_t found = crc32c(metadata); found != header.metadata_checksum) {
    return bad_checksum("metadata", header.metadata_offset(), header.metadata_checksum, found);
  }
  if (options.verify == Verify::kHeaderOnly ||
      header.dirty) {  // a dirty file's payload checksum is the one of before
    return {};
  }
  const std::span<const std::byte> covered = payload.first(header.checksummed_payload_bytes());
  if (const std::uint32_t found = crc32c(covered); found != header.payload_checksum) {
    return bad_checksum(header.type == FilterType::kRibbon ? "ribbon directory" : "payload",
                        header.payload_offset(), header.payload_checksum, found);
  }
  return {};
}

// Puts the file's name into an error that does not have it yet.
template <typename T>
Result<T> naming(const std::string& path, Result<T> result) {
  if (result || result.error().subject() == path) {
    return result;
  }
  return result.error().in_file(path);
}

Status check_state(const NativeHeader& header, const OpenOptions& options) {
  if (header.dirty && !options.accept_dirty) {
    return Error::corruption(
        "native header", 26,
        "state: expected clean, found dirty: an update in place is under way or was interrupted");
  }
  return {};
}

// Puts the secret of a keyed filter into its header.
Status take_secret(NativeHeader& header, const OpenOptions& options) {
  if (header.hash.id != HashId::kSipHash || options.without_secret) {
    return {};
  }
  const auto shown = [](std::uint64_t id) {
    std::string digits(16, '0');
    for (std::size_t i = 16; i-- > 0; id >>= 4) {
      digits[i] = "0123456789abcdef"[id & 15];
    }
    return digits;
  };
  const std::string expected = "expected the key with id " + shown(header.hash_key_id) + ", found ";
  if (options.secret == nullptr) {
    return Error::invalid_argument("key", expected + "none: without it nothing can be asked");
  }
  if (options.secret->id() != header.hash_key_id) {
    return Error::invalid_argument("key", expected + "the one with id " + shown(options.secret->id()));
  }
  header.hash.secret = *options.secret;
  return {};
}

// Checks what the header vouches for and notes it, once all bytes are at hand.
Status fill_body(FilterBody& body, const NativeHeader& header, std::span<const std::byte> payload,
                 std::span<const std::byte> metadata, const OpenOptions& options) {
  BLOOMERY_RETURN_IF_ERROR(verify_checksums(header, payload, metadata, options));
  body.header = header;
  BLOOMERY_RETURN_IF_ERROR(take_secret(body.header, options));
  body.inserted = header.inserted;
  body.metadata.assign(reinterpret_cast<const char*>(metadata.data()), metadata.size());
  return {};
}

// Access::kCopy: both parts are read, not mapped, so that they are in memory once.
Result<std::unique_ptr<FilterBody>> read_body(File& file, const NativeHeader& header,
                                              const OpenOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(AlignedBuffer payload, AlignedBuffer::zeroed(header.payload_bytes));
  BLOOMERY_RETURN_IF_ERROR(file.read_exactly_at(header.payload_offset(), payload.bytes()));
  std::vector<std::byte> metadata(header.metadata_bytes);
  BLOOMERY_RETURN_IF_ERROR(file.read_exactly_at(header.metadata_offset(), metadata));
  auto body = std::make_unique<FilterBody>();
  BLOOMERY_RETURN_IF_ERROR(fill_body(*body, header, payload.bytes(), metadata, options));
  body->storage = Storage(std::move(payload));
  return body;
}

Status mark_dirty(File& file, NativeHeader header) {
  header.dirty = true;
  BLOOMERY_RETURN_IF_ERROR(file.write_all_at(0, encode(header)));
  return file.sync();
}

// The checked header of an open file, of which file_bytes() is the size.
Result<NativeHeader> read_header(FileSystem& files, File& file) {
  BLOOMERY_ASSIGN_OR_RETURN(const FileFacts facts, files.facts(file));
  if (!facts.is_regular) {
    return Error::invalid_argument("file", "expected a regular file, found a directory, pipe or device");
  }
  std::array<std::byte, kNativeHeaderBytes> front{};
  const std::span<std::byte> present =
      std::span(front).first(std::min<std::uint64_t>(front.size(), facts.size_bytes));
  BLOOMERY_RETURN_IF_ERROR(file.read_exactly_at(0, present));
  return parse_native_header(present, facts.size_bytes);
}

Result<std::unique_ptr<FilterBody>> open_named(FileSystem& files, const std::string& path,
                                               const OpenOptions& options) {
  const bool updating = options.access == Access::kUpdateInPlace;
  BLOOMERY_ASSIGN_OR_RETURN(File file, files.open(path, updating ? OpenFor::kUpdating : OpenFor::kReading));
  if (updating) {
    BLOOMERY_RETURN_IF_ERROR(files.lock_exclusively(file));
  }
  BLOOMERY_ASSIGN_OR_RETURN(const NativeHeader header, read_header(files, file));
  BLOOMERY_RETURN_IF_ERROR(check_state(header, options));
  if (options.access == Access::kCopy) {
    return read_body(file, header, options);
  }
  const MapAccess map_access = updating ? MapAccess::kReadWrite : MapAccess::kReadOnly;
  BLOOMERY_ASSIGN_OR_RETURN(MappedFile mapping, files.map(file, header.file_bytes(), map_access));
  auto body = std::make_unique<FilterBody>();
  BLOOMERY_RETURN_IF_ERROR(
      fill_body(*body, header, mapping.bytes().subspan(header.payload_offset(), header.payload_bytes),
                mapping.bytes().subspan(header.metadata_offset(), header.metadata_bytes), options));
  if (updating) {
    BLOOMERY_RETURN_IF_ERROR(files.reserve(file, header.file_bytes()));
    BLOOMERY_RETURN_IF_ERROR(mark_dirty(file, header));
    body->updated_file = std::move(file);
  }
  body->storage = Storage(std::move(mapping), header.payload_offset(), header.payload_bytes, map_access);
  return body;
}

}  // namespace

Result<std::unique_ptr<FilterBody>> open_native_file(FileSystem& files, const std::string& path,
                                                     const OpenOptions& options) {
  return naming(path, open_named(files, path, options));
}

Result<FilterType> native_file_type(FileSystem& files, const std::string& path) {
  BLOOMERY_ASSIGN_OR_RETURN(File file, files.open(path, OpenFor::kReading));
  BLOOMERY_ASSIGN_OR_RETURN(const NativeHeader header, naming(path, read_header(files, file)));
  return header.type;
}

Result<std::unique_ptr<FilterBody>> open_native_bytes(std::span<const std::byte> bytes,
                                                      const OpenOptions& options) {
  if (options.access == Access::kUpdateInPlace) {
    return Error::invalid_argument("view", "expected a file to update in place, found bytes in memory");
  }
  BLOOMERY_ASSIGN_OR_RETURN(
      const NativeHeader header,
      parse_native_header(bytes.first(std::min(bytes.size(), kNativeHeaderBytes)), bytes.size()));
  BLOOMERY_RETURN_IF_ERROR(check_state(header, options));
  const std::span<const std::byte> payload = bytes.subspan(header.payload_offset(), header.payload_bytes);
  auto body = std::make_unique<FilterBody>();
  BLOOMERY_RETURN_IF_ERROR(
      fill_body(*body, header, payload, bytes.subspan(header.metadata_offset()), options));
  body->storage = Storage(payload);
  if (options.access == Access::kCopy) {
    BLOOMERY_ASSIGN_OR_RETURN(AlignedBuffer copy, AlignedBuffer::zeroed(payload.size()));
    std::copy(payload.begin(), payload.end(), copy.bytes().begin());
    body->storage = Storage(std::move(copy));
  }
  return body;
}

NativeHeader current_header(const FilterBody& body) {
  NativeHeader header = body.header;
  header.dirty = false;
  header.inserted = body.inserted.load(std::memory_order_relaxed);
  header.payload_bytes = body.storage.bytes().size();
  header.metadata_bytes = body.metadata.size();
  header.payload_checksum = crc32c(body.storage.bytes().first(header.checksummed_payload_bytes()));
  header.metadata_checksum = crc32c(std::as_bytes(std::span(body.metadata)));
  return header;
}

Status save_native_file(FileSystem& files, const std::string& path, const FilterBody& body,
                        const SaveOptions& options) {
  const auto header = encode(current_header(body));
  const std::array<std::span<const std::byte>, 3> parts = {header, body.storage.bytes(),
                                                           std::as_bytes(std::span(body.metadata))};
  return save_atomically(files, path, parts, options);
}

Status finish_native_update(FileSystem& files, FilterBody& body) {
  File& file = *body.updated_file;
  // Order matters: the header may vouch for the bits only once they are down.
  BLOOMERY_RETURN_IF_ERROR(files.sync_mapping(file, *body.storage.mapping()));
  body.header = current_header(body);
  BLOOMERY_RETURN_IF_ERROR(file.write_all_at(0, encode(body.header)));
  BLOOMERY_RETURN_IF_ERROR(file.sync());
  Status closed = file.close();
  body.updated_file.reset();
  return closed;
}

}  // namespace bloomery
