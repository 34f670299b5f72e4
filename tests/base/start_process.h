// Starts a program as a process of its own, which a test may signal and must wait for.
#pragma once

#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace bloomery {

// The program is looked up on the PATH. What it says on standard error is appended to the file `log`, if that is named. A
// program that cannot be started ends with the status 127.
inline pid_t start_process(const std::vector<std::string>& words, const std::string& log = "") {
  std::vector<char*> arguments;
  for (const std::string& word : words) {
    arguments.push_back(const_cast<char*>(word.c_str()));  // NOLINT: execvp() does not change them
  }
  arguments.push_back(nullptr);
  const pid_t process = ::fork();
  if (process == 0) {
    if (!log.empty()) {
      ::dup2(::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644), STDERR_FILENO);
    }
    ::execvp(arguments[0], arguments.data());
    ::_exit(127);
  }
  return process;
}

}  // namespace bloomery
