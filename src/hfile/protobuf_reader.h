// Reads the fields of a Protocol Buffers message, one after the other, as views.
//
//   field    varint (number x 8 + wire type) | value
//   value    0: varint    1: 8 bytes    2: varint length, bytes    5: 4 bytes
//
// HFiles have four flat messages; a generated parser would tell of damage without saying where, copy every
// field and tie the library to one version of its runtime, so this is the better fit. Source: Protocol
// Buffers encoding. Not here: groups, packed numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "bloomery/base/result.h"

namespace bloomery::hfile {

struct ProtobufField {
  std::uint32_t number = 0;
  std::optional<std::uint64_t> integer = {};   // of a varint
  std::optional<std::string_view> bytes = {};  // of a length-delimited one
  std::uint64_t offset = 0;                    // of the field in its file
};

class ProtobufReader {
 public:
  // `subject` is what errors call the message, `offset` where it is in its file.
  ProtobufReader(std::span<const std::byte> message, const char* subject, std::uint64_t offset)
      : left_(message), subject_(subject), offset_(offset) {}

  // The next field; nothing at the end. Errors: kCorruption.
  Result<std::optional<ProtobufField>> next();

 private:
  Result<std::uint64_t> read_number();
  Result<std::span<const std::byte>> read_bytes(std::uint64_t size);

  std::span<const std::byte> left_;
  const char* subject_;
  std::uint64_t offset_;
};

// A message with its length, as a varint, in front.
struct DelimitedMessage {
  std::span<const std::byte> message;
  std::size_t size_bytes = 0;  // with its length
};

Result<DelimitedMessage> read_delimited(std::span<const std::byte> bytes, const char* subject,
                                        std::uint64_t offset);

// The field's value. Errors: kCorruption when it is of another wire type.
Result<std::uint64_t> integer_in(const ProtobufField& field, const char* subject);
Result<std::string_view> bytes_in(const ProtobufField& field, const char* subject);

}  // namespace bloomery::hfile
