// The families of partition keys of Cassandra's golden files (tests/golden/cassandra/README.md): item i as the bytes that
// Cassandra's own types made of it, and as the text that stands for it here.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "base/endian.h"
#include "bloomery/base/uint128.h"

namespace bloomery::cassandra_keys {

struct Key {
  std::string bytes;
  std::vector<std::string> text;  // of each column
};

struct Family {
  std::string name;
  std::string cql;
  std::function<Key(std::uint64_t)> key;
};

inline std::string big(std::uint64_t value, std::size_t bytes) {
  std::string text;
  for (std::size_t i = bytes; i-- > 0;) {
    text += static_cast<char>(i < sizeof(value) ? value >> (8 * i) & 0xff : 0);
  }
  return text;
}

inline std::uint64_t mix(std::uint64_t i) {
  return i * 0x9E3779B97F4A7C15 + 1;
}

template <typename... Arguments>
std::string printed(const char* form, Arguments... arguments) {
  char text[256];
  std::snprintf(text, sizeof(text), form, arguments...);
  return text;
}

// A two's complement integer of 256 bits, lowest word first.
struct Wide {
  std::uint64_t words[4];

  static Wide of(std::int64_t value) {
    const std::uint64_t sign = value < 0 ? ~std::uint64_t{0} : 0;
    return {{static_cast<std::uint64_t>(value), sign, sign, sign}};
  }
  bool negative() const { return (words[3] >> 63) != 0; }
  Wide times(const Wide& other) const {
    Wide product{};
    for (int i = 0; i < 4; ++i) {
      Uint128 carry = 0;
      for (int j = 0; i + j < 4; ++j) {
        carry += Uint128{words[i]} * other.words[j] + product.words[i + j];
        product.words[i + j] = static_cast<std::uint64_t>(carry);
        carry >>= 64;
      }
    }
    return product;
  }
  Wide shifted_right(unsigned bits) const {  // by 1 to 63, or not at all
    Wide result = *this;
    for (int i = 0; bits != 0 && i < 4; ++i) {
      const std::uint64_t above = i < 3 ? words[i + 1] : negative() ? ~std::uint64_t{0} : 0;
      result.words[i] = words[i] >> bits | above << (64 - bits);
    }
    return result;
  }
  std::string shortest_bytes() const {
    std::string bytes;
    for (int i = 3; i >= 0; --i) {
      bytes += big(words[i], 8);
    }
    while (bytes.size() > 1 && (bytes[0] == '\0' || bytes[0] == '\xff') &&
           ((bytes[0] ^ bytes[1]) & 0x80) == 0) {
      bytes.erase(0, 1);
    }
    return bytes;
  }
  std::string decimal() const {
    if (negative()) {
      return "-" + times(of(-1)).decimal();
    }
    std::string digits;
    Wide left = *this;
    do {
      Uint128 rest = 0;
      for (int i = 3; i >= 0; --i) {
        rest = rest << 64 | left.words[i];
        left.words[i] = static_cast<std::uint64_t>(rest / 10);
        rest %= 10;
      }
      digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(rest)));
    } while ((left.words[0] | left.words[1] | left.words[2] | left.words[3]) != 0);
    return digits;
  }
};

