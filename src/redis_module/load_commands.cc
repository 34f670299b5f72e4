// Commands that bring a filter file into a key and out of it.
//
//   BLOOM.LOAD part BEGIN header crc [SECRET hex]   begins or resumes the load of a file: its first 192
//                                                   bytes, and the CRC-32C of all its bytes; replies how
//                                                   many bytes are loaded
//   BLOOM.LOAD part CHUNK offset crc data           the next bytes, at most 1 MiB; replies the same
//   BLOOM.LOADEND key part                          verifies the file and replaces `key` atomically
//   BLOOM.DUMP key offset [header-crc]              replies the next offset, or 0 at the end, and up to
//                                                   256 KiB of the file; fails if the CRC of the header
//                                                   (its bytes 188 to 191) has changed
//
// `part` is a key of the client's choice in the slot of `key`. Meanwhile `key` keeps its value and answers. A
// part that receives no chunk for an hour expires. After a lost connection, BEGIN resumes the load.
//
// No command's time grows with the file: the checksums are continued chunk by chunk (file_value.h), and the
// old value is freed in the background. An added item changes the header, so a dump of a key that changes
// meanwhile fails.
//
// Each command is replicated verbatim.
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/endian.h"
#include "hash/secret_text.h"
#include "redis_module/arguments.h"
#include "redis_module/bloom_key.h"
#include "redis_module/border.h"
#include "redis_module/command_list.h"
#include "redis_module/file_value.h"
#include "redis_module/memory_limit.h"

