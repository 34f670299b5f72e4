// A server that a test starts, kills and starts again: redis-server or memcached, on a Unix socket in the test's folder.
#pragma once

#include <csignal>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <sys/wait.h>

#include "tests/base/start_process.h"

namespace bloomery {

class ServerProcess {
 public:
  explicit ServerProcess(std::vector<std::string> words) : words_(std::move(words)) { start(); }
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;
  ~ServerProcess() { kill(); }

  static bool is_installed(const std::string& program) {
    return std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0;
  }

  void start() { process_ = start_process(words_); }
  // As kill -9 does: no connection is ended in order.
  void kill() {
    if (process_ > 0) {
      ::kill(process_, SIGKILL);
      ::waitpid(process_, nullptr, 0);
      process_ = 0;
    }
  }
  // It neither answers nor hangs up until resume(). Returns once all its threads have stopped.
  void stop() {
    ::kill(process_, SIGSTOP);
    ::waitpid(process_, nullptr, WUNTRACED);
  }
  void resume() { ::kill(process_, SIGCONT); }

 private:
  std::vector<std::string> words_;
  pid_t process_ = 0;
};

}  // namespace bloomery
