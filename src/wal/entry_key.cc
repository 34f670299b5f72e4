#include "wal/entry_key.h"

#include "base/varint.h"
#include "hfile/protobuf_writer.h"
#include "wal/log_seal.h"

namespace bloomery::wal {
namespace {

using hfile::append_bytes_field;
using hfile::append_integer_field;
using hfile::ByteWriter;

enum KeyField : std::uint32_t {
  kRegion = 1,
  kTable = 2,
  kSequenceId = 3,
  kWriteTime = 4,
  kOldCluster = 5,
  kScope = 6,
  kCellCount = 7,
  kCluster = 8,
  kNonceGroup = 9,
  kNonce = 10,
  kOriginalSequenceId = 11,
  kAttribute = 12,
};

// One field of a message: a number or bytes.
struct KeyFieldRead {
  std::uint64_t number = 0;
  bool is_bytes = false;
  bool is_integer = false;
  std::uint64_t integer = 0;
  std::string_view bytes = {};
};

// Reads fields one after the other.
class KeyFields {
 public:
  explicit KeyFields(std::string_view message) : left_(message), size_(message.size()) {}

  bool at_end() const { return left_.empty(); }
  std::size_t position() const { return size_ - left_.size(); }

  bool next(KeyFieldRead& field) {
    std::uint64_t tag = 0;
    if (!varint(tag) || tag >> 3 == 0) {
      return false;
    }
    field.number = tag >> 3;
    field.is_integer = (tag & 7) == 0;
    field.is_bytes = (tag & 7) == 2;
    switch (tag & 7) {
      case 0:
        return varint(field.integer);
      case 1:
        return skip(8);
      case 2:
        return varint(field.integer) && bytes(field.integer, field.bytes);
      case 5:
        return skip(4);
      default:
        return false;
    }
  }

 private:
  bool varint(std::uint64_t& value) {
    if (!left_.empty() && static_cast<unsigned char>(left_.front()) < 0x80) {
      value = static_cast<unsigned char>(left_.front());
      left_.remove_prefix(1);
      return true;
    }
    const VarintGroups read = join_varint(std::as_bytes(std::span(left_)));
    value = read.value;
    left_.remove_prefix(read.end == VarintEnd::kWhole ? read.size_bytes : 0);
    return read.end == VarintEnd::kWhole;
  }
  bool bytes(std::uint64_t size, std::string_view& out) {
    if (size > left_.size()) {
      return false;
    }
    out = left_.substr(0, static_cast<std::size_t>(size));
    left_.remove_prefix(static_cast<std::size_t>(size));
    return true;
  }
  bool skip(std::uint64_t size) {
    std::string_view skipped;
    return bytes(size, skipped);
  }

