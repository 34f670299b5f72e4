#include "hash/jenkins_lookup3.h"

#include <array>
#include <bit>
#include <cstring>

#include "base/endian.h"

namespace bloomery {
namespace {

constexpr std::size_t kGroupBytes = 12;

struct States {
  std::uint32_t a;
  std::uint32_t b;
  std::uint32_t c;

  void add(const std::byte* group) {
    a += load_little32(group);
    b += load_little32(group + 4);
    c += load_little32(group + 8);
  }

  void mix() {
    step(a, c, b, 4);
    step(b, a, c, 6);
    step(c, b, a, 8);
    step(a, c, b, 16);
    step(b, a, c, 19);
    step(c, b, a, 4);
  }

  void finish() {
    last_step(c, b, 14);
    last_step(a, c, 11);
    last_step(b, a, 25);
    last_step(c, b, 16);
    last_step(a, c, 4);
    last_step(b, a, 14);
    last_step(c, b, 24);
  }

 private:
  static void step(std::uint32_t& x, std::uint32_t& y, std::uint32_t z, int bits) {
    x = (x - y) ^ std::rotl(y, bits);
    y += z;
  }
  static void last_step(std::uint32_t& x, std::uint32_t y, int bits) { x = (x ^ y) - std::rotl(y, bits); }
};

}  // namespace

std::uint32_t jenkins_lookup3(std::string_view key, std::uint32_t seed) {
  const std::uint32_t start = 0xdeadbeef + static_cast<std::uint32_t>(key.size()) + seed;
  States states{start, start, start};
  const auto* bytes = reinterpret_cast<const std::byte*>(key.data());
  std::size_t left = key.size();
  if (left == 0) {
    return start;
  }
  for (; left > kGroupBytes; left -= kGroupBytes, bytes += kGroupBytes) {
    states.add(bytes);
    states.mix();
  }
  std::array<std::byte, kGroupBytes> last{};
  std::memcpy(last.data(), bytes, left);
  states.add(last.data());
  states.finish();
  return states.c;
}

}  // namespace bloomery
