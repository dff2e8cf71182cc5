#include "support/digest.hpp"

#include "support/assert.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <climits>

namespace parcelflow::support {

namespace {

// Fetched once: EVP_sha256() would look the provider up at each init.
// Never freed, so that a thread may hash while the process goes down.
const EVP_MD* algorithm() {
  static const EVP_MD* const fetched = [] {
    auto* md = EVP_MD_fetch(nullptr, "SHA256", nullptr);
    PF_ASSERT(md != nullptr);
    return md;
  }();
  return fetched;
}

} // namespace

struct sha256::context {
  context() : evp(EVP_MD_CTX_new()) {
    PF_ASSERT(evp != nullptr);
    PF_ASSERT(EVP_DigestInit_ex2(evp, algorithm(), nullptr) == 1);
  }
  context(const context&) = delete;
  context& operator=(const context&) = delete;
  ~context() { EVP_MD_CTX_free(evp); }

  EVP_MD_CTX* evp;
};

sha256::sha256() : context_(std::make_unique<context>()) {}
sha256::sha256(sha256&&) noexcept = default;
sha256& sha256::operator=(sha256&&) noexcept = default;
sha256::~sha256() = default;

sha256& sha256::update(std::string_view bytes) {
  PF_ASSERT(context_ != nullptr);
  PF_ASSERT(EVP_DigestUpdate(context_->evp, bytes.data(), bytes.size()) == 1);
  return *this;
}

sha256& sha256::update_framed(std::string_view part) {
  std::array<char, 8> size{};
  for (std::size_t i = 0; i < size.size(); ++i)
    size[i] = static_cast<char>(static_cast<std::uint64_t>(part.size())
                                >> (8 * (size.size() - 1 - i)));
  return update({size.data(), size.size()}).update(part);
}

digest sha256::finish() {
  PF_ASSERT(context_ != nullptr);
  digest result{};
  unsigned int size = 0;
  PF_ASSERT(EVP_DigestFinal_ex(context_->evp, result.data(), &size) == 1);
  PF_ASSERT(size == result.size());
  // Without an algorithm: only the state is reset, nothing is looked up.
  PF_ASSERT(EVP_DigestInit_ex2(context_->evp, nullptr, nullptr) == 1);
  return result;
}

digest sha256_of(std::string_view bytes) {
  thread_local sha256 hasher;
  return hasher.update(bytes).finish();
}

digest hmac_sha256(std::string_view key, std::string_view bytes) {
  PF_ASSERT(key.size() <= INT_MAX);
  digest result{};
  unsigned int size = 0;
  const auto* done = HMAC(algorithm(), key.data(), static_cast<int>(key.size()),
                          reinterpret_cast<const unsigned char*>(bytes.data()),
                          bytes.size(), result.data(), &size);
  PF_ASSERT(done != nullptr && size == result.size());
  return result;
}

std::string random_bytes(std::size_t size) {
  PF_ASSERT(size <= INT_MAX);
  std::string bytes(size, '\0');
  PF_ASSERT(RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()),
                       static_cast<int>(size))
            == 1);
  return bytes;
}

bool equal_in_constant_time(std::string_view a, std::string_view b) noexcept {
  return a.size() == b.size()
         && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

bool equal_in_constant_time(const digest& a, const digest& b) noexcept {
  return CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

} // namespace parcelflow::support
