// The client's side of one TLS connection, between memory and memory. Connection moves the bytes.
//
//   Calls: start (take_output | feed | handshake)* (seal | open | feed | take_output)*
//
// The server's certificate is always verified: its chain, its dates and its name or address. TLS 1.2 is the
// least version. OpenSSL writes no bytes itself, because its write() to a closed connection would end the
// process by SIGPIPE, and its reads and writes have no deadline. A build without OpenSSL has tls_absent.cc
// in place of tls_session.cc: start() then returns kUnsupported.
//
// Errors of a certificate, and alerts of the server, are kInvalidArgument: to try again does not help. Bytes
// that are not TLS are kCorruption.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"
#include "connect/redis/tls.h"

struct ssl_st;

namespace bloomery::redis {

// Returns true if this build has TLS.
bool has_tls();

class TlsSession {
 public:
  // Reads the files of `parameters` for a connection to `host`. Errors: kInvalidArgument with a file's name.
  static Result<TlsSession> start(const TlsParameters& parameters, const std::string& host);

  // Continues the handshake with the bytes fed so far. Returns true once it is complete.
  Result<bool> handshake();
  // Accepts bytes that the server has sent.
  Status feed(std::string_view sealed);
  // Returns the decrypted bytes of all that was fed. Sets `whole` to false at the server's close_notify.
  Result<std::string> open(bool& whole);
  // Encrypts `bytes`. take_output() has the result.
  Status seal(std::string_view bytes);
  // Returns the bytes to send, and forgets them.
  std::string take_output();

 private:
  struct Free {
    void operator()(ssl_st* session) const;
  };
  TlsSession(std::unique_ptr<ssl_st, Free> session, std::string expected_name)
      : session_(std::move(session)), expected_name_(std::move(expected_name)) {}
  Error failure() const;

  std::unique_ptr<ssl_st, Free> session_;
  std::string expected_name_;
};

}  // namespace bloomery::redis
