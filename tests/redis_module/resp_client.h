// A connection to a server over a unix socket, for tests. Replies are written as text that a test can compare:
//
//   :1  +OK  -ERR ...  $text  _ (null)  #t  ,0.5  [:1 :0]  {$a=:1 $b=:2}
#pragma once

#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace bloomery {

class RespClient {
 public:
  explicit RespClient(const std::string& socket_path) : socket_(::socket(AF_UNIX, SOCK_STREAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, socket_path.c_str(), sizeof(address.sun_path) - 1);
    connected_ = ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  }
  RespClient(const RespClient&) = delete;
  RespClient& operator=(const RespClient&) = delete;
  ~RespClient() { ::close(socket_); }

  bool is_connected() const { return connected_; }

  std::string run(const std::vector<std::string>& words) {
    std::string request = "*" + std::to_string(words.size()) + "\r\n";
    for (const std::string& word : words) {
      request += "$" + std::to_string(word.size()) + "\r\n" + word + "\r\n";
    }
    for (std::size_t sent = 0; sent < request.size();) {
      const ::ssize_t count = ::send(socket_, request.data() + sent, request.size() - sent, MSG_NOSIGNAL);
      if (count <= 0) {
        return "connection lost";
      }
      sent += static_cast<std::size_t>(count);
    }
    return reply();
  }

 private:
  bool fill() {
    std::vector<char> bytes(1 << 16);
    const ::ssize_t count = ::recv(socket_, bytes.data(), bytes.size(), 0);
    if (count <= 0) {
      return false;
    }
    buffer_.append(bytes.data(), static_cast<std::size_t>(count));
    return true;
  }
  std::string line() {
    std::size_t end = buffer_.find("\r\n", at_);
    while (end == std::string::npos) {
      if (!fill()) {
        return "-connection lost";
      }
      end = buffer_.find("\r\n", at_);
    }
    std::string text = buffer_.substr(at_, end - at_);
    at_ = end + 2;
    return text;
  }
  std::string bulk(std::size_t size) {
    while (buffer_.size() - at_ < size + 2) {
      if (!fill()) {
        return "connection lost";
      }
    }
    std::string text = buffer_.substr(at_, size);
    at_ += size + 2;
    return text;
  }
  std::string list(std::size_t count, bool is_map) {
    std::string text = is_map ? "{" : "[";
    for (std::size_t i = 0; i < count; ++i) {
      text += (i == 0 ? "" : " ") + reply();
      if (is_map) {
        text += "=" + reply();
      }
    }
    return text + (is_map ? "}" : "]");
  }
  std::string reply() {
    if (at_ > (1U << 20)) {
      buffer_.erase(0, std::exchange(at_, 0));
    }
    const std::string head = line();
    const long long number = std::atoll(head.c_str() + 1);
    switch (head[0]) {
      case '$':
        return number < 0 ? "_" : "$" + bulk(static_cast<std::size_t>(number));
      case '*':
        return number < 0 ? "_" : list(static_cast<std::size_t>(number), false);
      case '%':
        return list(static_cast<std::size_t>(number), true);
      default:
        return head;
    }
  }

  int socket_;
  bool connected_ = false;
  std::string buffer_;
  std::size_t at_ = 0;
};

}  // namespace bloomery
