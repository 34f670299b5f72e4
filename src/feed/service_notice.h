// Tells the service manager (systemd) the state of this process by datagrams to $NOTIFY_SOCKET. Does nothing
// if that is not set.
//
//   running()       READY=1 at the first call; STATUS= if the text changed; WATCHDOG=1 when it is due
//   may_last()      the next call may come this late: WATCHDOG_USEC= until the next running()
//   reloading()     RELOADING=1; the next running() sends READY=1
//   stopping()      STOPPING=1
//
// The watchdog's messages come from the caller's thread alone, so a feeder that hangs is restarted. They are
// due at a quarter of $WATCHDOG_USEC.
// Source: sd_notify(3). Not here: libsystemd, which would be one more library for these few lines.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace bloomery::feed {

class ServiceNotice {
 public:
  ServiceNotice();

  void running(const std::string& status);
  void may_last(std::chrono::microseconds time);
  void reloading();
  void stopping();

 private:
  void send(const std::string& lines) const;

  std::string socket_;             // empty: nobody wants to know
  std::uint64_t watchdog_us_ = 0;  // 0: no watchdog
  std::uint64_t last_alive_ns_ = 0;
  bool is_ready_ = false;
  bool is_extended_ = false;
  std::string status_;
};

}  // namespace bloomery::feed
