// A redis-server of this program, on a Unix socket, which it may kill. It keeps nothing on disk.
#pragma once

#include <bloomery/connect/redis_cache.h>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

class RedisServer {
 public:
  explicit RedisServer(std::string folder) : folder_(std::move(folder)) { start(); }
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;
  ~RedisServer() { kill(); }

  std::string url() const { return "unix://" + folder_ + "/redis"; }

  void start() {
    process_ = ::fork();
    if (process_ == 0) {
      const std::string socket = folder_ + "/redis";
      const std::string log = folder_ + "/redis.log";
      ::execlp("redis-server", "redis-server", "--port", "0", "--unixsocket", socket.c_str(), "--save", "",
               "--dir", folder_.c_str(), "--logfile", log.c_str(), static_cast<char*>(nullptr));
      std::_Exit(127);
    }
    const auto cache = *bloomery::redis_cache(url());
    for (int i = 0; i < 500 && !cache->get("anything"); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  void kill() {
    if (process_ > 0) {
      ::kill(process_, SIGKILL);
      ::waitpid(process_, nullptr, 0);
      process_ = 0;
    }
  }
  // Resident memory in MB.
  double memory_mb() const {
    std::FILE* const file = std::fopen(("/proc/" + std::to_string(process_) + "/statm").c_str(), "r");
    unsigned long pages = 0;
    if (file != nullptr) {
      (void)std::fscanf(file, "%*u %lu", &pages);
      std::fclose(file);
    }
    return static_cast<double>(pages) * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1e6;
  }

 private:
  std::string folder_;
  pid_t process_ = 0;
};
