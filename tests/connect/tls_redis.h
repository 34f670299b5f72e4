// A redis-server with TLS on a port of the loopback, and certificates that the command openssl makes for it.
#pragma once

#include <arpa/inet.h>
#include <cstdint>
#include <cstdlib>
#include <netinet/in.h>
#include <string>
#include <vector>

#include <sys/socket.h>
#include <unistd.h>

#include "tests/base/test_folder.h"
#include "tests/connect/server_process.h"

namespace bloomery {

// A port that was free a moment ago, with a cluster's bus port below 65536.
inline std::uint16_t free_port() {
  for (;;) {
    const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listener, any, size) != 0 || ::getsockname(listener, any, &size) != 0) {
      std::abort();
    }
    ::close(listener);
    if (ntohs(address.sin_port) < 55536) {
      return ntohs(address.sin_port);
    }
  }
}

// Makes in a folder: the authorities ca and other, and certificates that ca signs, each as NAME.pem and NAME.key. `server` and
// `expired` are for localhost and 127.0.0.1, `elsewhere` for another host, `client` for a client.
inline bool make_certificates(const TestFolder& folder) {
  folder.write("make", R"(set -e
key='-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes'
for name in ca other; do openssl req -x509 $key -keyout $name.key -out $name.pem -days 30 -subj /CN=$name; done
leaf() {
  openssl req $key -keyout $1.key -out $1.csr -subj /CN=$1
  echo subjectAltName=$3 > $1.ext
  openssl x509 -req -in $1.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days $2 -extfile $1.ext -out $1.pem
}
leaf server 30 DNS:localhost,IP:127.0.0.1
leaf expired -1 DNS:localhost,IP:127.0.0.1
leaf elsewhere 30 DNS:elsewhere.example
leaf client 30 DNS:client
)");
  return std::system(("cd " + folder.path("") + " && sh make >made 2>&1").c_str()) == 0;
}

class TlsRedis {
 public:
  // The server has the certificate `name`; `more` are further options.
  TlsRedis(const TestFolder& folder, const std::string& name, const std::vector<std::string>& more = {})
      : port_(free_port()), plain_port_(free_port()), process_(words(folder, name, more)) {}

  std::uint16_t port() const { return port_; }
  std::uint16_t plain_port() const { return plain_port_; }
  ServerProcess& process() { return process_; }

 private:
  std::vector<std::string> words(const TestFolder& folder, const std::string& name,
                                 const std::vector<std::string>& more) const {
    std::vector<std::string> all = {"redis-server",
                                    "--bind",
                                    "127.0.0.1",
                                    "--port",
                                    std::to_string(plain_port_),
                                    "--tls-port",
                                    std::to_string(port_),
                                    "--tls-cert-file",
                                    folder.path(name + ".pem"),
                                    "--tls-key-file",
                                    folder.path(name + ".key"),
                                    "--tls-ca-cert-file",
                                    folder.path("ca.pem"),
                                    "--dir",
                                    folder.path(""),
                                    "--logfile",
                                    "redis-" + std::to_string(port_) + ".log",
                                    "--save",
                                    ""};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  std::uint16_t port_;
  std::uint16_t plain_port_;
  ServerProcess process_;
};

}  // namespace bloomery