inline Key text(std::uint64_t i) {
  const std::string key = printed("key-%06llu", static_cast<unsigned long long>(i));
  return {key, {key}};
}
inline Key text_uni(std::uint64_t i) {
  const std::string key = "\u00e9t\u00e9-" + std::to_string(i) + "-\U0001F600";
  return {key, {key}};
}
template <typename Integer>
Key integer(std::uint64_t value) {
  return {big(value, sizeof(Integer)), {std::to_string(static_cast<Integer>(value))}};
}
inline Key uuid_of(std::uint64_t i, std::uint64_t version) {
  const std::uint64_t a = (mix(i) & ~std::uint64_t{0xf000}) | version << 12;
  const std::uint64_t b = (mix(i + (std::uint64_t{1} << 40)) & ~(std::uint64_t{3} << 62)) | std::uint64_t{2}
                                                                                                << 62;
  const auto part = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
  return {big(a, 8) + big(b, 8),
          {printed("%08llx-%04llx-%04llx-%04llx-%012llx", part(a >> 32), part(a >> 16 & 0xffff),
                   part(a & 0xffff), part(b >> 48), part(b & 0xffffffffffff))}};
}
inline Key blob(std::uint64_t i) {
  std::string bytes = {static_cast<char>(i), static_cast<char>(i >> 8), static_cast<char>(i >> 16)};
  for (std::uint64_t j = 3; j <= i % 38 + 3; ++j) {
    bytes += static_cast<char>((5 * i + 41 * j) & 255);
  }
  std::string shown = "0x";
  for (const char byte : bytes) {
    shown += printed("%02x", static_cast<unsigned>(static_cast<unsigned char>(byte)));
  }
  return {bytes, {shown}};
}
inline Key varint(std::uint64_t i) {
  const Wide base = Wide::of(static_cast<std::int64_t>(mix(i)));
  Wide power = base;
  for (std::uint64_t j = 0; j < i % 3; ++j) {
    power = power.times(base);
  }
  const Wide value = power.shifted_right(static_cast<unsigned>(i % 60));
  return {value.shortest_bytes(), {value.decimal()}};
}
inline Key decimal(std::uint64_t i) {
  const int scale = static_cast<int>(i % 9) - 2;
  const Wide value = Wide::of(static_cast<std::int64_t>(mix(i)) >> (i % 50));
  return {big(static_cast<std::uint32_t>(scale), 4) + value.shortest_bytes(),
          {value.decimal() + "E" + std::to_string(-scale)}};
}
inline Key double_of(std::uint64_t i) {
  const double value = static_cast<double>(static_cast<std::int64_t>(mix(i)) >> 20) / 1024;
  return {big(std::bit_cast<std::uint64_t>(value), 8), {printed("%.17g", value)}};
}
inline Key float_of(std::uint64_t i) {
  const float value = static_cast<float>(static_cast<std::int32_t>(mix(i)) >> 10) / 64;
  return {big(std::bit_cast<std::uint32_t>(value), 4), {printed("%.9g", static_cast<double>(value))}};
}
inline Key inet(std::uint64_t i) {
  const std::uint64_t m = mix(i);
  const auto part = [](std::uint64_t value) { return static_cast<unsigned>(value); };
  if (i % 2 == 0) {
    const std::uint64_t parts[] = {(m >> 8 & 127) + 1, m >> 16 & 255, m >> 24 & 255, m >> 32 & 255};
    return {big(parts[0] << 24 | parts[1] << 16 | parts[2] << 8 | parts[3], 4),
            {printed("%u.%u.%u.%u", part(parts[0]), part(parts[1]), part(parts[2]), part(parts[3]))}};
  }
  return {big(0x20010db800000000 | (m >> 48) << 16, 8) + big(i & 0xffff, 8),
          {printed("2001:db8:%x::%x", part(m >> 48), part(i & 0xffff))}};
}
inline Key timestamp(std::uint64_t i) {
  return integer<std::int64_t>(1400000000000 + 3600001 * i);
}
inline Key date(std::uint64_t days) {
  return {big(days, 4), {std::to_string(days)}};
}
inline Key composite(const std::vector<Key>& columns) {
  Key key;
  for (const Key& column : columns) {
    key.bytes += big(column.bytes.size(), 2) + column.bytes + '\0';
    key.text.push_back(column.text.front());
  }
  return key;
}
inline std::string sized(const std::string& bytes) {
  return big(bytes.size(), 4) + bytes;
}
inline std::string quoted(const Key& key) {
  return "'" + key.text.front() + "'";
}

