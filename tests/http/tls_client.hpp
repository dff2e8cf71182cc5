// A TLS client with OpenSSL's own API, and a self-signed certificate to meet.
// It trusts whatever it is shown: the tests look at the name themselves.
// Owner: the test. Thread rule: one thread. Errors: empty answers.
#pragma once

#include "raw_client.hpp"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace parcelflow::test {

/// Writes a fresh EC key and a certificate for it, valid for an hour.
inline bool write_self_signed(const std::string& certificate_file,
                              const std::string& key_file,
                              const std::string& common_name) {
  const std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key(EVP_EC_gen("P-256"),
                                                           EVP_PKEY_free);
  const std::unique_ptr<X509, void (*)(X509*)> certificate(X509_new(),
                                                           X509_free);
  auto* subject = X509_get_subject_name(certificate.get());
  X509_set_version(certificate.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -60);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
  X509_NAME_add_entry_by_txt(
    subject, "CN", MBSTRING_ASC,
    reinterpret_cast<const unsigned char*>(common_name.c_str()), -1, -1, 0);
  X509_set_issuer_name(certificate.get(), subject);
  X509_set_pubkey(certificate.get(), key.get());
  bool ok = X509_sign(certificate.get(), key.get(), EVP_sha256()) > 0;
  const auto write = [&ok](const std::string& file, auto print) {
    std::FILE* to = std::fopen(file.c_str(), "w");
    ok = to != nullptr && print(to) == 1 && std::fclose(to) == 0 && ok;
  };
  write(certificate_file,
        [&](std::FILE* to) { return PEM_write_X509(to, certificate.get()); });
  write(key_file, [&](std::FILE* to) {
    return PEM_write_PrivateKey(to, key.get(), nullptr, nullptr, 0, nullptr,
                                nullptr);
  });
  return ok;
}

class tls_client {
public:
  tls_client(std::uint16_t port, int version) : socket_(port) {
    const timeval wait{5, 0};
    ::setsockopt(socket_.descriptor(), SOL_SOCKET, SO_RCVTIMEO, &wait,
                 sizeof wait);
    SSL_CTX_set_min_proto_version(context_.get(), version);
    SSL_CTX_set_max_proto_version(context_.get(), version);
    ssl_.reset(SSL_new(context_.get()));
    SSL_set_fd(ssl_.get(), socket_.descriptor());
    handshaken_ = SSL_connect(ssl_.get()) == 1;
  }

  [[nodiscard]] bool handshaken() const { return handshaken_; }

  [[nodiscard]] std::string peer_name() const {
    char name[64] = "";
    if (auto* peer = SSL_get0_peer_certificate(ssl_.get()))
      X509_NAME_get_text_by_NID(X509_get_subject_name(peer), NID_commonName,
                                name, sizeof name);
    return name;
  }

  /// Sends and reads one answer, head and body.
  std::string ask(std::string_view bytes) {
    if (SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()))
        <= 0)
      return {};
    std::string got;
    char piece[16 * 1024];
    while (!is_whole(got)) {
      const int count = SSL_read(ssl_.get(), piece, sizeof piece);
      if (count <= 0)
        return {};
      got.append(piece, static_cast<std::size_t>(count));
    }
    return got;
  }

  /// True if the server said goodbye in TLS, not only in TCP.
  bool ended_cleanly() {
    char byte;
    const int count = SSL_read(ssl_.get(), &byte, 1);
    return SSL_get_error(ssl_.get(), count) == SSL_ERROR_ZERO_RETURN;
  }

private:
  static bool is_whole(const std::string& answer) {
    constexpr std::string_view name = "Content-Length: ";
    const auto end = answer.find("\r\n\r\n");
    const auto length = answer.find(name);
    return end != std::string::npos && length < end
           && answer.size()
                == end + 4
                     + std::strtoul(answer.c_str() + length + name.size(),
                                    nullptr, 10);
  }

  raw_client socket_;
  std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> context_{
    SSL_CTX_new(TLS_client_method()), SSL_CTX_free};
  std::unique_ptr<SSL, void (*)(SSL*)> ssl_{nullptr, SSL_free};
  bool handshaken_ = false;
};

} // namespace parcelflow::test
