#include "cli/output.h"

#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace bloomery::cli {
namespace {

constexpr std::size_t kGatherBytes = std::size_t{64} << 10;
constexpr int kPipeBytes = 1 << 20;

}  // namespace

Output::Output(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name)) {
  gathered_.reserve(kGatherBytes);
  // A larger pipe means fewer switches between this process and its reader. The call has no effect if it
  // fails: for anything but a pipe, and above the user's limit.
  (void)::fcntl(descriptor, F_SETPIPE_SZ, kPipeBytes);
}

Status Output::write(std::string_view text) {
  if (gathered_.size() + text.size() > kGatherBytes) {
    BLOOMERY_RETURN_IF_ERROR(flush());
  }
  if (text.size() > kGatherBytes) {
    return write_now(text);
  }
  gathered_ += text;
  return {};
}

Status Output::flush() {
  Status status = write_now(gathered_);
  gathered_.clear();
  return status;
}

Status Output::write_now(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(descriptor_, text.data(), text.size());
    if (count < 0 && errno != EINTR) {
      return Error::io(name_, "write", errno);
    }
    text.remove_prefix(count > 0 ? static_cast<std::size_t>(count) : 0);
  }
  return {};
}

}  // namespace bloomery::cli
