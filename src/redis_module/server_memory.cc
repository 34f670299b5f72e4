#include "redis_module/server_memory.h"

#include <cstdlib>

namespace bloomery::redis_module {
namespace {

MemoryCalls& calls() {
  static MemoryCalls chosen = {.try_zeroed = std::calloc, .try_unset = std::malloc, .release = std::free};
  return chosen;
}

}  // namespace

void use_server_memory(const MemoryCalls& given) {
  calls() = given;
}

void* take_zeroed(std::size_t bytes) {
  return calls().try_zeroed(1, bytes);
}

void* take_unset(std::size_t bytes) {
  return calls().try_unset != nullptr ? calls().try_unset(bytes) : take_zeroed(bytes);
}

void give_back(void* memory) {
  calls().release(memory);
}

}  // namespace bloomery::redis_module
