// Any bytes, taken for what a PostgreSQL server sends to a follower: messages inside COPY BOTH, messages of pgoutput, and rows
// of COPY. What was read of a message must fit into its bytes.
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>
#include <variant>

#include "connect/postgres/copy_row.h"
#include "connect/postgres/lsn.h"
#include "connect/postgres/pgoutput.h"
#include "connect/postgres/replication_messages.h"

namespace {

using namespace bloomery;
using namespace bloomery::postgres;

void require(bool condition) {
  if (!condition) {
    std::abort();
  }
}

std::size_t bytes_said(const Tuple& tuple) {
  std::size_t sum = 0;
  for (const Value& value : tuple) {
    sum += 1 + value.bytes.size();
  }
  return sum;
}

void check(const Change& change, std::size_t size) {
  if (const auto* const insert = std::get_if<Insert>(&change)) {
    require(bytes_said(insert->row) <= size);
  } else if (const auto* const update = std::get_if<Update>(&change)) {
    require(bytes_said(update->row) + (update->old_row ? bytes_said(*update->old_row) : 0) <= size);
  } else if (const auto* const relation = std::get_if<Relation>(&change)) {
    require(relation->columns.size() * 10 <= size);
  } else if (const auto* const truncate = std::get_if<Truncate>(&change)) {
    require(truncate->relations.size() * 4 <= size);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const Result<Change> change = parse_change(bytes)) {
    check(*change, size);
  }
  if (const Result<ServerMessage> received = parse_server_message(bytes)) {
    if (const auto* const piece = std::get_if<LogPiece>(&*received)) {
      (void)parse_change(piece->bytes);
    }
  }
  CopyRow row;
  for (std::size_t columns = 1; columns < 4; ++columns) {
    if (row.read(text, columns)) {
      require(row.fields().size() == columns);
    }
  }
  if (const auto lsn = parse_lsn(text)) {
    require(parse_lsn(to_text(*lsn)) == lsn);
  }
  return 0;
}
