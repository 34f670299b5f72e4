// Text as the bytes of Cassandra's partition keys: those of the real types, and what a type cannot hold.
#include <set>

#include <gtest/gtest.h>

#include "codec/calendar_text.h"
#include "codec/cassandra/key_text.h"
#include "codec/cassandra/key_type.h"
#include "codec/decimal_text.h"
#include "tests/codec/cassandra_keys.h"
#include "tests/codec/golden_archive.h"

namespace bloomery {
namespace {

using cassandra_keys::Family;

std::string key_digits(std::string_view bytes) {
  std::string digits;
  for (const char byte : bytes) {
    digits += cassandra_keys::printed("%02x", static_cast<unsigned>(static_cast<unsigned char>(byte)));
  }
  return digits;
}

// The bytes in hexadecimal, or the error.
std::string key(const std::string& type_text, const std::vector<std::string>& columns) {
  const auto type = parse_cassandra_key_type(type_text);
  if (!type) {
    return type.error().to_string();
  }
  const std::vector<std::string_view> views(columns.begin(), columns.end());
  KeyWriter writer;
  const Status made = append_cassandra_key(writer, *type, views);
  return made ? key_digits({reinterpret_cast<const char*>(writer.bytes().data()), writer.bytes().size()})
              : made.error().to_string();
}

bool refused(const std::string& type, const std::vector<std::string>& columns) {
  return key(type, columns).find("expected") != std::string::npos;
}

TEST(CassandraKey, EveryFamilyHasTheBytesOfTheRealTypes) {
  const auto files = golden_archive("cassandra/filters");
  std::set<std::string> seen;
  for (const auto& row : rows_of(files.at("keys.csv"))) {
    const std::uint64_t i = std::stoull(row.at("index"));
    const Family family = cassandra_keys::family(row.at("family"));
    ASSERT_FALSE(family.cql.empty()) << row.at("family");
    SCOPED_TRACE(family.name + " " + row.at("index"));
    EXPECT_EQ(key_digits(family.key(i).bytes), row.at("key_hex"));
    EXPECT_EQ(key(family.cql, family.key(i).text), row.at("key_hex"));
    seen.insert(family.name);
  }
  EXPECT_EQ(seen.size(), cassandra_keys::families().size());
}

TEST(CassandraKey, TextAndBytesOfEveryFamilyAgree) {
  for (const Family& family : cassandra_keys::families()) {
    for (std::uint64_t i = 0; i < 2000; ++i) {
      const auto expected = family.key(i);
      ASSERT_EQ(key(family.cql, expected.text), key_digits(expected.bytes)) << family.name << " " << i;
    }
  }
}

TEST(CassandraKey, TypesAreReadAsCqlAndAsClasses) {
  const std::string package = "org.apache.cassandra.db.marshal.";
  const auto same = [](const std::string& a, const std::string& b) {
    const auto first = parse_cassandra_key_type(a);
    const auto second = parse_cassandra_key_type(b);
    EXPECT_TRUE(first) << first.error().to_string();
    EXPECT_TRUE(second) << second.error().to_string();
    return first && second && *first == *second;
  };
  EXPECT_TRUE(same("text", package + "UTF8Type"));
  EXPECT_TRUE(same("VARCHAR", "text"));
  EXPECT_TRUE(same("int, text", package + "CompositeType(" + package + "Int32Type," + package + "UTF8Type)"));
  EXPECT_TRUE(same("frozen<map<text, list<int>>>", package + "FrozenType(" + package + "MapType(" + package +
                                                       "UTF8Type," + package + "ListType(" + package +
                                                       "Int32Type)))"));
  EXPECT_FALSE(same("int", "CompositeType(Int32Type)"));
  EXPECT_EQ(
      describe(*parse_cassandra_key_type("UserType(ks,61,6e:Int32Type,73:FrozenType(SetType(UTF8Type)))")),
      "udt<n: int, s: set<text>>");
  EXPECT_EQ(describe(*parse_cassandra_key_type("tuple< int , frozen<list<blob>> >, uuid")),
            "tuple<int, list<blob>>, uuid");
  for (const char* other : {"", ",", "int,", "list<int", "list<int>>", "list<int,int>", "map<int>", "list",
                            "int<text>", "UserType(ks,61)", "UserType(ks,61,zz:Int32Type)",
                            "UserType(ks,61,6e)", "CompositeType", "tuple<>", "(int)"}) {
    const auto type = parse_cassandra_key_type(other);
    ASSERT_FALSE(type) << other;
    EXPECT_NE(type.error().to_string().find("expected"), std::string::npos) << other;
  }
  std::string deep = "int";
  for (int i = 0; i < 40; ++i) {
    deep = "frozen<" + deep + ">";
  }
  EXPECT_FALSE(parse_cassandra_key_type(deep));
}

TEST(CassandraKey, TypesThatNoKeyHasAreNamed) {
  for (const std::string name :
       {"duration", "counter", "DurationType", "ReversedType(Int32Type)", "com.example.Mine",
        "DynamicCompositeType(a=>Int32Type)", "my_type", "VectorType(FloatType,3)"}) {
    const auto type = parse_cassandra_key_type(name);
    ASSERT_FALSE(type) << name;
    EXPECT_NE(type.error().to_string().find(name.substr(0, name.find_first_of("(,"))), std::string::npos)
        << name;
  }
  EXPECT_EQ(parse_cassandra_key_type("ReversedType(Int32Type)").error().code(), ErrorCode::kUnsupported);
}

TEST(CassandraKey, NumbersAtTheirLimits) {
  EXPECT_EQ(key("int", {"-2147483648"}), "80000000");
  EXPECT_EQ(key("int", {"007"}), "00000007");
  EXPECT_EQ(key("tinyint", {"-128"}), "80");
  EXPECT_EQ(key("varint", {"0"}), "00");
  EXPECT_EQ(key("varint", {"-0"}), "00");
  EXPECT_EQ(key("varint", {"127"}), "7f");
  EXPECT_EQ(key("varint", {"128"}), "0080");
  EXPECT_EQ(key("varint", {"-128"}), "80");
  EXPECT_EQ(key("varint", {"-129"}), "ff7f");
  EXPECT_EQ(key("varint", {"4294967296"}), "0100000000");
  EXPECT_EQ(key("varint", {"-340282366920938463463374607431768211456"}),
            "ff00000000000000000000000000000000");
  EXPECT_EQ(key("decimal", {"1.50"}), "000000020096");
  EXPECT_EQ(key("decimal", {"2e6"}), "fffffffa02");
  EXPECT_EQ(key("decimal", {"-0.0"}), "0000000100");
  EXPECT_EQ(key("decimal", {".5"}), "0000000105");
  EXPECT_EQ(key("decimal", {"1E+3"}), "fffffffd01");
  EXPECT_EQ(key("float", {"-0"}), "80000000");
  EXPECT_EQ(key("double", {"NaN"}), "7ff8000000000000");
  EXPECT_EQ(key("double", {"-Infinity"}), "fff0000000000000");
  EXPECT_EQ(key("boolean", {"True"}), "01");
  const std::vector<std::pair<std::string, std::vector<std::string>>> none = {
      {"int", {"2147483648", "-2147483649", "", "1.0", "+1", " 1", "1 ", "0x1", "1e3", "--1"}},
      {"bigint", {"9223372036854775808", "abc"}},
      {"smallint", {"32768"}},
      {"tinyint", {"128"}},
      {"varint", {"", "-", "1.0", "1e3", "+1", std::string(10'001, '1')}},
      {"decimal", {"", ".", "-", "e5", "1e", "1e+", "1e99999999999", "1..2", "1e2147483649", "NaN", "1e+-5"}},
      {"double", {"", "nan", "inf", "1e999", "0x1p3", "1f", "1,5"}},
      {"float", {"1e39", "infinity"}},
      {"boolean", {"", "1", "yes"}},
  };
  for (const auto& [type, texts] : none) {
    for (const std::string& text : texts) {
      EXPECT_TRUE(refused(type, {text})) << type << " '" << text << "'";
    }
  }
}

TEST(CassandraKey, OtherScalarsAndWhatTheyRefuse) {
  EXPECT_EQ(key("blob", {"0xCAfe"}), "cafe");
  EXPECT_EQ(key("uuid", {"123E4567-e89b-12d3-a456-426614174000"}), "123e4567e89b12d3a456426614174000");
  EXPECT_EQ(key("inet", {"::1"}), std::string(31, '0') + "1");
  EXPECT_EQ(key("inet", {"::ffff:1.2.3.4"}), "01020304");  // as Java's InetAddress has it
  EXPECT_EQ(key("date", {"1970-01-01"}), "80000000");
  EXPECT_EQ(key("date", {"1969-12-31"}), "7fffffff");
  EXPECT_EQ(key("date", {"2000-02-29"}), "80002b08");
  EXPECT_EQ(key("date", {"2147483649"}), "80000001");
  EXPECT_EQ(key("time", {"23:59:59.999999999"}), "00004e94914effff");
  EXPECT_EQ(key("time", {"00:01"}), key("time", {"60000000000"}));
  EXPECT_EQ(key("timestamp", {"1970-01-01 00:00:01.5Z"}), key("timestamp", {"1500"}));
  EXPECT_EQ(key("timestamp", {"1970-01-01T01:00+01:00"}), key("timestamp", {"0"}));
  EXPECT_EQ(key("timestamp", {"1970-01-01-0130"}), key("timestamp", {"5400000"}));
  EXPECT_EQ(key("timestamp", {"1969-12-31 23:59:59.999+0000"}), key("timestamp", {"-1"}));
  EXPECT_EQ(key("timestamp", {"1970-01-01T00:00:00.001000Z"}), key("timestamp", {"1"}));
  const std::vector<std::pair<std::string, std::vector<std::string>>> none = {
      {"text", {"", "\xff", "\xc0\x80", "\xed\xa0\x80"}},
      {"ascii", {"\u00e9"}},
      {"blob", {"cafe", "0x", "0xc", "0xzz"}},
      {"uuid",
       {"", "123e4567e89b12d3a456426614174000", "123e4567-e89b-12d3-a456-42661417400",
        "g23e4567-e89b-12d3-a456-426614174000", "123e4567-e89b-12d3-a456_426614174000"}},
      {"timeuuid", {"123e4567-e89b-42d3-a456-426614174000"}},
      {"inet", {"localhost", "1.2.3", "1.2.3.256", ":::1", "fe80::1%eth0", std::string("1.2.3.4\0", 8)}},
      {"date",
       {"2001-02-29", "2001-13-01", "2001-1-1", "-1", "4294967296", "2001-01-01Z", "-0001-01-01",
        "+12001-01-01", "12001-01-01"}},
      {"time",
       {"24:00:00", "12:60", "12:00:60", "12:00:00.", "12:00:00.1234567890", "86400000000000", "-1", "12:"}},
      {"timestamp",
       {"1970-01-01", "1970-01-01 00:00", "1970-01-01 00:00 +0000", "1970-01-01T00:00:00.0001Z",
        "1970-01-01T00:00+19:00", "1970-01-01T00:00+1", "1970-01-01T00:00Zx", "1970-01-01 00:00:00",
        "9223372036854775808"}},
  };
  for (const auto& [type, texts] : none) {
    for (const std::string& text : texts) {
      EXPECT_TRUE(refused(type, {text})) << type << " '" << text << "'";
    }
  }
}

TEST(CassandraKey, CollectionsAreInTheOrderOfTheirType) {
  EXPECT_EQ(key("set<int>", {"{ 2,-1 ,2}"}),
            "00000002"
            "00000004ffffffff"
            "0000000400000002");
  EXPECT_EQ(key("set<varint>", {"{128, -129, -1, 5}"}),
            "00000004"
            "00000002ff7f"
            "00000001ff"
            "0000000105"
            "000000020080");
  EXPECT_EQ(key("set<double>", {"{NaN, 0, -0, -Infinity}"}),
            "00000004"
            "00000008fff0000000000000"
            "000000088000000000000000"
            "000000080000000000000000"
            "000000087ff8000000000000");
  EXPECT_EQ(key("set<text>", {"{'b', 'a', 'it''s', 'ab'}"}),
            "00000004"
            "0000000161"
            "000000026162"
            "0000000162"
            "0000000469742773");
  EXPECT_EQ(key("set<text>", {"{}"}), "00000000");
  EXPECT_EQ(key("map<int, text>", {"{2: 'b', 1: 'a'}"}),
            "00000002"
            "0000000400000001"
            "0000000161"
            "0000000400000002"
            "0000000162");
  EXPECT_EQ(key("list<frozen<list<int>>>", {"[[1],[]]"}),
            "00000002"
            "0000000c000000010000000400000001"
            "0000000400000000");
  EXPECT_EQ(key("set<decimal>", {"{1.0}"}),
            "00000001"
            "00000005000000010a");
  EXPECT_EQ(key("tuple<int, text>", {"(null, 'a')"}),
            "ffffffff"
            "0000000161");
  EXPECT_EQ(key("list<inet>", {"['::1', 1.2.3.4]"}),
            "00000002"
            "00000010" +
                std::string(31, '0') +
                "1"
                "0000000401020304");
  const std::string user = "UserType(ks,61,6e:Int32Type,73:UTF8Type)";
  EXPECT_EQ(key(user, {"{s: 'x', n: 1}"}),
            "0000000400000001"
            "0000000178");
  EXPECT_EQ(key(user, {"{s: null}"}), "ffffffffffffffff");
  // Version 4 is before version 7; times of version 1 are not in the order of the bytes.
  EXPECT_EQ(
      key("set<uuid>", {"{10000000-0000-7000-8000-000000000000, 20000000-0000-4000-8000-000000000000}"}),
      "00000002"
      "0000001020000000000040008000000000000000"
      "0000001010000000000070008000000000000000");
  EXPECT_EQ(
      key("set<timeuuid>", {"{10000000-0001-1000-8000-000000000000, 20000000-0000-1000-8000-000000000000}"}),
      "00000002"
      "0000001020000000000010008000000000000000"
      "0000001010000000000110008000000000000000");
  EXPECT_EQ(
      key("set<timeuuid>", {"{10000000-0000-1000-8000-000000000000, 10000000-0000-1000-8000-0000000000ff}"}),
      "00000002"
      "00000010100000000000100080000000000000ff"
      "0000001010000000000010008000000000000000");
  const std::vector<std::pair<std::string, std::vector<std::string>>> none = {
      {"set<int>", {"", "1", "{1", "{1,}", "{1}x", "[1]", "{'a'}", "{1 2}", "{null}"}},
      {"set<decimal>", {"{1.0, 1.00}"}},
      {"set<frozen<list<int>>>", {"{[1],[2]}"}},
      {"map<int, text>", {"{1: 'a', 1: 'b'}", "{1}", "{1: a}", "{1: 'a"}},
      {"tuple<int, text>", {"(1)", "(1, 'a', 2)", "1"}},
      {user, {"{x: 1}", "{n: 1, n: 2}", "{n 1}"}},
  };
  for (const auto& [type, texts] : none) {
    for (const std::string& text : texts) {
      EXPECT_TRUE(refused(type, {text})) << type << " '" << text << "'";
    }
  }
}

TEST(CassandraKey, ColumnsAndSizesAreChecked) {
  EXPECT_EQ(key("int, text", {"1", "a"}),
            "000400000001000001"
            "6100");
  EXPECT_EQ(key("text, text", {"", ""}), "000000000000");
  EXPECT_EQ(key("CompositeType(Int32Type)", {"1"}), "00040000000100");
  EXPECT_TRUE(refused("int, text", {"1"}));
  EXPECT_TRUE(refused("int", {"1", "2"}));
  EXPECT_TRUE(refused("int, text", {"", "a"}));
  EXPECT_FALSE(refused("text", {std::string(65'535, 'a')}));
  EXPECT_TRUE(refused("text", {std::string(65'536, 'a')}));
  EXPECT_TRUE(refused("text, text", {std::string(65'530, 'a'), "b"}));
  EXPECT_NE(key("int", {"abc"}).find("cassandra key int: expected a decimal integer of 32 bits, found 'abc'"),
            std::string::npos);
}

}  // namespace
}  // namespace bloomery
