// TLS in a build without OpenSSL: rediss:// is refused.
#include "connect/redis/tls_session.h"

namespace bloomery::redis {
namespace {

Error no_tls() {
  return Error(ErrorCode::kUnsupported, "TLS",
               "expected a build with OpenSSL (libssl-dev), found one without");
}

}  // namespace

bool has_tls() {
  return false;
}

void TlsSession::Free::operator()(ssl_st* /*session*/) const {}

Result<TlsSession> TlsSession::start(const TlsParameters& /*parameters*/, const std::string& /*host*/) {
  return no_tls();
}
Result<bool> TlsSession::handshake() {
  return no_tls();
}
Status TlsSession::feed(std::string_view /*sealed*/) {
  return no_tls();
}
Result<std::string> TlsSession::open(bool& /*whole*/) {
  return no_tls();
}
Status TlsSession::seal(std::string_view /*bytes*/) {
  return no_tls();
}
std::string TlsSession::take_output() {
  return {};
}

}  // namespace bloomery::redis
