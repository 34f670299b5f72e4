// The parameters of TLS to a Redis server, as a URL names them (url.h).
#pragma once

#include <string>

namespace bloomery::redis {

// All files are PEM. They are read for each connection, so a renewed certificate needs no restart.
struct TlsParameters {
  std::string ca_file;      // the certificates that the server's must lead to; both empty: the system's
  std::string ca_folder;    // the same, a folder as openssl-rehash(1) makes it
  std::string certificate;  // the client's certificate and its chain; empty: none
  std::string key;          // the private key of `certificate`, without a passphrase
  std::string server_name;  // sent as SNI, and expected in the certificate; empty: the host of the connection
};

}  // namespace bloomery::redis
