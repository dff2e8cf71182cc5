#include "support/digest.hpp"

#include <doctest/doctest.h>

#include <set>
#include <thread>
#include <vector>

namespace parcelflow::support {

TEST_CASE("SHA-256 gives the answers of FIPS 180-4's examples") {
  CHECK(hex(sha256_of(""))
        == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(hex(sha256_of("abc"))
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(hex(sha256_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnop"
                      "nopq"))
        == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST_CASE("pieces hash like the whole, and an object serves many messages") {
  sha256 hasher;
  for (int round = 0; round < 3; ++round) {
    hasher.update("a").update("").update("bc");
    CHECK(hasher.finish() == sha256_of("abc"));
  }
  sha256 moved = std::move(hasher);
  CHECK(moved.update("abc").finish() == sha256_of("abc"));
}

TEST_CASE("framed parts cannot be shifted into each other") {
  sha256 hasher;
  const auto one = hasher.update_framed("ab").update_framed("c").finish();
  const auto other = hasher.update_framed("a").update_framed("bc").finish();
  CHECK(one != other);
  using namespace std::string_view_literals;
  CHECK(one == sha256_of("\0\0\0\0\0\0\0\2ab\0\0\0\0\0\0\0\1c"sv));
}

TEST_CASE("each thread hashes on its own") {
  const auto expected = sha256_of(std::string(600, 'x'));
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  for (std::size_t t = 0; t < wrong.size(); ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 500; ++i)
        wrong[t] += sha256_of(std::string(600, 'x')) != expected;
    });
  for (auto& thread : threads)
    thread.join();
  CHECK(wrong == std::vector<int>(4, 0));
}

TEST_CASE("HMAC-SHA-256 gives the answers of RFC 4231") {
  CHECK(hex(hmac_sha256(std::string(20, '\x0b'), "Hi There"))
        == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  CHECK(hex(hmac_sha256("Jefe", "what do ya want for nothing?"))
        == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  CHECK(hex(hmac_sha256(std::string(131, '\xaa'),
                        "Test Using Larger Than Block-Size Key - Hash Key "
                        "First"))
        == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST_CASE("random bytes have the size asked for and do not repeat") {
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i)
    seen.insert(random_bytes(16));
  CHECK(seen.size() == 100);
  CHECK(seen.begin()->size() == 16);
  CHECK(random_bytes(0).empty());
}

TEST_CASE("the constant-time compare compares") {
  CHECK(equal_in_constant_time("secret", "secret"));
  CHECK_FALSE(equal_in_constant_time("secret", "secreT"));
  CHECK_FALSE(equal_in_constant_time("secret", "secre"));
  CHECK(equal_in_constant_time("", ""));
  CHECK(equal_in_constant_time(sha256_of("a"), sha256_of("a")));
  CHECK_FALSE(equal_in_constant_time(sha256_of("a"), sha256_of("b")));
}

TEST_CASE("a digest survives hex, and only exact hex is one") {
  const auto value = sha256_of("abc");
  CHECK(digest_of_hex(hex(value)) == value);
  CHECK_FALSE(digest_of_hex(hex(value).substr(1)));
  CHECK_FALSE(digest_of_hex(hex(value) + "0"));
  auto upper = hex(value);
  upper[0] = 'B';
  CHECK_FALSE(digest_of_hex(upper));
}

TEST_CASE("base64url follows RFC 4648 and has one text for each value") {
  CHECK(base64url("") == "");
  CHECK(base64url("f") == "Zg");
  CHECK(base64url("fo") == "Zm8");
  CHECK(base64url("foo") == "Zm9v");
  CHECK(base64url("foobar") == "Zm9vYmFy");
  CHECK(base64url("\xfb\xff\xfe") == "-__-");
  for (const auto size : {0, 1, 2, 3, 16, 31, 32}) {
    const auto bytes = random_bytes(static_cast<std::size_t>(size));
    CHECK(bytes_of_base64url(base64url(bytes)) == bytes);
  }
  for (const auto* bad : {"Zg==", "Z", "Zh", "Zm9", "Zm9v Yg", "+/", "Zm9vY"})
    CHECK_FALSE_MESSAGE(bytes_of_base64url(bad), bad);
}

} // namespace parcelflow::support
