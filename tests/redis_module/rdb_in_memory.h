// A stream of RDB in memory, in place of a server's: what bloom_type.cc saves is kept and can be damaged.
//
//   string: u64 size, bytes      number: u64
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "redis_module/bloom_type.h"
#include "redis_module/module_api.h"

namespace bloomery::redis_module {

struct RdbStream {
  std::string bytes;
  std::size_t at = 0;
  bool has_failed = false;
  std::vector<std::vector<std::string>> commands = {};  // of a log that is rewritten (server_in_memory.h)

  std::uint64_t take_number() {
    std::uint64_t value = 0;
    if (bytes.size() - at < sizeof(value)) {
      has_failed = true;
      return 0;
    }
    std::memcpy(&value, bytes.data() + at, sizeof(value));
    at += sizeof(value);
    return value;
  }
};

inline void log_nothing(RdbStream* /*stream*/, const char* /*level*/, const char* /*format*/, ...) {}

// Puts functions for such streams into the table of the server's functions.
inline void use_rdb_in_memory() {
  server.SaveUnsigned = [](RdbStream* stream, std::uint64_t value) {
    stream->bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  server.SaveStringBuffer = [](RdbStream* stream, const char* text, std::size_t size) {
    server.SaveUnsigned(stream, size);
    stream->bytes.append(text, size);
  };
  server.LoadUnsigned = [](RdbStream* stream) { return stream->take_number(); };
  server.LoadStringBuffer = [](RdbStream* stream, std::size_t* size) -> char* {
    const std::uint64_t wanted = stream->take_number();
    if (stream->has_failed || wanted > stream->bytes.size() - stream->at) {
      stream->has_failed = true;
      return nullptr;
    }
    auto* const text = static_cast<char*>(std::malloc(wanted + 1));
    std::memcpy(text, stream->bytes.data() + stream->at, wanted);
    stream->at += wanted;
    *size = wanted;
    return text;
  };
  server.Free = std::free;
  server.IsIOError = [](RdbStream* stream) { return stream->has_failed ? 1 : 0; };
  server.LogIOError = log_nothing;
}

inline std::string saved(const FilterValue& value) {
  RdbStream stream;
  type_methods(family_of(value.layout()))
      .rdb_save(&stream, const_cast<FilterValue*>(&value));  // NOLINT: the server's signature
  return stream.bytes;
}

// The type of key that a server would have kept beside these bytes.
inline Family family_in(const std::string& bytes) {
  constexpr std::size_t kLayoutAt = sizeof(std::uint64_t) + 6;  // behind the size of the front
  return bytes.size() > kLayoutAt ? family_of(static_cast<Layout>(bytes[kLayoutAt])) : Family::kBloom;
}

// Returns null for bytes that the type refuses.
inline std::unique_ptr<FilterValue> loaded(const std::string& bytes, int encoding = 1) {
  RdbStream stream{.bytes = bytes};
  return std::unique_ptr<FilterValue>(
      static_cast<FilterValue*>(type_methods(family_in(bytes)).rdb_load(&stream, encoding)));
}

}  // namespace bloomery::redis_module
