// Loads and stores: the byte order that the name says, at any address.
#include "base/endian.h"

#include <array>

#include <gtest/gtest.h>

#include "test_bytes.h"

namespace bloomery {
namespace {

const Bytes kCounting = make_bytes({0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08});

TEST(Endian, LittleHasTheLowByteFirst) {
  EXPECT_EQ(load_little<std::uint8_t>(kCounting.data()), 0x01u);
  EXPECT_EQ(load_little16(kCounting.data()), 0x0201u);
  EXPECT_EQ(load_little32(kCounting.data()), 0x04030201u);
  EXPECT_EQ(load_little64(kCounting.data()), 0x0807060504030201u);
}

TEST(Endian, BigHasTheHighByteFirst) {
  EXPECT_EQ(load_big<std::uint8_t>(kCounting.data()), 0x01u);
  EXPECT_EQ(load_big16(kCounting.data()), 0x0102u);
  EXPECT_EQ(load_big32(kCounting.data()), 0x01020304u);
  EXPECT_EQ(load_big64(kCounting.data()), 0x0102030405060708u);
}

// A store is what the load of the same name reads, and touches its own bytes only, aligned or not.
template <typename T, auto store, auto load>
void check_round_trip(T value) {
  for (std::size_t offset = 1; offset <= 8; ++offset) {
    std::array<std::byte, 24> memory;
    memory.fill(std::byte{0xee});
    store(memory.data() + offset, value);
    EXPECT_EQ(load(memory.data() + offset), value) << "at offset " << offset;
    EXPECT_EQ(memory[offset - 1], std::byte{0xee});
    EXPECT_EQ(memory[offset + sizeof(T)], std::byte{0xee});
  }
}

template <typename T>
void check_both_orders() {
  for (const T value : {T{0}, T{1}, static_cast<T>(0x123456789abcdef0), static_cast<T>(~T{0})}) {
    check_round_trip<T, store_little<T>, load_little<T>>(value);
    check_round_trip<T, store_big<T>, load_big<T>>(value);
  }
}

TEST(Endian, StoresAreReadBackAtAnyAlignment) {
  check_both_orders<std::uint8_t>();
  check_both_orders<std::uint16_t>();
  check_both_orders<std::uint32_t>();
  check_both_orders<std::uint64_t>();
}

TEST(Endian, SwappingTurnsTheBytesAround) {
  static_assert(byte_swapped(std::uint8_t{0x12}) == 0x12);
  static_assert(byte_swapped(std::uint16_t{0x1234}) == 0x3412);
  static_assert(byte_swapped(std::uint32_t{0x12345678}) == 0x78563412);
  static_assert(byte_swapped(std::uint64_t{0x0102030405060708}) == 0x0807060504030201);
}

}  // namespace
}  // namespace bloomery
