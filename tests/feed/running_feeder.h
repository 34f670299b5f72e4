// `bloomery feed postgres`, or another verb that runs on, as a process of its own, which a test may kill.
#pragma once

#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <sys/wait.h>

#include "tests/base/long_tests.h"
#include "tests/base/start_process.h"
#include "tests/base/test_folder.h"

namespace bloomery {

// Waits until `holds`, at most `seconds`. Returns whether it did.
inline bool comes_true(const std::function<bool()>& holds, int seconds = 60) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  while (std::chrono::steady_clock::now() < end) {
    if (holds()) {
      return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return holds();
}

class RunningFeeder {
 public:
  // `words` follow `bloomery feed postgres`. What the feeder says is appended to the file "feed.log" of the folder.
  RunningFeeder(const TestFolder& folder, std::vector<std::string> words,
                const std::vector<std::string>& verb = {"feed", "postgres"})
      : folder_(folder), words_(std::move(words)) {
    words_.insert(words_.begin(), verb.begin(), verb.end());
    words_.insert(words_.begin(), BLOOMERY_COMMAND);
    start();
  }
  ~RunningFeeder() { end(SIGTERM); }
  RunningFeeder(const RunningFeeder&) = delete;
  RunningFeeder& operator=(const RunningFeeder&) = delete;

  void start() { process_ = start_process(words_, folder_.path("feed.log")); }
  void signal(int number) const {
    if (process_ > 0) {
      ::kill(process_, number);
    }
  }
  // Returns the exit status, or 128 and the signal that ended it.
  int end(int number) {
    if (process_ <= 0) {
      return -1;
    }
    signal(number);
    return wait(60);
  }
  // Waits for a feeder that ends by itself. One that runs on is killed, so that the test fails and does not hang.
  int wait(int seconds = 20) {
    int status = 0;
    if (!comes_true([&] { return ::waitpid(process_, &status, WNOHANG) != 0; }, seconds)) {
      ::kill(process_, SIGKILL);
      ::waitpid(process_, &status, 0);
    }
    process_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  std::string log() const { return folder_.read("feed.log"); }
  // Waits until the feeder has said so.
  bool says(const std::string& text) const {
    return comes_true([&] { return log().find(text) != std::string::npos; });
  }

 private:
  const TestFolder& folder_;
  std::vector<std::string> words_;
  pid_t process_ = 0;
};

// How many rows a checker of the feeder's promise inserts: a third of those of a long test unless somebody wants another number.
inline std::uint64_t checked_rows(std::uint64_t in_long_tests) {
  std::uint64_t wanted = runs_long_tests() ? in_long_tests : in_long_tests / 3;
  if (const char* const text = std::getenv("BLOOMERY_CHECKER_INSERTS")) {
    const std::string_view digits = text;
    (void)std::from_chars(digits.data(), digits.data() + digits.size(), wanted);
  }
  return wanted;
}

}  // namespace bloomery
