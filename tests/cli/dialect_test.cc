// The command over filters of other systems: each golden file finds all its keys and counts the false
// positives that its own system counted; what is built, added to and merged has that system's bytes.
#include <functional>

#include <gtest/gtest.h>

#include "filter/leased/lease_page.h"
#include "run_command.h"
#include "tests/codec/golden.h"
#include "tests/codec/table_keys.h"

namespace bloomery {
namespace {

std::string lines_of(const std::function<std::string(std::uint64_t)>& key, std::uint64_t first,
                     std::uint64_t count) {
  std::string lines;
  for (std::uint64_t i = first; i < first + count; ++i) {
    lines += key(i) + '\n';
  }
  return lines;
}

class Dialects : public testing::Test {
 protected:
  Dialects() {
    write("keys", lines_of(numbered_key, 0, 10000));
    write("absent", lines_of(numbered_key, 1000000, 100000));
  }

  void write(const std::string& name, const std::string& bytes) const { shell_.folder().write(name, bytes); }
  std::string read(const std::string& name) const { return shell_.folder().read(name); }
  // A golden file, under the name `as`; unpacked where it lies compressed.
  void take(const std::string& name, const std::string& as) const { write(as, golden_file(name)); }
  void take_table(const std::string& name, const std::string& as) const { write(as, unpacked_golden(name)); }

  Ran run(const std::string& line) const { return shell_.run(line); }

  // The `keys` first ones are in `filter`, and of `absent` so many as its system counted.
  void expect_counts(const std::string& arguments, const std::string& keys,
                     const std::string& false_positives) const {
    SCOPED_TRACE(arguments);
    const Ran ran = run("head -n " + keys + " keys | bloomery query --no-summary -c " + arguments +
                        "; bloomery query --no-summary -c " + arguments + " absent");
    EXPECT_EQ(ran.out, keys + "\n" + false_positives + "\n") << ran.err;
  }

  // The same for a table, of whose keys but the last the absent ones are made, "/0" to "/19" behind each.
  void expect_table_counts(const std::string& name, const std::string& keys,
                           const std::string& false_positives) const {
    SCOPED_TRACE(name);
    take_table(name, "table");
    const Ran ran = run("head -n " + keys +
                        " keys > in; bloomery query -c table in; "
                        "awk 'NR > 1 { for (j = 0; j < 20; ++j) print last \"/\" j } { last = $0 }' in | "
                        "bloomery query -c table");
    EXPECT_EQ(ran.out, keys + "\n" + false_positives + "\n") << ran.err;
  }