namespace bloomery::redis_module {
namespace {

constexpr long long kPartLivesMs = 3'600'000;
constexpr std::uint64_t kDumpBytes = std::uint64_t{256}
                                     << 10;  // of one reply; of 1 MiB, one in a hundred took 2 ms

int fail_with(Context* context, const Error& error) {
  return server.ReplyWithError(context, ("ERR " + error.detail()).c_str());
}

std::span<const std::byte> bytes_of(const String* word) {
  return std::as_bytes(std::span(text_of(word)));
}

std::optional<std::uint32_t> crc_of(const String* word) {
  const auto number = integer_of(word);
  return number && *number >= 0 && *number <= 0xffffffffLL
             ? std::optional(static_cast<std::uint32_t>(*number))
             : std::nullopt;
}

// Keeps a part for an hour, replicates the command, and replies how many bytes are loaded.
int taken(Context* context, String** words, int count, OpenKey& key) {
  key.expire_in(kPartLivesMs);
  server.Replicate(context, "BLOOM.LOAD", "v", words + 1, static_cast<std::size_t>(count - 1));
  return server.ReplyWithLongLong(context, static_cast<long long>(key.file()->taken()));
}

int begin(Context* context, String** words, int count, OpenKey& key) {
  const auto crc = crc_of(words[4]);
  if (!crc) {
    return fail(context, "ERR bad checksum: expected 0 to 2^32 - 1");
  }
  std::optional<HashSecret> secret;
  if (count == 7) {
    secret = secret_of_text(text_of(words[6]));
    if (!secret || !is_word(words[5], "SECRET")) {
      return fail(context, "ERR bad secret: expected SECRET and 32 hexadecimal digits");
    }
  }
  auto value = FileValue::begin(bytes_of(words[3]), *crc, secret, most_bytes_of_key(context));
  if (!value) {
    return value.error().code() == ErrorCode::kCapacity ? fail(context, kTooLarge)
                                                        : fail_with(context, value.error());
  }
  if (key.found() == Found::kNothing) {
    key.set(std::move(*value));
  } else if (!key.file()->is_same(**value) || key.file()->is_finished()) {
    return fail(context, "ERR the key has another file: remove it first, or choose another part");
  }
  return taken(context, words, count, key);
}

int chunk(Context* context, String** words, int count, OpenKey& key) {
  const auto offset = integer_of(words[3]);
  const auto crc = crc_of(words[4]);
  if (!offset || *offset < 0 || !crc) {
    return fail(context, "ERR bad offset or checksum");
  }
  if (key.found() == Found::kNothing) {
    return fail(context, kNotFound);
  }
  if (key.file()->is_finished()) {
    return fail(context, "ERR the load has ended");
  }
  if (const Status took = key.file()->take(static_cast<std::uint64_t>(*offset), *crc, bytes_of(words[5]));
      !took) {
    return fail_with(context, took.error());
  }
  return taken(context, words, count, key);
}

int load_file(Context* context, String** words, int count) {
  redact_secrets(context, words_of(words, count));
  const bool begins = (count == 5 || count == 7) && is_word(words[2], "BEGIN");
  if (!begins && !(count == 6 && is_word(words[2], "CHUNK"))) {
    return fail(context, "ERR expected BEGIN header crc [SECRET hex], or CHUNK offset crc data");
  }
  OpenKey key(context, words[1], kRead | kWrite, Wants::kBoth);
  if (key.found() != Found::kNothing && key.file() == nullptr) {
    return fail(context, kWrongType);
  }
  return begins ? begin(context, words, count, key) : chunk(context, words, count, key);
}

// Returns the error of a key that a file may not replace, or null.
const char* error_of_destination(const OpenKey& key) {
  if (key.found() == Found::kOther && key.file() == nullptr) {
    return kWrongType;
  }
  const bool is_fed = key.found() == Found::kValue && !key.value().record().empty();
  return is_fed ? "ERR a feeder has this key (BLOOM.FEED)" : nullptr;
}

int end_load(Context* context, String** words, int /*count*/) {
  OpenKey part(context, words[2], kRead | kWrite, Wants::kBoth);
  if (part.file() == nullptr) {
    return fail(context, part.found() == Found::kNothing ? kNotFound : kWrongType);
  }
  const bool in_place = text_of(words[1]) == text_of(words[2]);
  std::optional<OpenKey> destination;
  if (!in_place) {
    destination.emplace(context, words[1], kRead | kWrite, Wants::kBoth);
    if (const char* error = error_of_destination(*destination); error != nullptr) {
      return fail(context, error);
    }
  }
  // Commands of an older primary, or of the log, are replayed even on such a key.
  if (in_place && part.file()->is_finished() && !must_obey(context)) {
    return server.ReplyWithSimpleString(context, "OK");  // its time to live stays
  }
  if (const Status finished = part.file()->finish(); !finished) {
    return fail_with(context, finished.error());
  }
  if (in_place) {
    part.expire_in(std::nullopt);
  } else {
    auto value = part.file()->moved();
    destination->unlink();
    destination->set(std::move(value));
    part.unlink();
  }
  server.Replicate(context, "BLOOM.LOADEND", "ss", words[1], words[2]);
  announce(context, "bloom.load", words[1]);
  return server.ReplyWithSimpleString(context, "OK");
}

// Returns the error of a key that cannot be dumped, or null.
const char* error_of_dump(const OpenKey& key) {
  if (key.found() == Found::kNothing) {
    return kNotFound;
  }
  if (key.file() == nullptr) {
    return key.found() == Found::kValue ? "ERR the key is not of a file: BLOOM.SCANDUMP dumps it"
                                        : kWrongType;
  }
  return key.file()->is_finished() ? nullptr : kIsBeingLoaded;
}

int dump(Context* context, String** words, int count) {
  if (count > 4) {
    return server.WrongArity(context);
  }
  const OpenKey key(context, words[1], kRead, Wants::kBoth);
  if (const char* error = error_of_dump(key); error != nullptr) {
    return fail(context, error);
  }
  const FileValue& file = *key.file();
  const std::uint64_t size = file.size();
  const auto offset = integer_of(words[2]);
  if (!offset || *offset < 0 || static_cast<std::uint64_t>(*offset) > size) {
    return fail(context, "ERR bad offset: expected one within the file");
  }
  const auto header_crc = count == 4 ? crc_of(words[3]) : std::nullopt;
  if (count == 4 && !header_crc) {
    return fail(context, "ERR bad checksum: expected 0 to 2^32 - 1");
  }
  const auto header = file.header_bytes();
  if (header_crc && *header_crc != load_little32(header.data() + native_header::kHeaderChecksumAt)) {
    return fail(context, "ERR the file has changed since: begin again, or dump a COPY of the key");
  }
  const auto at = static_cast<std::uint64_t>(*offset);
  const std::vector<std::byte> bytes = file.read(at, std::min(kDumpBytes, size - at));
  const std::uint64_t next = at + bytes.size();
  server.ReplyWithArray(context, 2);
  server.ReplyWithLongLong(context, next == size ? 0 : static_cast<long long>(next));
  return server.ReplyWithStringBuffer(context, reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

}  // namespace

std::span<const CommandRow> load_commands() {
  static constexpr std::array kLoad = {value_argument("step", ArgumentType::kString),
                                       value_argument("argument", ArgumentType::kString, kArgumentRepeats),
                                       CommandArgument{}};
  static constexpr std::array kPart = {value_argument("part", ArgumentType::kString), CommandArgument{}};
  static constexpr std::array kOffset = {
      value_argument("offset", ArgumentType::kInteger),
      value_argument("header-crc", ArgumentType::kInteger, kArgumentIsOptional), CommandArgument{}};
  static constexpr std::array kRows = {
      command<load_file, -5>("BLOOM.LOAD", kAddFlags, KeyUse::kUpdates, "Takes a filter file chunk by chunk",
                             "O(1)", kLoad.data()),
      command<end_load, 3>("BLOOM.LOADEND", "write", KeyUse::kOverwrites,
                           "Puts a file that was loaded in the place of a key", "O(1)", kPart.data(),
                           MoreKeys::kOneMoved),
      command<dump, -3>("BLOOM.DUMP", kSlowReadFlags, KeyUse::kReads,
                        "Returns the bytes of a file that was loaded, piece by piece", "O(1)",
                        kOffset.data())};
  return kRows;
}

}  // namespace bloomery::redis_module
