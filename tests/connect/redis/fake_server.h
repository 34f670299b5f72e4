// A server for tests: it listens on a port of the loopback that the system chooses, and says what the test tells it to.
#pragma once

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <sys/socket.h>
#include <unistd.h>

#include "connect/redis/reply_reader.h"
#include "connect/redis/url.h"

namespace bloomery::redis {

// The answer to one command. The server sends the bytes, all at once or byte by byte, and then goes on or hangs up.
struct Say {
  std::string bytes;
  bool hangs_up = false;
  std::chrono::milliseconds between_bytes{0};
  std::chrono::milliseconds before{0};
};

using Words = std::vector<std::string>;

class FakeServer {
 public:
  using Answer = std::function<Say(const Words&)>;

  explicit FakeServer(Answer answer) : answer_(std::move(answer)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listener_, any, size) != 0 || ::listen(listener_, 64) != 0 ||
        ::getsockname(listener_, any, &size) != 0) {
      std::abort();
    }
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { accept_all(); });
  }
  FakeServer(const FakeServer&) = delete;
  FakeServer& operator=(const FakeServer&) = delete;
  ~FakeServer() { stop(); }

  // Nobody listens any more, and all connections end.
  void stop() {
    if (listener_ < 0) {
      return;
    }
    ::shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    ::close(std::exchange(listener_, -1));
    hang_up();
    for (std::thread& thread : serving_) {
      thread.join();
    }
  }

  // All connections end; new ones are welcome.
  void hang_up() {
    const std::scoped_lock lock(mutex_);
    for (const int descriptor : open_) {
      ::shutdown(descriptor, SHUT_RDWR);
    }
  }

  std::uint16_t port() const { return port_; }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  Url url() const {
    Url url;
    url.endpoint.host = "127.0.0.1";
    url.endpoint.port = port_;
    return url;
  }

  // The commands that came so far, each with spaces between its words.
  std::vector<std::string> heard() {
    const std::scoped_lock lock(mutex_);
    return heard_;
  }
  std::size_t heard(const std::string& command) {
    const std::scoped_lock lock(mutex_);
    return static_cast<std::size_t>(std::count(heard_.begin(), heard_.end(), command));
  }

 private:
  void accept_all() {
    for (;;) {
      const int descriptor = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (descriptor < 0) {
        return;
      }
      const int at_once = 1;
      (void)::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof(at_once));
      const std::scoped_lock lock(mutex_);
      open_.push_back(descriptor);
      serving_.emplace_back([this, descriptor] { serve(descriptor); });
    }
  }

  void serve(int descriptor) {
    ReplyReader commands;  // a command is an array of bytes, which is a reply too
    std::array<char, 65536> bytes;
    for (ssize_t got; (got = ::recv(descriptor, bytes.data(), bytes.size(), 0)) > 0;) {
      if (!commands.feed({bytes.data(), static_cast<std::size_t>(got)}) ||
          !answer_all(descriptor, commands)) {
        break;
      }
    }
    const std::scoped_lock lock(mutex_);
    std::erase(open_, descriptor);
    ::close(descriptor);
  }

  // Returns false once the server hangs up.
  bool answer_all(int descriptor, ReplyReader& commands) {
    for (;;) {
      const Result<std::optional<Reply>> command = commands.next();
      if (!command || !*command) {
        return command.has_value();
      }
      Words words;
      std::string line;
      for (const Reply& word : (*command)->elements) {
        line += (words.empty() ? "" : " ") + word.text;
        words.push_back(word.text);
      }
      Say say;
      {
        const std::scoped_lock lock(mutex_);
        heard_.push_back(line);
        say = answer_(words);
      }
      if (!send_all(descriptor, say) || say.hangs_up) {
        return false;
      }
    }
  }

  static bool send_all(int descriptor, const Say& say) {
    std::this_thread::sleep_for(say.before);
    if (say.between_bytes.count() == 0) {
      return ::send(descriptor, say.bytes.data(), say.bytes.size(), MSG_NOSIGNAL) >= 0;
    }
    for (const char byte : say.bytes) {
      std::this_thread::sleep_for(say.between_bytes);
      if (::send(descriptor, &byte, 1, MSG_NOSIGNAL) < 0) {
        return false;
      }
    }
    return true;
  }

  Answer answer_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::thread acceptor_;
  std::mutex mutex_;
  std::vector<int> open_;
  std::vector<std::thread> serving_;
  std::vector<std::string> heard_;
};

// The bytes of replies.
inline Say line(const std::string& text) {
  return {.bytes = text + "\r\n"};
}
inline std::string bulk(const std::string& text) {
  return "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n";
}
inline const Say kNoCluster = line("-ERR This instance has cluster support disabled");

// The reply of CLUSTER SLOTS where each of the servers has a range of slots.
struct SlotRange {
  int first;
  int last;
  std::uint16_t port;
};
inline Say slots_reply(const std::vector<SlotRange>& ranges) {
  std::string bytes = "*" + std::to_string(ranges.size()) + "\r\n";
  for (const SlotRange& range : ranges) {
    bytes += "*3\r\n:" + std::to_string(range.first) + "\r\n:" + std::to_string(range.last) + "\r\n*3\r\n" +
             bulk("127.0.0.1") + ":" + std::to_string(range.port) + "\r\n" + bulk("an id");
  }
  return {.bytes = bytes};
}

}  // namespace bloomery::redis