inline Key list_text(std::uint64_t i) {
  Key key{big(i % 4 + 1, 4), {"["}};
  for (std::uint64_t j = i; j <= i + i % 4; ++j) {
    key.bytes += sized(text(j).bytes);
    key.text[0] += (j == i ? "" : ", ") + quoted(text(j));
  }
  key.text[0] += "]";
  return key;
}
// The text has the elements backwards.
inline Key set_int(std::uint64_t i) {
  Key key{big(i % 5 + 1, 4), {"}"}};
  for (std::uint64_t j = 0; j <= i % 5; ++j) {
    const Key element = integer<std::int32_t>(i + 100 * j);
    key.bytes += sized(element.bytes);
    key.text[0] = (j == i % 5 ? "" : ",") + element.text[0] + key.text[0];
  }
  key.text[0] = "{" + key.text[0];
  return key;
}
inline Key map_text_int(std::uint64_t i) {
  Key key{big(i % 3 + 1, 4), {"{"}};
  for (std::uint64_t j = 0; j <= i % 3; ++j) {
    const Key value = integer<std::int32_t>(i - j);
    key.bytes += sized(text(2 * i + j).bytes) + sized(value.bytes);
    key.text[0] += (j == 0 ? "" : ", ") + quoted(text(2 * i + j)) + ": " + value.text[0];
  }
  key.text[0] += "}";
  return key;
}
inline Key tuple_int_text(std::uint64_t i) {
  const Key number = integer<std::int32_t>(i);
  return {sized(number.bytes) + sized(text(i).bytes), {"(" + number.text[0] + ", " + quoted(text(i)) + ")"}};
}
inline Key comp_text_text_empty(std::uint64_t i) {
  const Key empty{"", {""}};
  return composite({i % 2 == 0 ? empty : text_uni(i), i % 2 == 1 && i % 3 == 0 ? empty : text(i)});
}

inline std::vector<Family> families() {
  const auto mixed = [](auto of) { return [of](std::uint64_t i) { return of(mix(i)); }; };
  return {
      {"text", "text", text},
      {"text_uni", "varchar", text_uni},
      {"ascii", "ascii",
       [](std::uint64_t i) {
         return Key{"z!" + std::to_string(i), {"z!" + std::to_string(i)}};
       }},
      {"int", "int", mixed(integer<std::int32_t>)},
      {"int_seq", "int", [](std::uint64_t i) { return integer<std::int32_t>(i - 50); }},
      {"bigint", "bigint", mixed(integer<std::int64_t>)},
      {"smallint", "smallint", [](std::uint64_t i) { return integer<std::int16_t>(7 * i); }},
      {"tinyint", "tinyint", integer<std::int8_t>},
      {"boolean", "boolean",
       [](std::uint64_t i) {
         return Key{std::string(1, static_cast<char>(i % 2)), {i % 2 == 0 ? "false" : "TRUE"}};
       }},
      {"varint", "varint", varint},
      {"decimal", "decimal", decimal},
      {"double", "double", double_of},
      {"float", "float", float_of},
      {"uuid", "uuid", [](std::uint64_t i) { return uuid_of(i, 4); }},
      {"timeuuid", "timeuuid", [](std::uint64_t i) { return uuid_of(i, 1); }},
      {"blob", "blob", blob},
      {"inet", "inet", inet},
      {"timestamp", "timestamp", timestamp},
      {"date", "date", [](std::uint64_t i) { return date((std::uint64_t{1} << 31) + 15000 + i); }},
      {"time", "time", [](std::uint64_t i) { return integer<std::int64_t>(987654321 * i % 86400000000000); }},
      {"comp_text_int", "text, int",
       [](std::uint64_t i) {
         return composite({text(i), integer<std::int32_t>(17 * i)});
       }},
      {"comp_int_bigint_blob", "int, bigint, blob",
       [](std::uint64_t i) {
         return composite({integer<std::int32_t>(i), integer<std::int64_t>(mix(i)), blob(i)});
       }},
      {"comp_text_text_empty", "text, text", comp_text_text_empty},
      {"comp_uuid_date", "uuid, date",
       [](std::uint64_t i) {
         return composite({uuid_of(i, 4), date((std::uint64_t{1} << 31) + i % 400)});
       }},
      {"list_text", "frozen<list<text>>", list_text},
      {"set_int", "frozen<set<int>>", set_int},
      {"map_text_int", "frozen<map<text, int>>", map_text_int},
      {"tuple_int_text", "tuple<int, text>", tuple_int_text},
  };
}

inline Family family(const std::string& name) {
  for (const Family& known : families()) {
    if (known.name == name) {
      return known;
    }
  }
  return {};
}

}  // namespace bloomery::cassandra_keys
