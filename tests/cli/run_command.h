// Runs shell lines in a folder of their own, with `bloomery` and `url_stream` on the PATH, and ways to wait for another
// process that do not depend on how busy the machine is:
//
//   until_locked FILE    somebody holds its lock
//   until_read FD        all that was written to this end of a pipe has been read
//   until_handled FD     and what was read has been worked on: its reader has come back, and has read the half line "half"
//
// They give up after a minute and say so on standard output.
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

// Whether `script` can give a command a terminal: some containers have none to give.
inline bool has_pseudo_terminals() {
  return std::system("script -qec true /dev/null </dev/null >/dev/null 2>&1") == 0;
}

inline bool says(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

class Shell {
 public:
  Shell() {
    folder_.write(
        "env",
        "set -u; export LC_ALL=C\nbloomery() { '" BLOOMERY_COMMAND
        "' \"$@\"; }\nurl_stream() { '" BLOOMERY_URL_STREAM
        "' \"$@\"; }\n"
        // by looking, since trying the lock would hold it for a moment
        "until_locked() { for i in $(seq 6000); do grep -q \":$(stat -c %i \"$1\") \" /proc/locks && "
        "return; sleep 0.01; done; echo 'never locked'; }\n"
        // FIONREAD: the bytes that wait in the pipe
        "until_read() { for i in $(seq 6000); do perl -e '$n = pack(\"L\", 0); ioctl(STDIN, 0x541b, $n) "
        "or die; exit(unpack(\"L\", $n) != 0)' <&\"$1\" && return; sleep 0.01; done; "
        "echo 'never read'; }\n"
        "until_handled() { until_read \"$1\"; printf half >&\"$1\"; until_read \"$1\"; }\n");
  }

  // The exit status is the shell's: of the last command, 128 + n for one that a signal killed. Signals that were ignored
  // where the tests were started (nohup, some CI runners) are not ignored in it, and Ctrl-C ends what it should end.
  Ran run(const std::string& line) const {
    folder_.write("line", ". ./env\n" + line + "\n");
    const std::string command =
        "cd '" + folder_.path("") + "' && env --default-signal bash ./line >.out 2>.err";
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
