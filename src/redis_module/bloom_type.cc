#include "redis_module/bloom_type.h"

#include <algorithm>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "base/crc32c.h"
#include "base/zero_bytes.h"
#include "redis_module/counters.h"
#include "redis_module/loaded_string.h"
#include "redis_module/memory_limit.h"
#include "redis_module/value_bytes.h"

namespace bloomery::redis_module {
namespace {

constexpr const char* kBloomTypeName = "bloomery-";
constexpr const char* kDeletableTypeName = "bloomeryQ";
constexpr int kBloomEncoding = 1;
// Bytes per string; in RDB files since version 1, so never change it.
constexpr std::uint64_t kPieceBytes = 1 << 20;
// Smaller values are freed at once, larger ones in the background.
constexpr std::uint64_t kSmallValueBytes = 64 << 10;

// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables): set once, when the module is loaded
DataType* the_bloom_type = nullptr;
DataType* the_deletable_type = nullptr;
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

FilterValue& filter_value_of(void* value) {
  return *static_cast<FilterValue*>(value);
}
const FilterValue& filter_value_of(const void* value) {
  return *static_cast<const FilterValue*>(value);
}

// A contiguous range of a layer's bytes.
struct Piece {
  std::uint64_t offset;
  std::uint64_t size;
};

// Calls use(layer, piece) for consecutive pieces that cover every layer.
template <typename Use>
void for_each_layer_piece(const FilterValue& value, Use use) {
  for (std::size_t layer = 0; layer < value.layer_count(); ++layer) {
    const std::uint64_t size = value.layer_bytes(layer);
    for (std::uint64_t at = 0; at < size;) {
      const Piece piece = {.offset = at, .size = value.layer_step(layer, at, kPieceBytes)};
      use(layer, piece);
      at += piece.size;
    }
  }
}

// Calls use(bytes) for the bytes of every piece; `bytes` is empty if they are all 0.
template <typename Use>
void read_pieces(const FilterValue& value, Use use) {
  std::vector<std::byte> buffer(std::min(kPieceBytes, value.payload_bytes()));
  for_each_layer_piece(value, [&](std::size_t layer, Piece piece) {
    const auto bytes = std::span(buffer).first(piece.size);
    value.read_layer(layer, piece.offset, bytes);
    use(all_zeros(bytes) ? std::span<const std::byte>() : std::span<const std::byte>(bytes));
  });
}

// ---- saving and loading

// The functions below end the server if memory is exhausted, as the server's own functions do, because no
// exception may leave them and they cannot report an error.

void bloom_save(RdbStream* stream, void* value) noexcept {
  const std::string front = front_bytes(filter_value_of(value));
  server.SaveStringBuffer(stream, front.data(), front.size());
  std::uint32_t crc = crc32c(std::as_bytes(std::span(front)));
  read_pieces(filter_value_of(value), [&](std::span<const std::byte> bytes) {
    crc = crc32c(bytes, crc);
    server.SaveStringBuffer(stream, reinterpret_cast<const char*>(bytes.data()), bytes.size());
    server.SaveUnsigned(stream, crc);
  });
}

Status load_pieces(RdbStream* stream, FilterValue& value, std::uint32_t crc) {
  Status status;
  for_each_layer_piece(value, [&](std::size_t layer, Piece piece) {
    if (!status) {
      return;
    }
    const LoadedString string(stream);
    const std::uint64_t expected = server.LoadUnsigned(stream);
    crc = crc32c(string.bytes(), crc);
    if (server.IsIOError(stream) != 0) {
      status = Error::corruption("bloomery value", piece.offset, "the stream ends");
    } else if (!string.bytes().empty() && string.bytes().size() != piece.size) {
      status = Error::corruption("bloomery value", piece.offset, std::to_string(piece.size) + " bytes",
                                 string.bytes().size());
    } else if (expected != crc) {
      status = Error::corruption("bloomery value", piece.offset,
                                 "a piece whose checksum is " + std::to_string(crc), expected);
    } else if (!string.bytes().empty()) {
      status = value.write_layer(layer, piece.offset, string.bytes());
    }
  });
  return status;
}

Result<std::unique_ptr<FilterValue>> bloom_load_value(RdbStream* stream, int encoding, Family family) {
  if (encoding != kBloomEncoding) {
    return Error(ErrorCode::kUnsupported, "bloomery value",
                 "expected encoding 1, found " + std::to_string(encoding) + " of a newer module");
  }
  const LoadedString front(stream);
  BLOOMERY_ASSIGN_OR_RETURN(auto value, read_front(front.bytes()));
  if (family_of(value->layout()) != family) {
    return Error::unsupported("bloomery value", 6, "the layout of another type of key");
  }
  if (const std::uint64_t most = most_bytes_of_read(stream); value->payload_bytes() > most) {
    return Error::capacity("bloomery value", "has " + std::to_string(value->payload_bytes()) +
                                                 " bytes, and bloomery.memory-limit is " +
                                                 std::to_string(most));
  }
  BLOOMERY_RETURN_IF_ERROR(load_pieces(stream, *value, crc32c(front.bytes())));
  return value;
}

template <Family kFamily>
void* bloom_load(RdbStream* stream, int encoding) {
  return loaded_or_logged(stream, [&] { return bloom_load_value(stream, encoding, kFamily); });
}

// The header includes lease and record, and the chunks end where an unfinished load has stopped. So a
// partially loaded value is restored as a partially loaded one.
void bloom_rewrite(RdbStream* stream, String* key, void* value) noexcept {
  std::uint64_t iterator = 0;
  const FilterValue& from = filter_value_of(value);
  for (;;) {
    const Result<ScanStep> step = scan_step(from, iterator);
    if (!step || step->iterator == 0) {
      return;
    }
    server.EmitAOF(stream, "BLOOM.LOADCHUNK", "slb", key, static_cast<long long>(step->iterator),
                   reinterpret_cast<const char*>(step->bytes.data()), step->bytes.size());
    iterator = step->iterator;
  }
}

// ---- memory use, freeing, copying

std::size_t bloom_memory(const void* value) {
  return filter_value_of(value).memory_bytes();
}

void bloom_digest(Digest* digest, void* value) noexcept {
  const std::string front = front_bytes(filter_value_of(value));
  server.DigestAddStringBuffer(digest, front.data(), front.size());
  read_pieces(filter_value_of(value), [&](std::span<const std::byte> bytes) {
    server.DigestAddStringBuffer(digest, reinterpret_cast<const char*>(bytes.data()), bytes.size());
  });
  server.DigestEndSequence(digest);
}

void bloom_release(void* value) {
  delete static_cast<FilterValue*>(value);
}

// Returns 0, which makes the server free in the background, or 1, which makes it free at once.
std::size_t bloom_free_effort(String* /*key*/, const void* value) {
  return filter_value_of(value).payload_bytes() > kSmallValueBytes ? 0 : 1;
}

void* bloom_copy(String* /*from*/, String* /*to*/, const void* value) {
  try {
    return new FilterValue(filter_value_of(value));
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

// Moves memory blocks as long as the server grants time. Returns 1 if the server should call again. For small
// keys the server sets no limit and has no cursor.
int bloom_defrag(DefragContext* context, String* /*key*/, void** value) {
  unsigned long piece = 0;
  if (server.DefragCursorGet(context, &piece) != kOk) {
    piece = 0;
  }
  const auto move = [&](void* memory) {
    void* const moved = server.DefragAlloc(context, memory);
    counters().pieces_moved += moved == nullptr ? 0 : 1;
    return moved;
  };
  const auto is_time_over = [&] { return server.DefragShouldStop(context) != 0; };
  piece = filter_value_of(*value).move_memory(piece, move, is_time_over);
  if (piece == 0) {
    return 0;
  }
  static_cast<void>(server.DefragCursorSet(context, piece));
  return 1;
}

}  // namespace

TypeMethods type_methods(Family family) {
  TypeMethods methods;
  methods.rdb_load = family == Family::kBloom ? bloom_load<Family::kBloom> : bloom_load<Family::kDeletable>;
  methods.rdb_save = bloom_save;
  methods.aof_rewrite = bloom_rewrite;
  methods.mem_usage = bloom_memory;
  methods.digest = bloom_digest;
  methods.free = bloom_release;
  methods.free_effort = bloom_free_effort;
  methods.copy = bloom_copy;
  methods.defrag = bloom_defrag;
  return methods;
}

bool register_types(Context* context) {
  TypeMethods of_bloom = type_methods(Family::kBloom);
  TypeMethods of_deletable = type_methods(Family::kDeletable);
  the_bloom_type = server.CreateDataType(context, kBloomTypeName, kBloomEncoding, &of_bloom);
  the_deletable_type = server.CreateDataType(context, kDeletableTypeName, kBloomEncoding, &of_deletable);
  return the_bloom_type != nullptr && the_deletable_type != nullptr;
}

DataType* type_of(Family family) {
  return family == Family::kBloom ? the_bloom_type : the_deletable_type;
}

}  // namespace bloomery::redis_module
