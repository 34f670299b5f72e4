#include "codec/leveldb/manifest.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/endian.h"
#include "base/file.h"
#include "base/varint.h"
#include "codec/sstable/block_checksum.h"
#include "codec/sstable/block_handle.h"
#include "codec/sstable/log_records.h"

namespace bloomery {
namespace {

constexpr const char* kManifestSubject = "leveldb manifest";
constexpr std::uint64_t kComparatorTag = 1;

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Returns the first record, or its first fragment if it has several.
Result<std::span<const std::byte>> first_record(std::span<const std::byte> manifest) {
  if (manifest.size() < sstable::kLogHeaderBytes) {
    return Error::corruption(kManifestSubject, 0, "7 bytes or more", manifest.size());
  }
  const std::size_t size = load_little16(manifest.data() + 4);
  if (size > manifest.size() - sstable::kLogHeaderBytes) {
    return Error::corruption(
        kManifestSubject, 4,
        "a record of at most " + std::to_string(manifest.size() - sstable::kLogHeaderBytes) + " bytes", size);
  }
  const auto expected = sstable::block_checksum(sstable::ChecksumKind::kCrc32c,
                                                manifest.subspan(sstable::kLogHeaderBytes - 1, size + 1));
  if (load_little32(manifest.data()) != expected) {
    return Error::corruption(kManifestSubject, 0, "the crc32c of its first record", "another");
  }
  return manifest.subspan(sstable::kLogHeaderBytes, size);
}

// Reads up to `most` bytes from the beginning of a file. Returns nothing if the file does not exist.
Result<std::optional<std::vector<std::byte>>> read_front(const std::string& path, std::uint64_t most) {
  FileSystem& files = FileSystem::real();
  Result<File> file = files.open(path, OpenFor::kReading);
  if (!file && file.error().code() == ErrorCode::kNotFound) {
    return std::optional<std::vector<std::byte>>();
  }
  if (!file) {
    return file.error();
  }
  BLOOMERY_ASSIGN_OR_RETURN(const FileFacts facts, files.facts(*file));
  std::vector<std::byte> bytes(std::min(facts.size_bytes, most));
  BLOOMERY_RETURN_IF_ERROR(file->read_exactly_at(0, bytes));
  return std::optional(std::move(bytes));
}

}  // namespace

Result<std::optional<std::string>> comparator_in_manifest(std::span<const std::byte> manifest) {
  BLOOMERY_ASSIGN_OR_RETURN(std::span<const std::byte> record, first_record(manifest));
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t tag, read_next_varint(record, sstable::kLogHeaderBytes));
  if (tag != kComparatorTag) {
    return std::optional<std::string>();
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t size, read_next_varint(record, sstable::kLogHeaderBytes));
  if (size > record.size()) {
    return Error::corruption(kManifestSubject, sstable::kLogHeaderBytes,
                             "a comparator's name of at most " + std::to_string(record.size()) + " bytes",
                             size);
  }
  return std::optional(text_of(record.first(size)));
}

Result<std::optional<std::string>> comparator_beside(const std::string& path) {
  constexpr std::uint64_t kMostName = 64;  // a manifest's number has at most 20 digits
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  BLOOMERY_ASSIGN_OR_RETURN(const auto current, read_front((folder / "CURRENT").string(), kMostName));
  if (!current) {
    return std::optional<std::string>();
  }
  std::string name = text_of(*current);
  name.resize(std::min(name.find('\n'), name.size()));
  if (!name.starts_with("MANIFEST-") || name.find('/') != std::string::npos) {
    return Error::corruption((folder / "CURRENT").string(), 0, "expected the name of a manifest");
  }
  BLOOMERY_ASSIGN_OR_RETURN(const auto manifest,
                            read_front((folder / name).string(), sstable::kLogBlockBytes));
  if (!manifest) {
    return std::optional<std::string>();
  }
  return in_file(comparator_in_manifest(*manifest), (folder / name).string());
}

}  // namespace bloomery
