#include "base/link_target.h"

#include <filesystem>

#include <system_error>

namespace bloomery {

std::string link_target(const std::string& path) {
  constexpr int kLinksMax = 40;  // the kernel's own limit
  std::filesystem::path target = path;
  std::error_code error;
  for (int links = 0; links < kLinksMax && std::filesystem::is_symlink(target, error); ++links) {
    const std::filesystem::path named = std::filesystem::read_symlink(target, error);
    target = target.parent_path() / named;
  }
  return target.string();
}

}  // namespace bloomery
