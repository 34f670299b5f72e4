// Serves a feeder's metrics by HTTP/1.1, for Prometheus and for health checks.
//
//   GET /metrics   200: the text of the last publish(), version 0.0.4
//   GET /healthz   200 if a *no* counts, otherwise 503; the body is one line
//
// Every other path is 404, every other method 405. One thread serves one connection at a time and closes it
// after the response. A request has at most 4 KiB and 2 seconds, so a client that stalls delays the others by
// that. There is neither TLS nor a password: an address other than loopback must be written out.
//
// Threads: publish() may run concurrently with the server's thread.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "bloomery/base/result.h"

namespace bloomery::feed {

class MetricsServer {
 public:
  // Listens at "PORT", which means 127.0.0.1, at "ADDRESS:PORT" or at "[ADDRESS]:PORT". Errors:
  // kInvalidArgument for another text; kIo if the address cannot be used.
  static Result<std::unique_ptr<MetricsServer>> listen(const std::string& address);
  ~MetricsServer();
  MetricsServer(const MetricsServer&) = delete;
  MetricsServer& operator=(const MetricsServer&) = delete;

  // Until `good_until_ns`, of CLOCK_BOOTTIME, /healthz is 200. `state` is its body.
  void publish(std::string metrics, std::string state, std::uint64_t good_until_ns);

 private:
  MetricsServer(int listener, int stop_read, int stop_write);
  void run();
  void serve(int connection) const;
  std::string response_to(const std::string& request) const;

  int listener_;
  int stop_read_;
  int stop_write_;  // closed to end the thread
  mutable std::mutex mutex_;
  std::string metrics_;
  std::string state_ = "loading";
  std::uint64_t good_until_ns_ = 0;
  std::thread thread_;
};

}  // namespace bloomery::feed
