#include "connect/postgres/pgoutput.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/byte_text.h"
#include "base/message.h"
#include "connect/postgres/byte_reader.h"

namespace bloomery::postgres {
namespace {

constexpr const char* kSubject = "pgoutput message";

// The minimum sizes of a column and of a value. A count is checked against them before memory is allocated.
constexpr std::size_t kLeastRelationColumn = 1 + 1 + 4 + 4;
constexpr std::size_t kLeastValue = 1;

Tuple read_tuple(ByteReader& reader) {
  const std::size_t count = reader.number<std::uint16_t>();
  if (count > reader.left() / kLeastValue) {
    reader.fail();
    return {};
  }
  Tuple tuple;
  tuple.reserve(count);
  for (std::size_t i = 0; i < count && !reader.failed(); ++i) {
    const char kind = reader.letter();
    switch (kind) {
      case 'n':
      case 'u':
        tuple.push_back({.kind = static_cast<Value::Kind>(kind), .bytes = {}});
        break;
      case 't':
      case 'b': {
        const std::size_t size = reader.number<std::uint32_t>();
        tuple.push_back({.kind = static_cast<Value::Kind>(kind), .bytes = reader.bytes(size)});
        break;
      }
      default:
        reader.fail();
    }
  }
  return tuple;
}

Relation read_relation(ByteReader& reader) {
  Relation relation;
  relation.id = reader.number<std::uint32_t>();
  relation.schema = reader.string();
  relation.name = reader.string();
  relation.replica_identity = reader.letter();
  const std::size_t count = reader.number<std::uint16_t>();
  if (count > reader.left() / kLeastRelationColumn) {
    reader.fail();
    return relation;
  }
  relation.columns.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    RelationColumn column;
    column.is_key = (reader.number<std::uint8_t>() & 1) != 0;
    column.name = reader.string();
    column.type = reader.number<std::uint32_t>();
    column.type_modifier = static_cast<std::int32_t>(reader.number<std::uint32_t>());
    relation.columns.push_back(column);
  }
  return relation;
}

void expect(ByteReader& reader, char letter) {
  if (reader.letter() != letter) {
    reader.fail();
  }
}

Update read_update(ByteReader& reader) {
  Update update;
  update.relation = reader.number<std::uint32_t>();
  const char first = reader.letter();
  if (first == 'K' || first == 'O') {
    update.old_row = read_tuple(reader);
    expect(reader, 'N');
  } else if (first != 'N') {
    reader.fail();
  }
  update.row = read_tuple(reader);
  return update;
}

Delete read_delete(ByteReader& reader) {
  Delete deleted;
  deleted.relation = reader.number<std::uint32_t>();
  if (const char kind = reader.letter(); kind != 'K' && kind != 'O') {
    reader.fail();
  }
  deleted.old_row = read_tuple(reader);
  return deleted;
}

Truncate read_truncate(ByteReader& reader) {
  Truncate truncate;
  const std::size_t count = reader.number<std::uint32_t>();
  (void)reader.letter();  // flags: CASCADE, RESTART IDENTITY
  if (count != reader.left() / sizeof(std::uint32_t)) {
    reader.fail();
    return truncate;
  }
  for (std::size_t i = 0; i < count; ++i) {
    truncate.relations.push_back(reader.number<std::uint32_t>());
  }
  return truncate;
}

Ignored read_ignored(ByteReader& reader, char type) {
  if (type == 'O') {
    (void)reader.number<std::uint64_t>();
    (void)reader.string();
  } else if (type == 'Y') {
    (void)reader.number<std::uint32_t>();
    (void)reader.string();
    (void)reader.string();
  } else {
    (void)reader.letter();
    (void)reader.number<std::uint64_t>();
    (void)reader.string();
    (void)reader.bytes(reader.number<std::uint32_t>());
  }
  return {.type = type};
}

Begin read_begin(ByteReader& reader) {
  Begin begin;
  begin.commit = {reader.number<std::uint64_t>()};
  begin.time_us = static_cast<std::int64_t>(reader.number<std::uint64_t>());
  begin.xid = reader.number<std::uint32_t>();
  return begin;
}

Commit read_commit(ByteReader& reader) {
  Commit commit;
  (void)reader.letter();  // flags; none is defined
  commit.commit = {reader.number<std::uint64_t>()};
  commit.end = {reader.number<std::uint64_t>()};
  commit.time_us = static_cast<std::int64_t>(reader.number<std::uint64_t>());
  return commit;
}

std::optional<Change> read_change(ByteReader& reader, char type) {
  switch (type) {
    case 'B':
      return read_begin(reader);
    case 'C':
      return read_commit(reader);
    case 'R':
      return read_relation(reader);
    case 'I': {
      Insert insert;
      insert.relation = reader.number<std::uint32_t>();
      expect(reader, 'N');
      insert.row = read_tuple(reader);
      return insert;
    }
    case 'U':
      return read_update(reader);
    case 'D':
      return read_delete(reader);
    case 'T':
      return read_truncate(reader);
    case 'O':
    case 'Y':
    case 'M':
      return read_ignored(reader, type);
    default:
      return std::nullopt;
  }
}

}  // namespace

Result<Change> parse_change(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  const char type = reader.letter();
  if (reader.failed()) {
    return Error::corruption(kSubject, 0, "expected a type, found no bytes");
  }
  std::optional<Change> change = read_change(reader, type);
  if (!change) {
    return Error::unsupported(
        kSubject, 0,
        "expected a message of pgoutput version 1, found type " + escape_bytes(std::string(1, type)));
  }
  if (reader.failed() || reader.left() != 0) {
    return Error::corruption(kSubject, reader.offset(),
                             message("expected a whole message of type ", std::string(1, type), ", found ",
                                     bytes.size(), " bytes that are none"));
  }
  return std::move(*change);
}

}  // namespace bloomery::postgres
