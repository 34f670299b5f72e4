// A redis-server with our module, started by a test on a unix socket in a folder of its own, and ended by it.
#pragma once

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <sys/wait.h>

#include "tests/base/start_process.h"
#include "tests/base/test_folder.h"
#include "tests/redis_module/resp_client.h"

namespace bloomery {

class LiveServer {
 public:
  // `module_before` is loaded before ours, and `module` in its place. The folder may be that of a server before, whose data is
  // loaded then.
  LiveServer(const TestFolder& folder, const std::string& name, const std::vector<std::string>& more = {},
             const std::string& module_before = "", const std::string& module = BLOOMERY_REDIS_MODULE)
      : folder_(folder.path("")), socket_(folder.path(name)) {
    std::vector<std::string> words = {"redis-server",
                                      "--port",
                                      "0",
                                      "--unixsocket",
                                      socket_,
                                      "--dir",
                                      folder_,
                                      "--dbfilename",
                                      name + ".rdb",
                                      "--logfile",
                                      name + ".log",
                                      "--save",
                                      "",
                                      "--repl-diskless-sync-delay",
                                      "0",
                                      "--loadmodule",
                                      module,
                                      "--enable-debug-command",
                                      "yes",
                                      "--appenddirname",
                                      name + ".aof"};
    words.insert(words.end(), more.begin(), more.end());
    if (!module_before.empty()) {
      words.insert(words.begin() + 1, {"--loadmodule", module_before});
    }
    process_ = start_process(words);
    connect();
  }
  LiveServer(const LiveServer&) = delete;
  LiveServer& operator=(const LiveServer&) = delete;
  ~LiveServer() { stop(); }

  bool is_up() const { return client_ != nullptr && client_->is_connected(); }
  const std::string& socket() const { return socket_; }
  pid_t process() const { return process_; }

  template <typename... Word>
  std::string operator()(const Word&... words) {
    return client_->run({std::string(words)...});
  }
  std::string run(const std::vector<std::string>& words) { return client_->run(words); }

  void stop() {
    if (process_ > 0) {
      ::kill(process_, SIGTERM);
      ::waitpid(process_, nullptr, 0);
      process_ = 0;
    }
  }

  // As kill -9 does: nothing is saved.
  void kill() {
    if (process_ > 0) {
      ::kill(process_, SIGKILL);
      ::waitpid(process_, nullptr, 0);
      process_ = 0;
    }
  }

  // Waits until the server has ended by itself, up to a minute.
  bool wait_for_end() {
    for (int i = 0; i < 6000 && process_ > 0; ++i) {
      if (::waitpid(process_, nullptr, WNOHANG) == process_) {
        process_ = 0;
      } else {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
    }
    return process_ == 0;
  }

  // Waits until a command has an answer, up to a minute.
  bool wait_for(const std::vector<std::string>& words, const std::string& part) {
    for (int i = 0; i < 6000; ++i) {
      if (run(words).find(part) != std::string::npos) {
        return true;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

 private:
  void connect() {
    for (int i = 0; i < 3000 && !is_up(); ++i) {
      if (::waitpid(process_, nullptr, WNOHANG) == process_) {
        process_ = 0;
        return;
      }
      client_ = std::make_unique<RespClient>(socket_);
      if (!is_up() || client_->run({"PING"}) != "+PONG") {
        client_.reset();
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
    }
  }

  std::string folder_;
  std::string socket_;
  pid_t process_ = 0;
  std::unique_ptr<RespClient> client_;
};

// Why a live test cannot run here; empty if it can.
inline std::string live_obstacle() {
  if (std::string(BLOOMERY_REDIS_MODULE).empty()) {
    return "SKIPPED: the module is built with a sanitizer, and Debian's server cannot load it";
  }
  return std::system("command -v redis-server >/dev/null 2>&1") == 0
             ? ""
             : "SKIPPED: redis-server is not installed (scripts/setup check)";
}

class LiveTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string obstacle = live_obstacle(); !obstacle.empty()) {
      GTEST_SKIP() << obstacle;
    }
  }
  TestFolder folder_;
};

// The same with one server that is up.
class OneServerTest : public LiveTest {
 protected:
  void SetUp() override {
    LiveTest::SetUp();
    if (!IsSkipped()) {
      server_ = std::make_unique<LiveServer>(folder_, "s");
      ASSERT_TRUE(server_->is_up());
    }
  }
  LiveServer& server() { return *server_; }

  std::unique_ptr<LiveServer> server_;
};

}  // namespace bloomery
