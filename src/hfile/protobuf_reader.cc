#include "hfile/protobuf_reader.h"

#include <limits>
#include <string>

#include "base/varint.h"

namespace bloomery::hfile {
namespace {

enum WireType : std::uint64_t { kVarint = 0, kEightBytes = 1, kDelimited = 2, kFourBytes = 5 };

Error wrong_type(const ProtobufField& field, const char* subject, const char* expected) {
  return Error::corruption(subject, field.offset,
                           std::string(expected) + " in field " + std::to_string(field.number),
                           "another type");
}

// Like read_varint(), with errors that name the message.
Result<Varint> read_varint_of(const char* subject, std::span<const std::byte> bytes, std::uint64_t offset) {
  Result<Varint> varint = read_varint(bytes, offset);
  if (!varint) {
    return Error::corruption(subject, varint.error().offset().value_or(offset), varint.error().detail());
  }
  return varint;
}

}  // namespace

Result<std::uint64_t> ProtobufReader::read_number() {
  BLOOMERY_ASSIGN_OR_RETURN(const Varint varint, read_varint_of(subject_, left_, offset_));
  left_ = left_.subspan(varint.size_bytes);
  offset_ += varint.size_bytes;
  return varint.value;
}

Result<std::span<const std::byte>> ProtobufReader::read_bytes(std::uint64_t size) {
  if (size > left_.size()) {
    return Error::corruption(subject_, offset_, "a field of " + std::to_string(size) + " bytes",
                             left_.size());
  }
  const auto bytes = left_.first(static_cast<std::size_t>(size));
  left_ = left_.subspan(bytes.size());
  offset_ += bytes.size();
  return bytes;
}

// Returns fields of 4 and 8 bytes without their value: no message of an HFile needs one.
Result<std::optional<ProtobufField>> ProtobufReader::next() {
  if (left_.empty()) {
    return std::optional<ProtobufField>();
  }
  ProtobufField field{.offset = offset_};
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t tag, read_number());
  if (tag >> 3 == 0 || tag >> 3 > std::numeric_limits<std::uint32_t>::max() >> 3) {
    return Error::corruption(subject_, field.offset, "a field", "the number " + std::to_string(tag));
  }
  field.number = static_cast<std::uint32_t>(tag >> 3);
  switch (tag & 7) {
    case kVarint: {
      BLOOMERY_ASSIGN_OR_RETURN(field.integer, read_number());
      break;
    }
    case kDelimited: {
      BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t size, read_number());
      BLOOMERY_ASSIGN_OR_RETURN(const auto bytes, read_bytes(size));
      field.bytes = std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      break;
    }
    case kEightBytes:
      BLOOMERY_RETURN_IF_ERROR(read_bytes(8));
      break;
    case kFourBytes:
      BLOOMERY_RETURN_IF_ERROR(read_bytes(4));
      break;
    default:
      return Error::corruption(subject_, field.offset, "a wire type of 0, 1, 2 or 5", tag & 7);
  }
  return std::optional(field);
}

Result<DelimitedMessage> read_delimited(std::span<const std::byte> bytes, const char* subject,
                                        std::uint64_t offset) {
  BLOOMERY_ASSIGN_OR_RETURN(const Varint size, read_varint_of(subject, bytes, offset));
  const std::span<const std::byte> rest = bytes.subspan(size.size_bytes);
  if (size.value > rest.size()) {
    return Error::corruption(subject, offset,
                             "a message of at most " + std::to_string(rest.size()) + " bytes",
                             "one of " + std::to_string(size.value));
  }
  const auto message = rest.first(static_cast<std::size_t>(size.value));
  return DelimitedMessage{message, size.size_bytes + message.size()};
}

Result<std::uint64_t> integer_in(const ProtobufField& field, const char* subject) {
  if (!field.integer) {
    return wrong_type(field, subject, "a number");
  }
  return *field.integer;
}

Result<std::string_view> bytes_in(const ProtobufField& field, const char* subject) {
  if (!field.bytes) {
    return wrong_type(field, subject, "bytes");
  }
  return *field.bytes;
}

}  // namespace bloomery::hfile
