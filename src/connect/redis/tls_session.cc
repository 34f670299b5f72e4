#include "connect/redis/tls_session.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <system_error>

#include "base/message.h"

namespace bloomery::redis {
namespace {

constexpr std::size_t kPlainBytes = 16384;  // a record of TLS has at most as many

struct FreeContext {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};
using Context = std::unique_ptr<SSL_CTX, FreeContext>;

// Returns the reason of OpenSSL's oldest queued error, which is the cause of the later ones.
std::string queued_reason() {
  const unsigned long error = ERR_peek_error();
  ERR_clear_error();  // nothing is left to other users of OpenSSL in this thread
  if (ERR_SYSTEM_ERROR(error)) {
    return std::generic_category().message(ERR_GET_REASON(error));
  }
  const char* const reason = ERR_reason_error_string(error);
  return reason == nullptr ? "no reason" : reason;
}

Error bad_file(const std::string& file, const char* expected) {
  return Error::invalid_argument(file, message("expected ", expected, ", found: ", queued_reason()));
}

bool is_address(const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return ::inet_pton(AF_INET, host.c_str(), bytes.data()) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1;
}

// A passphrase would be asked for at the terminal, which a service does not have.
int no_passphrase(char* /*buffer*/, int /*size*/, int /*is_write*/, void* /*nothing*/) {
  return 0;
}

Status read_files(SSL_CTX* context, const TlsParameters& files) {
  if (files.ca_file.empty() && files.ca_folder.empty()) {
    if (SSL_CTX_set_default_verify_paths(context) != 1) {
      return bad_file("TLS", "the system's certificates");
    }
  }
  if (!files.ca_file.empty() && SSL_CTX_load_verify_file(context, files.ca_file.c_str()) != 1) {
    return bad_file(files.ca_file, "a file of certificates in PEM");
  }
  if (!files.ca_folder.empty() && SSL_CTX_load_verify_dir(context, files.ca_folder.c_str()) != 1) {
    return bad_file(files.ca_folder, "a folder of certificates");
  }
  if (files.certificate.empty()) {
    return {};
  }
  if (SSL_CTX_use_certificate_chain_file(context, files.certificate.c_str()) != 1) {
    return bad_file(files.certificate, "a certificate in PEM");
  }
  SSL_CTX_set_default_passwd_cb(context, no_passphrase);
  if (SSL_CTX_use_PrivateKey_file(context, files.key.c_str(), SSL_FILETYPE_PEM) != 1) {
    return bad_file(files.key, "the private key of the certificate, in PEM and without a passphrase");
  }
  return {};
}

bool set_expected_name(SSL* session, const std::string& name) {
  if (is_address(name)) {
    return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), name.c_str()) == 1;
  }
  SSL_set_hostflags(session, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  return SSL_set1_host(session, name.c_str()) == 1 &&
         SSL_ctrl(session, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                  const_cast<char*>(name.c_str())) == 1;  // NOLINT: it is only read
}

// Returns what the URL could say to change the result of the verification.
const char* advice_for(long verified) {
  switch (verified) {
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return "; sni= says for which host the certificate is";
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
      return "; cacert= says which authorities sign";
    default:
      return "";
  }
}

}  // namespace

bool has_tls() {
  return true;
}

void TlsSession::Free::operator()(ssl_st* session) const {
  SSL_free(session);
}