  std::string_view left_;
  std::size_t size_;
};

// Reads a message of two fields by calling read(field).
template <typename Read>
bool read_inner(std::string_view message, Read read) {
  KeyFields fields(message);
  while (!fields.at_end()) {
    KeyFieldRead field;
    if (!fields.next(field) || !read(field)) {
      return false;
    }
  }
  return true;
}

bool read_scope(std::string_view message, std::vector<FamilyScope>& scopes) {
  FamilyScope& scope = scopes.emplace_back();
  return read_inner(message, [&](const KeyFieldRead& field) {
    if (field.number == 1) {
      scope.family = field.bytes;
      return field.is_bytes;
    }
    scope.type = field.number == 2 ? field.integer : scope.type;
    return field.number != 2 || field.is_integer;
  });
}

// Reads a message of two fields of one type. `value` and `is_of_type` are members of KeyFieldRead.
template <typename Value, typename FieldValue>
bool read_pair(std::string_view message, FieldValue KeyFieldRead::*value, bool KeyFieldRead::*is_of_type,
               Value& first, Value& second) {
  return read_inner(message, [&](const KeyFieldRead& field) {
    if (field.number != 1 && field.number != 2) {
      return true;
    }
    (field.number == 1 ? first : second) = field.*value;
    return field.*is_of_type;
  });
}

bool read_cluster(std::string_view message, ClusterId& cluster) {
  return read_pair(message, &KeyFieldRead::integer, &KeyFieldRead::is_integer, cluster.least, cluster.most);
}

bool read_attribute(std::string_view message, Attribute& attribute) {
  return read_pair(message, &KeyFieldRead::bytes, &KeyFieldRead::is_bytes, attribute.key, attribute.value);
}

// Returns false if the field has another type or is damaged.
bool read_key_field(const KeyFieldRead& field, LogEntry& entry, std::uint64_t& cell_count) {
  switch (field.number) {
    case kRegion:
      entry.region = field.bytes;
      return field.is_bytes && !field.bytes.empty();
    case kTable:
      entry.table = field.bytes;
      return field.is_bytes && !field.bytes.empty();
    case kSequenceId:
      entry.sequence_id = field.integer;
      return field.is_integer;
    case kWriteTime:
      entry.write_time = field.integer;
      return field.is_integer;
    case kCellCount:
      cell_count = field.integer;
      return field.is_integer && field.integer >> 32 == 0;
    case kNonceGroup:
      entry.nonce_group = field.integer;
      return field.is_integer;
    case kNonce:
      entry.nonce = field.integer;
      return field.is_integer;
    case kOriginalSequenceId:
      entry.original_sequence_id = field.integer;
      return field.is_integer;
    case kScope:
      return field.is_bytes && read_scope(field.bytes, entry.scopes);
    case kOldCluster:
    case kCluster:
      return field.is_bytes && read_cluster(field.bytes, entry.cluster_ids.emplace_back());
    case kAttribute:
      return field.is_bytes && read_attribute(field.bytes, entry.attributes.emplace_back());
    default:
      return true;
  }
}

void append_inner(ByteWriter& out, std::uint32_t number, const ByteWriter& message) {
  append_bytes_field(out, number, message.text());
}

void append_optional(ByteWriter& out, std::uint32_t number, const std::optional<std::uint64_t>& value) {
  if (value) {
    append_integer_field(out, number, *value);
  }
}

void append_scopes(ByteWriter& out, const std::vector<FamilyScope>& scopes) {
  for (const FamilyScope& scope : scopes) {
    ByteWriter inner;
    append_bytes_field(inner, 1, scope.family);
    append_integer_field(inner, 2, scope.type);
    append_inner(out, kScope, inner);
  }
}

void append_clusters(ByteWriter& out, const std::vector<ClusterId>& clusters) {
  for (const ClusterId& cluster : clusters) {
    ByteWriter inner;
    append_integer_field(inner, 1, cluster.least);
    append_integer_field(inner, 2, cluster.most);
    append_inner(out, kCluster, inner);
  }
}

void append_attributes(ByteWriter& out, const std::vector<Attribute>& attributes, SealedKey sealed) {
  for (const Attribute& attribute : attributes) {
    if (sealed == SealedKey::kYes && attribute.key == kSealName) {
      continue;
    }
    ByteWriter inner;
    append_bytes_field(inner, 1, attribute.key);
    append_bytes_field(inner, 2, attribute.value);
    append_inner(out, kAttribute, inner);
  }
}

}  // namespace

bool parse_entry_key(std::span<const std::byte> key, LogEntry& entry, std::uint64_t& cell_count,
                     KeyProblem& problem) {
  entry.region = entry.table = {};
  entry.scopes.clear();
  entry.cluster_ids.clear();
  entry.attributes.clear();
  entry.nonce_group = entry.nonce = entry.original_sequence_id = std::nullopt;
  cell_count = 0;
  std::uint64_t seen = 0;
  KeyFields fields({reinterpret_cast<const char*>(key.data()), key.size()});
  while (!fields.at_end()) {
    problem = {fields.position(), "a field of WALKey"};
    KeyFieldRead field;
    if (!fields.next(field) || !read_key_field(field, entry, cell_count)) {
      return false;
    }
    seen |= std::uint64_t{1} << (field.number < 63 ? field.number : 63);
  }
  constexpr std::uint64_t kRequired = 1U << kRegion | 1U << kTable | 1U << kSequenceId | 1U << kWriteTime;
  problem = {0, "a key with region, table, sequence id and write time"};
  return (seen & kRequired) == kRequired;
}

void append_entry_key(ByteWriter& out, const LogEntry& entry, SealedKey sealed) {
  append_bytes_field(out, kRegion, entry.region);
  append_bytes_field(out, kTable, entry.table);
  append_integer_field(out, kSequenceId, entry.sequence_id);
  append_integer_field(out, kWriteTime, entry.write_time);
  append_scopes(out, entry.scopes);
  append_integer_field(out, kCellCount, entry.cells.size());
  append_clusters(out, entry.cluster_ids);
  append_optional(out, kNonceGroup, entry.nonce_group);
  append_optional(out, kNonce, entry.nonce);
  append_optional(out, kOriginalSequenceId, entry.original_sequence_id);
  append_attributes(out, entry.attributes, sealed);
}

}  // namespace bloomery::wal
