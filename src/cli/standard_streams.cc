#include "cli/standard_streams.h"

#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

namespace bloomery::cli {

void hold_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) < 0 && errno == EBADF) {
      // open() returns the lowest free descriptor, which is this one. Standard input and output are opened in
      // the wrong direction, so that every use is an error. Standard error accepts messages, which are lost.
      (void)::open("/dev/null", descriptor == STDOUT_FILENO ? O_RDONLY : O_WRONLY);
    }
  }
}

void silence_standard_error() {
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) {
    (void)::dup2(nowhere, STDERR_FILENO);
    (void)::close(nowhere);
  }
}

bool flush_standard_output() {
  return std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
}

}  // namespace bloomery::cli
