// Reads the fields of a Protocol Buffers message, one after the other, as views.
//
//   field    varint (number x 8 + wire type) | value
//   value    by wire type, 0: varint    1: 8 bytes    2: varint length, bytes    5: 4 bytes
//
// Rationale for a parser by hand: HFiles have four flat messages. A generated parser would report damage
// without its offset, copy every field, and tie the library to one version of its runtime.
//
// Source: Protocol Buffers encoding. Groups and packed numbers are not supported.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "bloomery/base/result.h"

namespace bloomery::hfile {

// HBase writes this before a protobuf message where another format is also possible.
inline constexpr std::string_view kProtobufMagic = "PBUF";

struct ProtobufField {
  std::uint32_t number = 0;
  std::optional<std::uint64_t> integer = {};   // the value of a varint
  std::optional<std::string_view> bytes = {};  // the value of a length-delimited field
  std::uint64_t offset = 0;                    // the field's offset in its file
};

class ProtobufReader {
 public:
  // Error messages name the message as `subject`. `offset` is its position in the file.
  ProtobufReader(std::span<const std::byte> message, const char* subject, std::uint64_t offset)
      : left_(message), subject_(subject), offset_(offset) {}

  // Returns the next field, or nothing at the end. Errors: kCorruption.
  Result<std::optional<ProtobufField>> next();

 private:
  Result<std::uint64_t> read_number();
  Result<std::span<const std::byte>> read_bytes(std::uint64_t size);

  std::span<const std::byte> left_;
  const char* subject_;
  std::uint64_t offset_;
};

// A message that is preceded by its length, a varint.
struct DelimitedMessage {
  std::span<const std::byte> message;
  std::size_t size_bytes = 0;  // size of the message and its length prefix
};

Result<DelimitedMessage> read_delimited(std::span<const std::byte> bytes, const char* subject,
                                        std::uint64_t offset);

// Return the field's value. Errors: kCorruption if the field has another wire type.
Result<std::uint64_t> integer_in(const ProtobufField& field, const char* subject);
Result<std::string_view> bytes_in(const ProtobufField& field, const char* subject);

}  // namespace bloomery::hfile
