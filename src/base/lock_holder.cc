#include "base/lock_holder.h"

#include <cerrno>
#include <fstream>
#include <sstream>

#include "base/message.h"

namespace bloomery {

// A line of the list, of which a lock that is waited for has an arrow in place of its kind:
//
//   3: FLOCK  ADVISORY  WRITE 4711 08:01:1835012 0 EOF
std::optional<long> lock_holder(const FileFacts& facts) {
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    std::istringstream words(line);
    std::string number;
    std::string kind;
    std::string mode;
    std::string access;
    std::string file;
    long process = 0;
    if (!(words >> number >> kind >> mode >> access >> process >> file) || kind != "FLOCK" || process <= 0) {
      continue;
    }
    if (file.substr(file.rfind(':') + 1) == std::to_string(facts.inode)) {
      return process;
    }
  }
  return std::nullopt;
}

Error held_by_other(const std::string& path, const Result<FileFacts>& lock) {
  const std::optional<long> process = lock ? lock_holder(*lock) : std::nullopt;
  return process ? Error(ErrorCode::kIo, path, message("in use: process ", *process, " has it open"))
                       .with_errno(EWOULDBLOCK)
                 : Error::in_use(path);
}

}  // namespace bloomery
