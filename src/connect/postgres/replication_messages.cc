#include "connect/postgres/replication_messages.h"

#include <array>

#include "base/byte_text.h"
#include "base/endian.h"
#include "connect/postgres/byte_reader.h"

namespace bloomery::postgres {

Result<ServerMessage> parse_server_message(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  const char type = reader.letter();
  if (type == 'w') {
    (void)reader.number<std::uint64_t>();  // LSN of the data; 0 for most messages of pgoutput
    (void)reader.number<std::uint64_t>();  // LSN of the end of the log
    (void)reader.number<std::uint64_t>();  // the server's time
    if (!reader.failed()) {
      return ServerMessage(LogPiece{.bytes = bytes.subspan(reader.offset())});
    }
  } else if (type == 'k') {
    Keepalive keepalive;
    keepalive.end = {reader.number<std::uint64_t>()};
    (void)reader.number<std::uint64_t>();
    keepalive.wants_reply = reader.number<std::uint8_t>() != 0;
    if (!reader.failed() && reader.left() == 0) {
      return ServerMessage(keepalive);
    }
  }
  return Error::corruption(
      "replication message", reader.offset(),
      "expected a piece of the log or a keepalive, found type " + escape_bytes(std::string(1, type)));
}

std::string status_message(const Progress& progress, std::int64_t time_us) {
  std::string text(1 + 4 * 8 + 1, '\0');
  auto* const bytes = reinterpret_cast<std::byte*>(text.data());
  text.front() = 'r';
  store_big<std::uint64_t>(bytes + 1, progress.written.value);
  store_big<std::uint64_t>(bytes + 9, progress.flushed.value);
  store_big<std::uint64_t>(bytes + 17, progress.applied.value);
  store_big<std::uint64_t>(bytes + 25, static_cast<std::uint64_t>(time_us));
  text.back() = progress.wants_reply ? '\1' : '\0';
  return text;
}

}  // namespace bloomery::postgres
