#include "feed/service_notice.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string_view>

#include <fmt/core.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "filter/leased/lease_page.h"

namespace bloomery::feed {
namespace {

// NOLINTBEGIN(concurrency-mt-unsafe): read at the start, before there are threads; never set by us
std::string from_environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}
// NOLINTEND(concurrency-mt-unsafe)

std::uint64_t number_from_environment(const char* name) {
  const std::string text = from_environment(name);
  std::uint64_t number = 0;
  (void)std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

ServiceNotice::ServiceNotice() : socket_(from_environment("NOTIFY_SOCKET")) {
  const std::uint64_t watched = number_from_environment("WATCHDOG_PID");
  if (watched == 0 || watched == static_cast<std::uint64_t>(::getpid())) {
    watchdog_us_ = number_from_environment("WATCHDOG_USEC");
  }
}

void ServiceNotice::running(const std::string& status) {
  if (socket_.empty()) {
    return;
  }
  std::string lines;
  if (!is_ready_) {
    lines += "READY=1\n";
    is_ready_ = true;
  }
  if (status != status_) {
    status_ = status;
    std::string line = status;
    std::ranges::replace(line, '\n', ' ');
    lines += "STATUS=" + line + "\n";
  }
  const std::uint64_t now = boot_clock_ns();
  if (watchdog_us_ != 0 && (is_extended_ || now - last_alive_ns_ >= watchdog_us_ * 1000 / 4)) {
    lines += is_extended_ ? fmt::format("WATCHDOG_USEC={}\n", watchdog_us_) : "";
    lines += "WATCHDOG=1\n";
    is_extended_ = false;
    last_alive_ns_ = now;
  }
  send(lines);
}

void ServiceNotice::may_last(std::chrono::microseconds time) {
  const auto wanted = static_cast<std::uint64_t>(time.count()) + watchdog_us_;
  if (watchdog_us_ != 0) {
    is_extended_ = true;
    send(fmt::format("WATCHDOG_USEC={}\nWATCHDOG=1\n", wanted));
  }
}

void ServiceNotice::reloading() {
  timespec now{};
  (void)::clock_gettime(CLOCK_MONOTONIC, &now);
  send(fmt::format("RELOADING=1\nMONOTONIC_USEC={}\n", now.tv_sec * 1'000'000 + now.tv_nsec / 1000));
  is_ready_ = false;
}

void ServiceNotice::stopping() {
  send("STOPPING=1\n");
}

void ServiceNotice::send(const std::string& lines) const {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (lines.empty() || socket_.empty() || socket_.size() >= sizeof(address.sun_path)) {
    return;
  }
  std::memcpy(address.sun_path, socket_.data(), socket_.size());
  if (address.sun_path[0] == '@') {
    address.sun_path[0] = '\0';  // an abstract socket
  }
  const int descriptor = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) {
    return;
  }
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());
  (void)::sendto(descriptor, lines.data(), lines.size(), MSG_NOSIGNAL | MSG_DONTWAIT,
                 reinterpret_cast<const sockaddr*>(&address), size);
  (void)::close(descriptor);
}

}  // namespace bloomery::feed
