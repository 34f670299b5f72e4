#include "codec/cassandra/index_summary.h"

#include <cstdint>

#include "base/endian.h"
#include "base/message.h"

namespace bloomery {
namespace {

constexpr const char* kSummarySubject = "Summary.db";
constexpr std::size_t kSummaryHeaderBytes = 24;

// Removes a key with its length from the front of `bytes`. `offset` is its position in the file.
Result<std::string_view> take_summary_key(std::span<const std::byte>& bytes, std::uint64_t offset,
                                          const char* which) {
  if (bytes.size() < 4 || bytes.size() - 4 < load_big32(bytes.data())) {
    return Error::corrupt_field(kSummarySubject, offset, which, "a length and so many bytes",
                                message(bytes.size(), " bytes"));
  }
  const std::size_t length = load_big32(bytes.data());
  const std::string_view key(reinterpret_cast<const char*>(bytes.data()) + 4, length);
  bytes = bytes.subspan(4 + length);
  return key;
}

}  // namespace

Result<IndexSummary> read_index_summary(std::span<const std::byte> file) {
  if (file.size() < kSummaryHeaderBytes) {
    return Error::corruption(kSummarySubject, 0, "a header of 24 bytes", file.size());
  }
  const std::uint64_t size = load_big64(file.data() + 8);
  if (size > file.size() - kSummaryHeaderBytes) {
    return Error::corrupt_field(kSummarySubject, 8, "size", "at most the bytes after the header", size);
  }
  auto rest = file.subspan(kSummaryHeaderBytes + size);
  IndexSummary summary;
  BLOOMERY_ASSIGN_OR_RETURN(summary.first_key,
                            take_summary_key(rest, file.size() - rest.size(), "first key"));
  BLOOMERY_ASSIGN_OR_RETURN(summary.last_key, take_summary_key(rest, file.size() - rest.size(), "last key"));
  if (!rest.empty()) {
    return Error::corruption(kSummarySubject, file.size() - rest.size(), "the end after the last key",
                             message(rest.size(), " more bytes"));
  }
  return summary;
}

}  // namespace bloomery