Result<TlsSession> TlsSession::start(const TlsParameters& parameters, const std::string& host) {
  ERR_clear_error();
  const Context context(SSL_CTX_new(TLS_client_method()));
  if (context == nullptr || SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION) != 1) {
    return Error::capacity("TLS", "expected room for a session: " + queued_reason());
  }
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION);
  BLOOMERY_RETURN_IF_ERROR(read_files(context.get(), parameters));
  std::unique_ptr<ssl_st, Free> session(SSL_new(context.get()));
  BIO* const from_server = BIO_new(BIO_s_mem());
  BIO* const to_server = BIO_new(BIO_s_mem());
  if (session == nullptr || from_server == nullptr || to_server == nullptr) {
    BIO_free(from_server);
    BIO_free(to_server);
    return Error::capacity("TLS", "memory has no room for a session");
  }
  BIO_set_mem_eof_return(from_server, -1);  // no bytes yet is not the end
  SSL_set_bio(session.get(), from_server, to_server);
  SSL_set_connect_state(session.get());
  SSL_set_verify(session.get(), SSL_VERIFY_PEER, nullptr);
  const std::string& name = parameters.server_name.empty() ? host : parameters.server_name;
  if (!set_expected_name(session.get(), name)) {
    return Error::invalid_argument("TLS", message("expected the name of a host, found '", name, "'"));
  }
  return TlsSession(std::move(session), name);
}

Error TlsSession::failure() const {
  if (const long verified = SSL_get_verify_result(session_.get()); verified != X509_V_OK) {
    return Error::invalid_argument(
        "TLS", message("expected a valid certificate of ", expected_name_,
                       ", found: ", X509_verify_cert_error_string(verified), advice_for(verified)));
  }
  const int reason = ERR_GET_REASON(ERR_peek_error());
  if (reason == SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED || reason == SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE) {
    return Error::invalid_argument(
        "TLS", message("expected that the server accepts this client, found: ", queued_reason(),
                       "; cert= and key= name the client's certificate"));
  }
  if (reason == SSL_R_WRONG_VERSION_NUMBER || reason == SSL_R_PACKET_LENGTH_TOO_LONG) {
    return Error(ErrorCode::kCorruption, "TLS",
                 "expected TLS, found other bytes: is this a port without TLS (redis://)?");
  }
  return Error::invalid_argument("TLS", message("expected a session, found: ", queued_reason()));
}

Result<bool> TlsSession::handshake() {
  ERR_clear_error();
  const int done = SSL_do_handshake(session_.get());
  if (done == 1) {
    return true;
  }
  if (SSL_get_error(session_.get(), done) == SSL_ERROR_WANT_READ) {
    return false;
  }
  return failure();
}

Status TlsSession::feed(std::string_view sealed) {
  BIO* const from_server = SSL_get_rbio(session_.get());
  if (BIO_write(from_server, sealed.data(), static_cast<int>(sealed.size())) !=
      static_cast<int>(sealed.size())) {
    return Error::capacity("TLS", "memory has no room for the server's bytes");
  }
  return {};
}

Result<std::string> TlsSession::open(bool& whole) {
  std::string bytes;
  if (SSL_is_init_finished(session_.get()) == 0) {
    return bytes;  // handshake() continues
  }
  std::array<char, kPlainBytes> plain;
  for (;;) {
    ERR_clear_error();
    std::size_t got = 0;
    const int read = SSL_read_ex(session_.get(), plain.data(), plain.size(), &got);
    if (read == 1) {
      bytes.append(plain.data(), got);
      continue;
    }
    const int why = SSL_get_error(session_.get(), read);
    if (why == SSL_ERROR_ZERO_RETURN) {
      whole = false;
    } else if (why != SSL_ERROR_WANT_READ) {
      return failure();
    }
    return bytes;
  }
}

Status TlsSession::seal(std::string_view bytes) {
  if (bytes.empty()) {
    return {};
  }
  ERR_clear_error();
  std::size_t sealed = 0;
  // Memory accepts all of it, so nothing is left over.
  return SSL_write_ex(session_.get(), bytes.data(), bytes.size(), &sealed) == 1 ? Status()
                                                                                : Status(failure());
}

std::string TlsSession::take_output() {
  BIO* const to_server = SSL_get_wbio(session_.get());
  std::string bytes(BIO_ctrl_pending(to_server), '\0');
  const int got = BIO_read(to_server, bytes.data(), static_cast<int>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(std::max(got, 0)));
  return bytes;
}

}  // namespace bloomery::redis