  Shell shell_;
};

TEST_F(Dialects, GuavaFiltersAnswerAsGuavaCounted) {
  for (const char* const name :
       {"string_utf8_s0_e100_n1000_p0.01.bf", "string_utf8_s1_e10000_n10000_p0.01.bf",
        "string_utf8_s1_e100_n100_p1.0E-4.bf"}) {
    for (auto& row : golden_table("guava/manifest.csv")) {
      if (row["file"] == name) {
        take("guava/" + row["file"], "f");
        expect_counts("--dialect guava f", row["inserted"], row["false_positives_1000000_to_1099999"]);
      }
    }
  }
}

// The funnels of numbers are key forms, by options, since the file does not say what its keys were.
TEST_F(Dialects, KeyFormsMakeTheKeysOfFunnels) {
  take("guava/int_s1_e100_n100_p0.01.bf", "int");
  take("guava/long_s1_e100_n100_p0.01.bf", "long");
  take("guava/chars_utf16le_s1_e100_n100_p0.01.bf", "chars");
  write("ints",
        lines_of([](auto i) { return std::to_string(static_cast<std::int32_t>(i * 0x9E3779B1U)); }, 0, 100));
  write("longs",
        lines_of([](auto i) { return std::to_string(static_cast<std::int64_t>(i * 0x9E3779B97F4A7C15U)); }, 0,
                 100));
  write("texts", lines_of([](auto i) { return "k\u00e9\u20ac\U0001F600-" + std::to_string(i); }, 0, 100));
  EXPECT_EQ(run("bloomery query -c --dialect guava --key-form int32 int ints").out, "100\n");
  EXPECT_EQ(run("bloomery query -c --dialect guava --key-form int64 long longs").out, "100\n");
  EXPECT_EQ(run("bloomery query -c --dialect guava --key-form utf16 chars texts").out, "100\n");
  EXPECT_EQ(
      run("sed 's/.*/a,&/' ints | bloomery query -c --dialect guava --key-form int32 -k 2 -d , int").out,
      "100\n");
  EXPECT_EQ(run("bloomery query --dialect guava -k 1,2 int ints").status, 2) << "no other system's composite";
}

TEST_F(Dialects, DcsoFiltersAreRecognised) {
  for (auto& row : golden_table("dcso/manifest.csv")) {
    take("dcso/" + row["file"], "f");
    expect_counts("f", row["inserted"], row["absent_matches"]);
  }
}

// The files are of both versions, and one has a seed. No file says that its keys were longs.
TEST_F(Dialects, SparkFiltersAreRecognised) {
  const auto rows = [](std::uint64_t i) {
    char text[32];
    std::snprintf(text, sizeof text, "row-%05u", static_cast<unsigned>(i));
    return std::string(text);
  };
  write("rows", lines_of(rows, 0, 1000));
  write(
      "longs",
      lines_of([](auto i) { return std::to_string(static_cast<std::int64_t>(i * 0xD1342543DE82EF95U + 1)); },
               0, 1000));
  for (const std::string version : {"v1_s0", "v2_s0", "v2_s42"}) {
    SCOPED_TRACE(version);
    take("spark/" + version + "_ascii_n1000_p0.03.bf", "ascii");
    take("spark/" + version + "_long_n1000_p0.03.bf", "long");
    const Ran ran =
        run("bloomery query -c ascii rows; bloomery query -c --key-form int64 long longs; "
            "bloomery inspect ascii | grep -c '^type  *spark:v'; bloomery fpp ascii --absent absent | wc -l");
    EXPECT_TRUE(ran.out.starts_with("1000\n1000\n1\n")) << ran.out << ran.err;
    EXPECT_EQ(run("bloomery query --dialect spark:seed=7 ascii rows").status, 2) << "contradicts the file";
  }
}

TEST_F(Dialects, SparkFiltersAreBuiltFilledAndMergedByteForByte) {
  for (const std::string dialect : {"spark", "spark:v1", "spark:seed=-3"}) {
    SCOPED_TRACE(dialect);
    const Ran ran =
        run("rm -f whole a b u; head -n 4000 keys > first; tail -n +4001 keys > second; "
            "build() { bloomery build --no-summary -n 10000 -p 0.01 --dialect " +
            dialect +
            " \"$@\"; }; build -o whole keys; build -o a first; build -o b second; "
            "bloomery merge --no-summary -o u a b; echo $?; cmp u whole; "
            "bloomery add --no-summary a second; echo $?; cmp a whole");
    EXPECT_EQ(ran.out, "0\n0\n") << ran.err;
  }
  const Ran named =
      run("head -n 1000 keys > in; bloomery build --dialect spark:bits=8000 -o n in; "
          "bloomery build --dialect spark --bits-per-key 8 -o p in; cmp n p && echo same; "
          "bloomery build --dialect spark:bits=8000 -p 0.1 -o no in");
  EXPECT_EQ(named.out, "same\n") << named.err;
  EXPECT_EQ(named.status, 2);
  EXPECT_TRUE(says(named.err, "-p, --bits-per-key: expected none")) << named.err;
  EXPECT_EQ(run("bloomery build --dialect spark -p 0.1 -o no < /dev/null").status, 2) << "no keys, as Spark";
}

TEST_F(Dialects, RedisBloomDumpsAreRecognisedWithChunksBesideThem) {
  for (auto& row : golden_table("redisbloom/manifest.csv")) {
    if (row["keys"] != "text") {
      continue;
    }
    take("redisbloom/" + row["name"] + ".header", "f.header");
    std::istringstream chunks(row["chunks(file:iter:bytes)"]);
    for (std::string chunk; chunks >> chunk;) {
      const std::string name = chunk.substr(0, chunk.find(':'));
      take("redisbloom/" + row["name"] + "." + name, "f." + name);
    }
    expect_counts("f.header", row["attempted_adds"], row["false_positives_1000000_to_1099999"]);
    // The same as one file, which others can be made of.
    ASSERT_EQ(run("bloomery merge --force -o f f.header").status, 0);
    expect_counts("f", row["attempted_adds"], row["false_positives_1000000_to_1099999"]);
    ASSERT_EQ(run("rm -f f.*").status, 0);
  }
}

TEST_F(Dialects, SimpleJavaTakesTextAsJavaHoldsIt) {
  for (auto& row : golden_table("simple-java/manifest.csv")) {
    if (row["file"].ends_with(".bits")) {
      take("simple-java/" + row["file"], "f");
      expect_counts("--dialect simple-java:bits=" + row["cap_bits"] + " f", row["keys"],
                    row["false_positives_1000000_to_1099999"]);
    }
  }
}

TEST_F(Dialects, LevelDbFiltersAnswerAsLevelDbCounted) {
  for (auto& row : golden_table("leveldb/raw_manifest.csv")) {
    if (row["keys"] == "text" && row["n"] == "1000") {
      take("leveldb/" + row["file"], "f");
      expect_counts("--dialect leveldb:raw f", row["n"], row["false_positives_1000000_to_1099999"]);
    }
  }
}

// Keys of any bytes are lines in hexadecimal.
TEST_F(Dialects, TablesAreRecognisedAndAskedForKeysOfAnyBytes) {
  const auto hex = [](const std::string& bytes) {
    std::string text;
    for (const char byte : bytes) {
      constexpr char kDigits[] = "0123456789abcdef";
      text +=
          {kDigits[static_cast<unsigned char>(byte) >> 4], kDigits[static_cast<unsigned char>(byte) & 15]};
    }
    return text;
  };
  write("level", lines_of([&hex](auto i) { return hex(leveldb_binary_key(i)); }, 0, 2000));
  write("rocks", lines_of([&hex](auto i) { return hex(rocksdb_binary_key(i)); }, 0, 5000));
  take_table("leveldb/db_binary.ldb", "b.ldb");
  take_table("rocksdb/ribbon_b10_fv5_binary5000.sst", "b.sst");
  EXPECT_EQ(run("bloomery query -c --key-form hex b.ldb level").out, "2000\n");
  EXPECT_EQ(run("bloomery query -c --key-form hex b.sst rocks").out, "5000\n");
}

// LevelDB, RocksDB and Spark have the empty key. In hex it is no digits, as a line or behind -e.
TEST_F(Dialects, TheEmptyKeyCanBeSaidInHex) {
  for (const std::string dialect : {"spark", "guava", "leveldb:raw", "rocksdb:fastlocal", "redisbloom"}) {
    const std::string build =
        "rm -f f g; bloomery build --dialect " + dialect + " -n 10 -p 0.001 --key-form hex -o ";
    const std::string ask =
        "bloomery query --dialect " + dialect + " --key-form hex --answers f -e '' -e 61; ";
    EXPECT_EQ(run("(echo 61; echo) > k; " + build + "f k; " + ask).out, "1\n1\n") << dialect;
    EXPECT_EQ(run("echo 61 > k; " + build + "f k; " + ask).out, "0\n1\n") << dialect;
    EXPECT_EQ(run("echo > k; " + build + "f k; " + ask + "echo | bloomery query -c --dialect " + dialect +
                  " --key-form hex f")
                  .out,
              "1\n0\n1\n")
        << dialect;
    EXPECT_EQ(run("bloomery query -c --dialect " + dialect + " --key-form text f <(echo)").out, "1\n")
        << dialect << ": it is the empty text, too";
  }
  const Ran ours =
      run("rm -f f; echo 61 | bloomery build --key-form hex -n 10 -p 1e-6 -o f; bloomery query f --answers "
          "-e ''; "
          "bloomery add f -e ''; bloomery query f --answers -e '' -e 61 -e 62; bloomery query f -e 6");
  EXPECT_EQ(ours.out, "0\n1\n1\n0\n") << ours.err;
  EXPECT_TRUE(says(ours.err, "expected an even number of hexadecimal digits, found '6'")) << ours.err;
}

// A database, too: its files, and the log that has the key.
TEST_F(Dialects, ADatabaseIsAskedForTheEmptyKey) {
  take_table("leveldb/db_binary.ldb", "b.ldb");
  const Ran ran = run("bloomery query --key-form hex --answers b.ldb -e ''");
  EXPECT_EQ(ran.out, "0\n") << ran.err;
}

// Of every format version, whole keys; a partitioned filter is not asked for keys outside its table's range.
TEST_F(Dialects, RocksDbTablesAnswerAsRocksDbCounted) {
  for (auto& row : golden_table("rocksdb/manifest.csv")) {
    const bool is_asked_for_all = row["partitioned"] == "0" && row["prefix_len"] == "0";
    if (row["keys"] == "text" && std::stoi(row["n"]) >= 500 && is_asked_for_all) {
      expect_table_counts("rocksdb/" + row["file"], row["n"], row["absent_filter_positives"]);
    }
  }
}

TEST_F(Dialects, LevelDbTablesAnswerAsLevelDbCounted) {
  for (auto& row : golden_table("leveldb/db_manifest.csv")) {
    if (row["keys"] == "text" && row["churn"] == "0") {
      expect_table_counts("leveldb/" + row["dir"] + ".ldb", row["n"], row["absent_filter_positives"]);
    }
  }
}

TEST_F(Dialects, ParquetFiltersAreAskedByTheirColumn) {
  take("parquet/n500_p0.001.parquet", "f.parquet");
  write("numbers", lines_of([](auto i) { return std::to_string(7919 * i); }, 0, 500));
  EXPECT_EQ(run("head -n 500 keys | bloomery query -c --dialect parquet:s f.parquet").out, "500\n");
  EXPECT_EQ(run("bloomery query -c --dialect parquet:l --key-form int64 f.parquet numbers").out, "500\n");
  EXPECT_EQ(run("head -n 600 absent | bloomery query -c --dialect parquet:s f.parquet").out, "1\n");
  const Ran unnamed = run("bloomery query f.parquet keys");
  EXPECT_EQ(unnamed.status, 2);
  EXPECT_TRUE(says(unnamed.err, "parquet:COLUMN with one of b, d, f, l, n, s")) << unnamed.err;
}

std::string golden_folder(const std::string& name) {
  return std::string(BLOOMERY_SOURCE) + "/tests/golden/" + name;
}

TEST_F(Dialects, ADatabaseIsAskedWhole) {
  for (const char* const name : {"leveldb/db_logged", "rocksdb/db_full_fv6", "rocksdb/db_partitioned_fv7",
                                 "rocksdb/db_families_fv7", "rocksdb/db_logged_fv7"}) {
    ASSERT_EQ(run("rm -rf db; cp -r " + golden_folder(name) + " db; chmod -R u+w db").status, 0);
    const Ran present = run("head -n 400 keys | bloomery query -c db");
    EXPECT_EQ(present.out, "400\n") << name;
    EXPECT_EQ(present.err, "") << name;
    // A live file that is missing would make a wrong no of its keys.
    const Ran missing =
        run("rm $(ls db/*.ldb db/*.sst 2>/dev/null | tail -n 1); head -n 400 keys | bloomery query -c db");
    EXPECT_EQ(missing.status, 3) << name;
    EXPECT_TRUE(says(missing.err, "which the database needs")) << missing.err;
  }
  EXPECT_EQ(run("bloomery query --dialect guava db keys").status, 2);
  const Ran empty = run("mkdir empty; bloomery query empty keys");
  EXPECT_NE(empty.status, 0);
  EXPECT_TRUE(says(empty.err, "found no file CURRENT")) << empty.err;
}

TEST_F(Dialects, ADatabaseOfPebbleAndItsTablesAreNamed) {
  ASSERT_EQ(
      run("mkdir db; touch db/marker.format-version.000012.013 db/marker.manifest.000001.MANIFEST-000001; "
          "echo MANIFEST-000000 > db/CURRENT; (head -c 100 /dev/zero; printf '\\004\\0\\0\\0"
          "\\360\\237\\252\\263\\360\\237\\252\\263') > db/000005.sst")
          .status,
      0);
  for (const char* const verb : {"query db -e a", "inspect db", "query --dialect rocksdb db -e a"}) {
    const Ran ran = run(std::string("bloomery ") + verb);
    EXPECT_EQ(ran.status, 5) << verb << ran.err;
    EXPECT_TRUE(says(ran.err, "found one of Pebble of format 013 (manifest MANIFEST-000001)")) << ran.err;
  }
  for (const char* const verb : {"query db/000005.sst -e a", "inspect db/000005.sst"}) {
    const Ran ran = run(std::string("bloomery ") + verb);
    EXPECT_EQ(ran.status, 5) << verb << ran.err;
    EXPECT_TRUE(says(ran.err, "found one of Pebble of format 4")) << ran.err;
  }
}

TEST_F(Dialects, TheSummaryOfADatabaseCountsForcedMaybesAndKeysOfTheLog) {
  ASSERT_EQ(run("cp -r " + golden_folder("rocksdb/db_logged_fv7") + " db; cp -r " +
                golden_folder("rocksdb/db_fixed_fv6") + " fixed; chmod -R u+w db fixed")
                .status,
            0);
  const Ran logged = run("head -n 400 keys | bloomery query -c --summary db");
  EXPECT_TRUE(says(logged.err, "; keys in write-ahead logs: 205")) << logged.err;
  const Ran forced =
      run("bloomery query --summary --answers fixed -e key0002 -e key000222 -e key00022x -e key0001xyz");
  EXPECT_EQ(forced.out, "1\n1\n1\n0\n");
  EXPECT_TRUE(says(forced.err, "3 may be in (1 of them forced)")) << forced.err;
  const Ran without = run("rm db/*.log; bloomery query -c db keys");
  EXPECT_TRUE(says(without.err, "warning: db has no write-ahead log")) << without.err;
}

TEST_F(Dialects, OptionsOfDatabasesThatContradictAFileAreErrors) {
  ASSERT_EQ(run("cp -r " + golden_folder("rocksdb/db_families_fv7") + " db; cp -r " +
                golden_folder("rocksdb/db_fixed_fv6") + " fixed; bloomery build --no-summary -o ours keys")
                .status,
            0);
  EXPECT_EQ(run("bloomery query --column-family other db -e key000001").out, "key000001\n");
  EXPECT_EQ(run("bloomery query --column-family default db -e key000001").status, 1);
  const Ran unknown = run("bloomery query --column-family third db -e key000001");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_TRUE(says(unknown.err, "(default, other)")) << unknown.err;
  EXPECT_EQ(run("bloomery query --prefix-extractor fixed:8 fixed/000009.sst -e key000001").out,
            "key000001\n");
  for (const char* const wrong :
       {"--prefix-extractor fixed:7 fixed", "--prefix-extractor fixed:7 fixed/000009.sst",
        "--prefix-extractor 8 fixed", "--prefix-extractor fixed:8 ours", "--column-family default ours",
        "--column-family default fixed/000009.sst"}) {
    EXPECT_EQ(run("bloomery query " + std::string(wrong) + " -e key000001").status, 2) << wrong;
  }
}

TEST_F(Dialects, InspectListsTheFilesOfADatabase) {
  ASSERT_EQ(run("cp -r " + golden_folder("rocksdb/db_families_fv7") + " db; chmod -R u+w db").status, 0);
  const Ran ran = run("bloomery inspect db");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_TRUE(says(ran.out, "other level 6 ")) << ran.out;
  EXPECT_TRUE(says(ran.out, ".sst ")) << ran.out;
  EXPECT_TRUE(says(ran.out, "key000001 to ")) << ran.out;
  const Ran json = run("bloomery inspect --json --column-family other db");
  EXPECT_TRUE(says(json.out, "\"comparator\": \"leveldb.BytewiseComparator\"")) << json.out;
  EXPECT_FALSE(says(json.out, "\"name\": \"default\"")) << json.out;
  EXPECT_TRUE(says(run("bloomery inspect --verify db").out, "db: ok"));
  const Ran damaged =
      run("f=$(ls db/*.sst | head -n 1); s=$(stat -c %s $f); printf x | dd of=$f bs=1 seek=$((s - 20)) "
          "conv=notrunc "
          "status=none; bloomery inspect --verify db");
  EXPECT_EQ(damaged.status, 3);
  EXPECT_TRUE(says(damaged.out, "db: damaged: 1 of ")) << damaged.out;
}

TEST_F(Dialects, FiltersOfBothKindsAreAskedTogether) {
  take("dcso/n1000_p0.01.bloom", "dcso");
  take_table("leveldb/db_snappy.ldb", "s.ldb");
  const Ran ran = run(
      "seq 100 | bloomery build -o ours -n 100 -p 1e-9; (seq 100; head -n 5000 keys) > all; "
      "bloomery query -c ours -f dcso -f s.ldb all; bloomery query -c s.ldb -f ours all; "
      "bloomery query ours -f dcso | wc -l; head -n 10 keys > white; "
      "bloomery query -c --allow white s.ldb -f ours all; bloomery query -c --allow white ours -f s.ldb all");
  EXPECT_EQ(ran.out, "5100\n5100\n0\n5090\n5090\n") << ran.err;
}

TEST_F(Dialects, BuildsTheBytesThatTheSystemsWrote) {
  struct Case {
    const char* build;
    const char* golden;
  };
  const Case cases[] = {
      {"--dialect guava:k-old -p 0.01 keys", "guava/string_utf8_s1_e10000_n10000_p0.01.bf"},
      {"--dialect guava:mitz32 -p 0.01 keys", "guava/string_utf8_s0_e10000_n10000_p0.01.bf"},
      {"--dialect guava -n 100 -p 0.01 thousand", "guava/string_utf8_s1_e100_n1000_p0.01.bf"},
      {"--dialect dcso -n 1000 -p 0.01 thousand", "dcso/n1000_p0.01.bloom"},
      {"--dialect leveldb --bits-per-key 10 thousand", "leveldb/text_b10_n1000.filter"},
      {"--dialect leveldb:raw --bits-per-key 20 thousand", "leveldb/text_b20_n1000.filter"},
      {"--dialect parquet -p 0.01 five", "parquet/n5000_p0.01.s.sbbf"},
      {"--dialect simple-java:bits=16384 half", "simple-java/cap16384_n500.bits"},
  };
  ASSERT_EQ(run("head -n 1000 keys > thousand; head -n 5000 keys > five; head -n 500 keys > half").status, 0);
  for (const Case& row : cases) {
    SCOPED_TRACE(row.build);
    const Ran ran = run(std::string("bloomery build --summary --force -o f ") + row.build);
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_TRUE(read("f") == golden_file(row.golden)) << "other bytes";
    EXPECT_TRUE(says(ran.err, "bits per key, fpp ")) << ran.err;
  }
  EXPECT_EQ(
      run("bloomery build --no-summary -o - --dialect leveldb --bits-per-key 10 thousand | cmp - f").status,
      1);
  EXPECT_EQ(run("bloomery build -o f --dialect guava -p 0.01 keys").status, 2) << "--force";
}

// The filter lies in the table as it is built.
TEST_F(Dialects, BuildsTheFilterOfARocksDbTable) {
  ASSERT_EQ(
      run("head -n 5000 keys | bloomery build -o f --dialect rocksdb:fastlocal --bits-per-key 10").status, 0);
  const std::string built = read("f");
  EXPECT_EQ(built.size(), 6277u);
  EXPECT_NE(unpacked_golden("rocksdb/fastlocal_b10_fv5_text5000.sst").find(built), std::string::npos);
}

// From a stream, key by key in the order of the dump.
TEST_F(Dialects, BuildsTheChainThatRedisBloomGrew) {
  ASSERT_EQ(run("head -n 5000 keys | bloomery build -o f --dialect redisbloom -n 100 -p 0.01").status, 0);
  const std::string stream = read("f");
  for (int chunk = 0; chunk < 6; ++chunk) {
    const std::string bytes =
        golden_file("redisbloom/scaling_e0.01_c100_text5000.chunk" + std::to_string(chunk));
    EXPECT_NE(stream.find(bytes), std::string::npos) << chunk;
  }
}

TEST_F(Dialects, BinaryFuseFiltersHaveTheBytesOfTheirLibrary) {
  const auto number = [](std::uint64_t i) {
    return std::to_string(static_cast<std::int64_t>(i * 0x9e3779b97f4a7c15));
  };
  write("numbers", lines_of(number, 0, 1000));
  write("others", lines_of(number, 1000, 100'000));
  for (const std::string dialect : {"fuse8", "fuse16"}) {
    for (const std::string form : {"serialised", "packed"}) {
      SCOPED_TRACE(dialect + " " + form);
      const std::string option = form == "packed" ? ":packed" : "";
      ASSERT_EQ(run("bloomery build --force -o f --dialect " + dialect + option + " numbers").status, 0);
      EXPECT_TRUE(read("f") == golden_file("xor-singleheader/" + dialect + "_n1000." + form));
      EXPECT_EQ(run("bloomery query -c f numbers; bloomery query -c f others").out,
                dialect == "fuse8" ? "1000\n391\n" : "1000\n0\n");
      EXPECT_TRUE(says(run("bloomery inspect f").out, "segment_length")) << option;
    }
  }
  const auto refused = [this](const std::string& line, const std::string& why) {
    const Ran ran = run(line);
    EXPECT_EQ(ran.status, 2) << line;
    EXPECT_TRUE(says(ran.err, why)) << ran.err;
  };
  const std::string build = "bloomery build --dialect fuse8 -o g ";
  refused(build + "-p 0.01 numbers", "-p, --bits-per-key: expected none");
  refused(build + "keys", "expected a decimal integer of 64 bits");
  refused(build + "--key-form text keys", "--key-form: expected int64, or hex for the 8 bytes of an integer");
  refused("echo 0102 | " + build + "--key-form hex", "expected the 8 bytes of an integer, found 2");
  refused("seq 9 | bloomery add f", "none can be added");
  refused("bloomery merge -o g f f", "cannot be merged");
  EXPECT_EQ(run("ls g").status, 2);
  // 3 as bytes.
  EXPECT_EQ(run("seq 5 | " + build + "; echo 0300000000000000 | bloomery query --key-form hex -c g").out,
            "1\n");
}

TEST_F(Dialects, BuildRefusesByNameWhatForeignFilesCannotKeep) {
  for (const std::string option : {"-t bloom", "--note x", "--keyed", "--key-file k", "--seed 7",
                                   "--exceptions absent", "--exact-below 10", "--window 5", "--generations 3",
                                   "--shards 1/2", "--mem 64M", "--tmp .", "--members-win"}) {
    const Ran ran = run("bloomery build --dialect guava -p 0.01 -o f " + option + " keys");
    EXPECT_EQ(ran.status, 2) << option;
    EXPECT_TRUE(says(ran.err, "build: " + option.substr(0, option.find(' ')) + ": ")) << ran.err;
    EXPECT_EQ(run("ls f").status, 2) << option;
  }
  EXPECT_EQ(run("bloomery build --dialect nothing -p 0.1 -o f keys").status, 2);
  EXPECT_EQ(run("bloomery build --dialect leveldb:table -p 0.1 -o f keys").status, 2);
  EXPECT_EQ(run("bloomery build --dialect simple-java:bits=64 -p 0.1 -o f keys").status, 2);
  EXPECT_EQ(run("bloomery build --dialect guava -p 0.1 -n 9999 --strict -o f keys").status, 4);
  EXPECT_EQ(run("bloomery build --dialect leveldb -p 0.1 --strict -o f keys").status, 2) << "strict of what";
  EXPECT_EQ(run("ls f").status, 2);
}

// DCSO's header counts the keys that changed it, and a union cannot know how many would have.
TEST_F(Dialects, ADcsoUnionHasAllKeysAndAnAdditionTheBytesOfOneBuild) {
  const Ran ran =
      run("head -n 4000 keys > first; tail -n +4001 keys > second; "
          "build() { bloomery build --no-summary --dialect dcso -n 10000 -p 0.01 \"$@\"; }; "
          "build -o whole keys; build -o a first; build -o b second; bloomery merge --no-summary -o u a b; "
          "echo $?; "
          "bloomery query -c u keys; bloomery add --no-summary a second; echo $?; cmp a whole");
  EXPECT_EQ(ran.out, "0\n10000\n0\n") << ran.err;
}

TEST_F(Dialects, AddAndMergeGiveTheBytesOfOneBuild) {
  ASSERT_EQ(run("head -n 4000 keys > first; tail -n +4001 keys > second").status, 0);
  for (const std::string dialect : {"guava", "parquet"}) {
    SCOPED_TRACE(dialect);
    const std::string option = " --no-summary --dialect " + dialect + " ";
    const Ran ran =
        run("rm -f whole a b u; build() { bloomery build -n 10000 -p 0.01" + option + "\"$@\"; }; " +
            "build -o whole keys; build -o a first; build -o b second; bloomery merge" + option +
            "-o u a b; echo $?; cmp u whole; bloomery add" + option + "a second; echo $?; cmp a whole");
    EXPECT_EQ(ran.out, "0\n0\n") << ran.err;
  }
}

TEST_F(Dialects, AddKeepsToTheCapacityUnderStrict) {
  take("dcso/n1000_p0.01.bloom", "f");
  const Ran ran =
      run("cp f before; bloomery add --strict f absent; echo $?; cmp f before && echo same; "
          "bloomery add --allow-empty f < /dev/null; echo $?; bloomery query --no-summary -c f keys -m 1");
  EXPECT_EQ(ran.out, "4\nsame\n0\n1\n") << ran.err;
  take("guava/string_utf8_s1_e100_n100_p0.01.bf", "g");
  EXPECT_EQ(run("bloomery add --strict --dialect guava g keys").status, 2) << "Guava records no capacity";
}

TEST_F(Dialects, MoreKeysThanAFileRecordsToBeMadeForAreWarnedOf) {
  take("dcso/n1000_p0.01.bloom", "f");
  const std::string over = "warning: over capacity: made for 1,000 keys";
  EXPECT_FALSE(says(run("bloomery inspect f").err, over));
  EXPECT_TRUE(says(run("bloomery add f absent").err, over));
  EXPECT_TRUE(says(run("bloomery inspect f").err, over));
  EXPECT_TRUE(says(run("bloomery build --dialect dcso -n 1000 -p 0.01 -o g keys").err, over));
}

TEST_F(Dialects, WhatADialectCannotDoSaysWhy) {
  take_table("leveldb/db_snappy.ldb", "s.ldb");
  take("redisbloom/default_e0.01_c100_text50.header", "r.header");
  take("redisbloom/default_e0.01_c100_text50.chunk0", "r.chunk0");
  take("guava/string_utf8_s1_e100_n100_p0.01.bf", "g");
  const auto refuses = [this](const std::string& line, const std::string& why) {
    const Ran ran = run(line);
    EXPECT_EQ(ran.status, 2) << line;
    EXPECT_TRUE(says(ran.err, why)) << line << "\n" << ran.err;
  };
  refuses("bloomery add s.ldb keys", "it is only read");
  refuses("bloomery merge -o m s.ldb s.ldb", "it is only read");
  refuses("bloomery add r.header keys", "chunks beside it");
  refuses("bloomery merge -o m r.header r.header", "RedisBloom has no merge");
  refuses("bloomery remove s.ldb keys", "no key can be removed");
  refuses("bloomery except s.ldb absent", "its format keeps none");
  refuses("bloomery report --dialect guava g key", "its format keeps none");
  refuses("seq 9 | bloomery build -o ours -p 0.1 -n 9; bloomery merge --dialect guava -o m g ours",
          "found one of ours");
  // Any bytes could be of a dialect that is never recognised: it has to be named.
  write("unknown",
        std::string("\x9a\x99\x99\x99\x99\x99\xb9\x3f\7\0\0\0\0\0\0\0", 16) + std::string(80, '\x9a'));
  const Ran unknown = run("bloomery query unknown keys");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_TRUE(says(unknown.err, "or has to be named (--dialect)")) << unknown.err;
  // Certain of nothing: the candidates and the option are named.
  refuses("bloomery query g keys", "it may be of guava:mitz64 (--dialect)");
  refuses("bloomery inspect g", "it may be of guava:mitz64 (--dialect)");
}

// Status 3 says that a file is damaged, on which scripts restore backups. Text, an empty file, swapped arguments and filters
// of other libraries are none of it.
TEST_F(Dialects, WhatIsNoFilterIsNoDamage) {
  write("pybloom",
        std::string("\x9a\x99\x99\x99\x99\x99\xb9\x3f\7\0\0\0\0\0\0\0", 16) + std::string(1200, '\x9a'));
  write("rbloom", std::string("\6\0\0\0\0\0\0\0", 8) + std::string(1199, '\x9a'));
  write("empty", "");
  write("utf8", "caf\xc3\xa9 \xe2\x82\xac\n");
  ASSERT_EQ(run("head -n 100 keys | bloomery build -o k.bloom -n 100 -p 0.01").status, 0);
  const struct {
    std::string line;
    std::string words;
  } lines[] = {{"inspect keys", "looks like lines of text"},
               {"inspect utf8", "looks like lines of text"},
               {"query keys k.bloom",
                "FILTER comes first, then the files of lines; found the filter behind it, k.bloom"},
               {"add keys k.bloom",
                "FILTER comes first, then the files of lines; found the filter behind it, k.bloom"},
               {"query keys keys", "FILTER comes before the files of keys"},
               {"merge -o m keys keys", "looks like lines of text"},
               {"query --dialect guava keys keys", "looks like lines of text"},
               {"query --dialect leveldb:raw keys keys", "looks like lines of text"},
               {"query --dialect parquet keys keys", "looks like lines of text"},
               {"inspect empty", "a file of 0 bytes"},
               {"query --dialect dcso empty keys", "a file of 0 bytes"},
               {"inspect rbloom", "it is of another library, or has to be named"},
               {"query rbloom keys", "it is of another library, or has to be named"},
               {"inspect pybloom", "it is of another library, or has to be named"}};
  for (const auto& line : lines) {
    const Ran ran = run("bloomery " + line.line);
    EXPECT_EQ(ran.status, 2) << line.line << "\n" << ran.err;
    EXPECT_TRUE(says(ran.err, line.words)) << line.line << "\n" << ran.err;
  }
  // A filter of ours that lost a byte of its magic is damaged.
  EXPECT_EQ(
      run("printf X | dd of=k.bloom bs=1 seek=2 conv=notrunc status=none; bloomery inspect k.bloom").status,
      3);
}

// Two filters in one file: every key of the second was denied without a word.
TEST_F(Dialects, BytesBehindAFilterAreNamedByEveryVerb) {
  const Ran ran =
      run("for d in guava spark bits-and-blooms; do"
          "  head -n 100 keys | bloomery build --dialect $d -n 100 -p 0.01 --no-summary -o $d.one;"
          "  cat $d.one $d.one > $d.two;"
          "  for line in \"query $d.two\" \"add $d.two\" \"merge -o m\" \"inspect $d.two\"; do"
          "    case $line in merge*) line=\"$line $d.two $d.two\";; esac;"
          "    bloomery ${line%% *} --dialect $d ${line#* } < keys > out 2> err; echo $d ${line%% *} $?;"
          "    grep -q 'behind the filter' err || cat err;"
          "  done;"
          "  head -n 100 keys | bloomery query --no-summary -c --dialect $d:forced $d.two;"
          "done");
  std::string wanted;
  for (const std::string dialect : {"guava", "spark", "bits-and-blooms"}) {
    for (const char* const verb : {"query", "add", "merge", "inspect"}) {
      wanted += dialect + " " + verb + " 5\n";
    }
    wanted += "100\n";
  }
  EXPECT_EQ(ran.out, wanted) << ran.err;
}

// The first thing that is typed when a guard misbehaves.
TEST_F(Dialects, ALeasedFileIsInspected) {
  const std::string path = shell_.folder().path("users.leased");
  {
    auto page = LeasePage::open_for_feeder(path);
    ASSERT_TRUE(page) << page.error().to_string();
    page->set_bound(5'000'000'000);
    page->set_position(77);
  }
  const Ran none = run("bloomery inspect users.leased");
  EXPECT_EQ(none.status, 0) << none.err;
  EXPECT_TRUE(says(none.out, "leased filter") && says(none.out, "none is complete yet")) << none.out;
  ASSERT_EQ(run("head -n 100 keys | bloomery build -o users.leased.7 -n 100 -p 0.01").status, 0);
  {
    auto page = LeasePage::open_for_feeder(path);
    ASSERT_TRUE(page);
    page->set_generation(7);
  }
  const Ran ran = run("bloomery inspect --json users.leased");
  EXPECT_EQ(ran.status, 0) << ran.err;
  for (const char* const words : {"\"lease\": \"over", "\"generation\": 7", "users.leased.7\"",
                                  "\"position\": 77", "\"bound_ms\": 5000", "\"capacity\": 100"}) {
    EXPECT_TRUE(says(ran.out, words)) << words << "\n" << ran.out;
  }
}

// A dialect that is named for a filter of ours is a mistake: the answers would be those of other keys than meant.
TEST_F(Dialects, ADialectNamedForAFilterOfOursIsAnError) {
  ASSERT_EQ(run("seq 9 | bloomery build -o ours -p 0.1 -n 9").status, 0);
  for (const std::string verb :
       {"query", "add", "inspect", "fpp --absent keys", "merge -o m", "except", "remove"}) {
    const Ran ran = run("bloomery " + verb + " --dialect guava ours < /dev/null");
    EXPECT_EQ(ran.status, 2) << verb;
    EXPECT_TRUE(says(ran.err, "expected a filter of guava, as --dialect names it, found one of ours"))
        << ran.err;
  }
}

TEST_F(Dialects, AFileOfAnotherKindIsOpenedUnderANameOnlyIfForced) {
  take("spark/v2_s0_ascii_n1000_p0.03.bf", "s");
  take("leveldb/text_b10_n1000.filter", "l");
  const Ran other = run("bloomery query --dialect leveldb:raw s keys");
  EXPECT_EQ(other.status, 2);
  EXPECT_TRUE(
      says(other.err, "expected a filter of leveldb:raw as named, found a filter of the dialect spark:v2"))
      << other.err;
  EXPECT_LE(run("bloomery query --dialect leveldb:raw,forced s keys").status, 1);
  const Ran empty = run(": > e; bloomery query --dialect rocksdb:fastlocal e keys");
  EXPECT_EQ(empty.status, 2) << "RocksDB's filter of no keys";
  EXPECT_TRUE(says(empty.err, "the option `forced` opens it all the same")) << empty.err;
  EXPECT_EQ(run("bloomery query -c --dialect rocksdb:fastlocal,forced e keys").out, "0\n");
}

TEST_F(Dialects, AFunnelThatTheFileNamesDecidesTheKeyForm) {
  take("guava/java/long.ser", "long");
  take("guava/java/text.ser", "text");
  write("longs",
        lines_of([](auto i) { return std::to_string(static_cast<std::int64_t>(i * 0x9E3779B97F4A7C15U)); }, 0,
                 100));
  EXPECT_EQ(run("bloomery query -c --key-form int64 long longs").out, "100\n") << "recognised";
  EXPECT_EQ(run("head -n 100 keys | bloomery query -c text").out, "100\n");
  for (const std::string line :
       {"query long longs", "query --key-form int32 long longs", "add long longs",
        "query --key-form utf16 text keys", "build --dialect guava:java=long -p 0.1 -o no longs"}) {
    const Ran ran = run("bloomery " + line);
    EXPECT_EQ(ran.status, 2) << line;
    EXPECT_TRUE(says(ran.err, "--key-form: expected ")) << ran.err;
  }
  const Ran made =
      run("bloomery build --dialect guava:java=long --key-form int64 -p 0.01 -o m longs; cmp m long && "
          "bloomery add --key-form int64 m longs; cmp m long && echo same; ls no");
  EXPECT_EQ(made.out, "same\n") << made.err;
}

// Text of another charset was denied without a word.
TEST_F(Dialects, AFunnelThatNobodyKnowsDemandsAKeyForm) {
  take("guava/java/latin1.ser", "latin1");
  take("guava/java/sequence.ser", "sequence");
  for (const std::string line : {"query latin1 keys", "add latin1 keys", "query sequence keys"}) {
    const Ran ran = run("bloomery " + line);
    EXPECT_EQ(ran.status, 2) << line;
    EXPECT_TRUE(says(ran.err, ": expected --key-form, since the keys are made by ")) << ran.err;
  }
  EXPECT_EQ(run("head -n 100 keys | bloomery query -c --key-form text latin1").out, "100\n") << "all ASCII";
}

// Wholly or not at all: the caller learns how far it went, and the file is as it was.
TEST_F(Dialects, AnAdditionBeyondTheCapacityOfRedisBloomChangesNothing) {
  const Ran ran = run(
      "head -n 60 keys > first; head -n 110 keys | tail -n 50 > more; tail -n +61 keys | head -n 40 > fits; "
      "bloomery build --no-summary --dialect redisbloom:nonscaling -n 100 -p 0.001 -o f first; "
      "cp f before; bloomery add f more; echo $?; cmp f before && echo same; "
      "bloomery add --no-summary f fits; echo $?; bloomery query -c f fits; "
      "bloomery query -c --dialect redisbloom:expansion=2 f fits; echo $?; "
      "bloomery query -c --dialect redisbloom:nonscaling f fits");
  EXPECT_EQ(ran.out, "4\nsame\n0\n40\n2\n40\n") << ran.err;
  EXPECT_TRUE(says(ran.err, "40 new keys went in before it was full; f was not changed")) << ran.err;
}

TEST_F(Dialects, ContradictionsInAHeaderOfDcsoAreNamed) {
  take("dcso/n1000_p0.01.bloom", "f");
  const Ran ran =
      run("printf '\\011' | dd of=f bs=1 seek=24 conv=notrunc 2> /dev/null; bloomery query -c --dialect dcso "
          "f keys");
  EXPECT_EQ(ran.status, 3);
  EXPECT_TRUE(
      says(ran.err, "expected m = 9585 and k = 7, as n = 1000 and p = 0.01 give, found m = 9585 and k = 9"))
      << ran.err;
}

TEST_F(Dialects, InspectShowsTheSameFieldsForAll) {
  take("guava/string_utf8_s1_e10000_n10000_p0.01.bf", "g");
  take("dcso/n1000_p0.01.bloom", "d");
  take_table("leveldb/db_snappy.ldb", "s.ldb");
  const Ran guava = run("bloomery inspect --dialect guava g");
  for (const char* const line :
       {"type             guava:mitz64\n", "bits             95872\n", "set_bits         49672\n",
        "hash_count       7\n", "integrity        none\n", "estimated_count  9999\n",
        "strategy         MURMUR"}) {
    EXPECT_TRUE(says(guava.out, line)) << line << guava.out;
  }
  const Ran dcso = run("bloomery inspect --json d");
  for (const char* const field : {"\"type\": \"dcso\"", "\"capacity\": 1000", "\"inserted\": 998",
                                  "\"target_fpp\": 0.01", "\"bits\": 9585", "\"integrity\": \"none\""}) {
    EXPECT_TRUE(says(dcso.out, field)) << field << dcso.out;
  }
  const Ran verified = run("bloomery inspect --verify s.ldb");
  EXPECT_EQ(verified.out, "s.ldb: crc32c of every block that was read\n");
  EXPECT_EQ(verified.status, 0);
  EXPECT_EQ(run("bloomery inspect d | cut -c1-17 | tr -d ' \\n'").out.substr(0, 24),
            "typecapacityinsertedtarg");
}

TEST_F(Dialects, FppIsMeasuredAgainstWhatTheFillForetells) {
  take("guava/string_utf8_s1_e10000_n10000_p0.01.bf", "g");
  const Ran ran = run("bloomery fpp --dialect guava g --absent absent");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_TRUE(says(ran.out, "false positives  1,008\n")) << ran.out;
  EXPECT_TRUE(says(ran.out, "predicted fpp    0.01002 (from the fill)\n")) << ran.out;
}

TEST_F(Dialects, DamageIsDamage) {
  take_table("leveldb/db_snappy.ldb", "s.ldb");
  const Ran ran =
      run("head -c 1000 s.ldb > cut; tail -c 48 s.ldb >> cut; bloomery query cut keys; echo $?; "
          "printf '\\7' > short; bloomery query --dialect guava short keys; echo $?; "
          "bloomery query --dialect guava missing keys; echo $?");
  EXPECT_EQ(ran.out, "3\n3\n2\n") << ran.err;
}

// What they cannot do is not refused of a filter of ours.
TEST_F(Dialects, AreNotTakenForFiltersOfOurs) {
  const Ran ran =
      run("seq 1000 | bloomery build --no-summary -n 1000 -p 0.1 -o f; seq 5000 6000 > strangers; "
          "bloomery except --no-summary f strangers; echo $?; bloomery query -c --no-summary f strangers");
  EXPECT_EQ(ran.out, "0\n0\n") << ran.err;
}

}  // namespace
}  // namespace bloomery
