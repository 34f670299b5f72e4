#include "hash/save_secret.h"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/atomic_file.h"
#include "hash/secret_text.h"

namespace bloomery {
namespace {

constexpr std::uint32_t kOwnerAlone = 0600;

}  // namespace

Status save_new_secret(FileSystem& files, const HashSecret& secret, const std::string& path) {
  if (files.facts(path)) {
    return Error::invalid_argument(path,
                                   "exists already, and may be the key of other filters; --key-file uses it")
        .with_errno(EEXIST);
  }
  const std::string text = secret_text(secret) + '\n';
  const std::span<const std::byte> part = std::as_bytes(std::span(text));
  return save_atomically(files, path, {&part, 1},
                         {.if_exists = IfExists::kRefuse, .permissions = kOwnerAlone});
}

Status HashSecret::save_new(const std::string& path) const {
  return save_new_secret(FileSystem::real(), *this, path);
}

}  // namespace bloomery
