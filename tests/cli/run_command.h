// Runs shell lines in a folder of their own, with `bloomery` and `url_stream` on the PATH, and two ways to wait for another
// process that do not depend on how busy the machine is:
//
//   until_locked FILE    somebody holds its lock
//   until_read FD        all that was written to this end of a pipe has been read
#pragma once

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <sys/wait.h>

#include "tests/base/test_folder.h"

namespace bloomery {

struct Ran {
  int status;
  std::string out;
  std::string err;
};

inline bool says(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

class Shell {
 public:
  Shell() {
    folder_.write("env",
                  "set -u; export LC_ALL=C\nbloomery() { '" BLOOMERY_COMMAND
                  "' \"$@\"; }\nurl_stream() { '" BLOOMERY_URL_STREAM
                  "' \"$@\"; }\n"
                  "until_locked() { while flock -n \"$1\" true; do sleep 0.01; done; }\n"
                  // FIONREAD: the bytes that wait in the pipe
                  "until_read() { while perl -e '$n = pack(\"L\", 0); ioctl(STDIN, 0x541b, $n) or die; "
                  "exit(unpack(\"L\", $n) == 0)' <&\"$1\"; do sleep 0.01; done; }\n");
  }

  // The exit status is the shell's: of the last command, 128 + n for one that a signal killed.
  Ran run(const std::string& line) const {
    folder_.write("line", ". ./env\n" + line + "\n");
    const std::string command = "cd '" + folder_.path("") + "' && bash ./line >.out 2>.err";
    const int status = std::system(command.c_str());
    return {.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
            .out = folder_.read(".out"),
            .err = folder_.read(".err")};
  }

  const TestFolder& folder() const { return folder_; }

 private:
  TestFolder folder_;
};

}  // namespace bloomery
