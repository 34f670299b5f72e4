#include "connect/redis/file_transfer.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <optional>
#include <string_view>

#include "base/crc32c.h"
#include "base/endian.h"
#include "connect/redis/key_slot.h"
#include "hash/secret_text.h"

namespace bloomery::redis {
namespace {

constexpr std::uint64_t kHeaderBytes = 192;
// Small, so that the server can serve other clients between two chunks.
constexpr std::uint64_t kChunkBytes = std::uint64_t{256} << 10;

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Runs a command whose reply is the number of bytes loaded.
Result<std::uint64_t> taken(Client& client, const Command& command) {
  BLOOMERY_ASSIGN_OR_RETURN(const Reply reply, client.run(Request(command)));
  if (reply.kind != Reply::Kind::kInteger || reply.integer < 0) {
    return Error(ErrorCode::kCorruption, client.name(),
                 "expected a number of bytes, found " + reply.describe());
  }
  return static_cast<std::uint64_t>(reply.integer);
}

Status load_once(Client& client, std::span<const std::byte> file, const std::string& key,
                 const HashSecret* secret, const Progress& progress) {
  const std::uint32_t crc = crc32c(file);
  std::array<char, 16> name{};
  (void)std::snprintf(name.data(), name.size(), ":load:%08x", crc);
  const std::string part = key_beside(key, name.data());
  Command begin("BLOOM.LOAD");
  begin.key(part).word("BEGIN").word(text_of(file.first(std::min<std::size_t>(file.size(), kHeaderBytes))));
  begin.word(std::int64_t{crc});
  if (secret != nullptr) {
    begin.word("SECRET").word(secret_text(*secret));
  }
  BLOOMERY_ASSIGN_OR_RETURN(std::uint64_t done, taken(client, begin.repeatable()));
  while (done < file.size()) {
    const auto chunk = file.subspan(done, std::min(kChunkBytes, file.size() - done));
    Command command("BLOOM.LOAD");
    command.key(part).word("CHUNK").word(static_cast<std::int64_t>(done));
    command.word(std::int64_t{crc32c(chunk)}).word(text_of(chunk)).repeatable();
    BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t now, taken(client, command));
    if (now <= done) {
      return Error(ErrorCode::kCorruption, client.name(), "expected more bytes than before");
    }
    done = now;
    if (!progress(done)) {
      return Error::io(client.name(), "load of a file, which the next run goes on with", EINTR);
    }
  }
  Command end("BLOOM.LOADEND");
  BLOOMERY_RETURN_IF_ERROR(client.run(Request(end.key(key).word(part))));
  return {};
}

// Returns true if the server says that the temporary key does not exist.
bool is_gone(const Error& error) {
  return error.to_string().find("'ERR not found'") != std::string::npos;
}

// Returns the CRC in a file's header, by which a change of the file is noticed; nothing if the header is
// incomplete.
std::optional<std::uint32_t> header_crc(std::span<const std::byte> begin) {
  constexpr std::size_t kCrcAt = kHeaderBytes - sizeof(std::uint32_t);
  return begin.size() < kHeaderBytes ? std::nullopt : std::optional(load_little32(begin.data() + kCrcAt));
}

}  // namespace

// Retries if the temporary key is gone: the last command of a killed process may have run after our first one
// and ended the load.
Status load_file(Client& client, std::span<const std::byte> file, const std::string& key,
                 const HashSecret* secret, const Progress& progress) {
  constexpr int kMostLoads = 3;
  Status loaded = load_once(client, file, key, secret, progress);
  for (int i = 1; i < kMostLoads && !loaded && is_gone(loaded.error()); ++i) {
    loaded = load_once(client, file, key, secret, progress);
  }
  return loaded;
}

Status dump_file(Client& client, const std::string& key,
                 const std::function<Status(std::span<const std::byte>)>& take) {
  std::int64_t offset = 0;
  std::optional<std::uint32_t> crc;
  do {
    Command dump("BLOOM.DUMP");
    dump.key(key).word(offset);
    if (crc) {
      dump.word(std::int64_t{*crc});
    }
    BLOOMERY_ASSIGN_OR_RETURN(const Reply reply, client.run(Request(dump.repeatable())));
    const bool is_right = reply.kind == Reply::Kind::kArray && reply.elements.size() == 2 &&
                          reply.elements[0].kind == Reply::Kind::kInteger &&
                          reply.elements[1].kind == Reply::Kind::kBytes;
    if (!is_right) {
      return Error(ErrorCode::kCorruption, client.name(),
                   "expected an offset and bytes, found " + reply.describe());
    }
    const std::int64_t next = reply.elements[0].integer;
    const std::string& bytes = reply.elements[1].text;
    if (next != 0 && (bytes.empty() || next != offset + static_cast<std::int64_t>(bytes.size()))) {
      return Error(ErrorCode::kCorruption, client.name(), "expected the offset behind the bytes");
    }
    crc = offset == 0 ? header_crc(std::as_bytes(std::span(bytes))) : crc;
    BLOOMERY_RETURN_IF_ERROR(take(std::as_bytes(std::span(bytes))));
    offset = next;
  } while (offset != 0);
  return {};
}

}  // namespace bloomery::redis
