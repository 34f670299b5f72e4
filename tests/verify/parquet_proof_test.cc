// Proofs and repairs of Parquet files: of Arrow, of DuckDB, and of files that are made and damaged here.
#include "verify/parquet_proof.h"

#include <filesystem>
#include <functional>

#include <gtest/gtest.h>

#include "codec/parquet/placed_filter.h"
#include "tests/codec/damage.h"
#include "tests/codec/golden.h"
#include "tests/codec/parquet_pages.h"
#include "tests/verify/shown_proof.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;

Proof proof_of(std::string_view file, const ProofOptions& options = {}) {
  // In memory of its own size, so that the sanitizer sees a read past it.
  const std::vector<char> exact(file.begin(), file.end());
  return prove_parquet_bytes(std::as_bytes(std::span(exact)), "test.parquet", options);
}

std::vector<std::string> golden_parquet_files() {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(std::string(BLOOMERY_SOURCE) + "/tests/golden/parquet")) {
    if (entry.path().extension() == ".parquet") {
      files.push_back(entry.path().string());
    }
  }
  std::ranges::sort(files);
  return files;
}

std::vector<parquet::PlacedFilter> filters_of(std::string_view file) {
  const auto bytes = std::as_bytes(std::span(file));
  std::vector<parquet::PlacedFilter> filters;
  const auto footer = parquet::read_footer(bytes);
  EXPECT_TRUE(footer);
  EXPECT_TRUE(parquet::for_each_column_chunk(*footer, [&](const parquet::ColumnChunk& chunk) -> Status {
    if (chunk.filter_offset) {
      filters.push_back(parquet::placed_filter(chunk, bytes, *footer).value());
    }
    return {};
  }));
  return filters;
}

TEST(ParquetProof, EveryGoldenFileIsSoundOrUnprovenForItsReason) {
  std::size_t sound = 0;
  for (const std::string& path : golden_parquet_files()) {
    const Proof proof = prove_parquet_file(path, {});
    SCOPED_TRACE(path + ": " + shown(proof));
    const std::string name = fs::path(path).filename().string();
    EXPECT_EQ(proof.denied, 0u);
    EXPECT_TRUE(proof.findings.empty());
    if (proof.verdict() == Verdict::kSound) {
      ++sound;
      EXPECT_GT(proof.keys, 0u);
      EXPECT_GT(proof.bytes, fs::file_size(path) / 4);
      continue;
    }
    ASSERT_EQ(proof.verdict(), Verdict::kUnproven);
    const auto says = [&](std::string_view reason) {
      return proof.unproven.front().find(reason) != std::string::npos;
    };
    EXPECT_TRUE((name == "arrow_ranges.parquet" && says("no column chunk has a filter")) ||
                (name == "arrow_encrypted_columns.parquet" && says("column secret") && says("encrypted")) ||
                (name == "arrow_encrypted_footer.parquet" && says("PARE")) ||
                (name == "pages_brotli.parquet" && says("row group 0, column url") && says("BROTLI")));
  }
  EXPECT_GE(sound, 19u);
}

// Every needed bit, in every filter: the key that needs it is denied.
TEST(ParquetProof, EveryClearedBitIsFound) {
  for (const char* const name : {"arrow_int96", "arrow_integers", "pages_plain_v1", "pages_dictionary_v2",
                                 "pages_delta_arrays_v1", "pages_split_v2", "pages_fallback", "n100_p0.05"}) {
    SCOPED_TRACE(name);
    std::string file = golden_file("parquet/" + std::string(name) + ".parquet");
    std::size_t cleared = 0;
    for (const parquet::PlacedFilter& filter : filters_of(file)) {
      for (std::uint64_t bit = filter.bitset_begin() * 8; bit < filter.end * 8; ++bit) {
        const auto mask = static_cast<char>(1 << (bit % 8));
        if ((file[bit / 8] & mask) == 0 || (std::string_view(name).starts_with('n') && bit % 5 != 0)) {
          continue;
        }
        file[bit / 8] = static_cast<char>(file[bit / 8] ^ mask);
        const Proof proof = proof_of(file);
        file[bit / 8] = static_cast<char>(file[bit / 8] ^ mask);
        ++cleared;
        ASSERT_EQ(proof.verdict(), Verdict::kDenies) << bit << ": " << shown(proof);
        ASSERT_FALSE(proof.denied_keys.empty());
        ASSERT_NE(proof.notes.back().find("denies"), std::string::npos);
      }
    }
    EXPECT_GT(cleared, 50u);
  }
}

TEST(ParquetProof, TheFilterOfAnotherColumnIsFound) {
  const std::string file = golden_file("parquet/pages_plain_v1.parquet");
  const auto filters = filters_of(file);
  ASSERT_EQ(filters.size(), 16u);
  std::size_t swapped = 0;
  for (std::size_t i = 0; i < filters.size(); ++i) {
    for (std::size_t j = 0; j < filters.size(); ++j) {
      const auto a = filters[i].blocks.bitset();
      const auto b = filters[j].blocks.bitset();
      // "optional" has some of the values of "url".
      if (a.size() != b.size() || std::ranges::equal(a, b) || (i % 8 == 6 && j == i - 2)) {
        continue;
      }
      std::string changed = file;
      std::ranges::copy(file.substr(filters[j].bitset_begin(), b.size()),
                        changed.begin() + static_cast<std::ptrdiff_t>(filters[i].bitset_begin()));
      EXPECT_EQ(proof_of(changed).verdict(), Verdict::kDenies) << i << " " << j;
      ++swapped;
    }
  }
  EXPECT_GT(swapped, 100u);
}

// A bit that a value needs is cleared, and then one more byte of the file is damaged anywhere. The file is then sound
// only if the damage restored the bit, or hid the filter from every reader: there are fewer keys to ask it about. The
// pages of these files have checksums; otherwise, a damaged level can turn the value into a null.
TEST(ParquetProof, NoOtherDamageMakesAFileWithAClearedBitSound) {
  for (const char* const name : {"pages_delta_numbers_v1", "pages_delta_lengths_v1", "pages_fallback"}) {
    SCOPED_TRACE(name);
    std::string file = golden_file("parquet/" + std::string(name) + ".parquet");
    const std::uint64_t keys = proof_of(file).keys;
    const parquet::PlacedFilter filter = filters_of(file).front();
    std::size_t at = filter.bitset_begin();
    while (file[at] == 0) {
      ++at;
    }
    const char whole = file[at];
    file[at] = 0;
    for_each_flip(file, [&](const std::string& damaged, const std::string& what) {
      const Proof proof = proof_of(damaged);
      const bool is_restored = (damaged[at] & whole) == whole;
      const bool is_hidden = proof.keys < keys && !proof.notes.empty() &&
                             proof.notes.back().find("have no filter") != std::string::npos;
      EXPECT_TRUE(proof.verdict() != Verdict::kSound || is_restored || is_hidden)
          << what << ": " << shown(proof);
    });
  }
}

TEST(ParquetProof, EveryDamagedByteIsNoCrashAndEveryTruncationIsDamage) {
  for (const char* const name : {"pages_delta_arrays_v2", "pages_fallback", "n1_p0.01", "pages_brotli"}) {
    SCOPED_TRACE(name);
    const std::string file = golden_file("parquet/" + std::string(name) + ".parquet");
    for_each_flip(
        file, [](const std::string& damaged, const std::string&) { (void)proof_of(damaged); },
        Flips::kOneInTurn);
    for_each_cut(file, [](const std::string& cut, const std::string& what) {
      ASSERT_EQ(proof_of(cut).verdict(), Verdict::kDamaged) << what;
    });
  }
}

TestChunk texts_chunk(const std::vector<std::string>& texts) {
  return {.values = static_cast<std::int64_t>(texts.size()),
          .pages = {{.values = static_cast<std::int64_t>(texts.size()), .body = plain_arrays(texts)}},
          .keys = texts};
}

TEST(ParquetProof, ADeniedKeyIsNamedWithItsChunk) {
  TestChunk wrong = texts_chunk({"one", "two"});
  wrong.keys = {"two"};
  const Proof proof = proof_of(parquet_file({texts_chunk({"a", "b"}), wrong}));
  EXPECT_EQ(proof.verdict(), Verdict::kDenies) << shown(proof);
  EXPECT_EQ(proof.keys, 4u);
  EXPECT_EQ(proof.denied, 1u);
  EXPECT_EQ(proof.denied_keys, (std::vector<std::string>{"one"}));
  ASSERT_EQ(proof.notes.size(), 1u);
  EXPECT_EQ(proof.notes[0], "row group 1, column k: its filter denies 1 of 2 values");
}

// A chunk that is not read does not hide what is wrong with another one.
TEST(ParquetProof, WhatIsNotReadIsNamedAndTheRestIsProven) {
  TestChunk unread = texts_chunk({"one"});
  unread.codec = 4;
  const Proof unproven = proof_of(parquet_file({unread, texts_chunk({"a", "b"})}));
  EXPECT_EQ(unproven.verdict(), Verdict::kUnproven);
  EXPECT_EQ(unproven.keys, 2u);
  ASSERT_EQ(unproven.unproven.size(), 1u);
  EXPECT_TRUE(unproven.unproven[0].starts_with("row group 0, column k: parquet page: "))
      << unproven.unproven[0];
  TestChunk wrong = texts_chunk({"x"});
  wrong.keys = {};
  EXPECT_EQ(proof_of(parquet_file({unread, wrong})).verdict(), Verdict::kDenies);
  wrong.values = 2;
  EXPECT_EQ(proof_of(parquet_file({unread, wrong})).verdict(), Verdict::kDamaged);
  TestChunk encrypted = texts_chunk({"one"});
  encrypted.encrypted = true;
  EXPECT_EQ(proof_of(parquet_file({encrypted})).verdict(), Verdict::kUnproven);
}

// Otherwise ten thousand row groups with the same pages would cost ten thousand times the file.
TEST(ParquetProof, ChunksThatSharePagesAreDamage) {
  TestChunk first = texts_chunk(std::vector<std::string>(100, "the same value in each row"));
  const TestChunk second = first;
  EXPECT_EQ(proof_of(parquet_file({first, second})).verdict(), Verdict::kSound);
  first.page_bytes = 2 * static_cast<std::int64_t>(first.page_bytes_of_all().size() + first.filter().size());
  const Proof proof = proof_of(parquet_file({first, second}));
  EXPECT_EQ(proof.verdict(), Verdict::kDamaged);
  EXPECT_NE(proof.findings.back().to_string().find("shared pages"), std::string::npos) << shown(proof);
}

TEST(ParquetProof, AStoppedProofIsUnproven) {
  const std::string file = golden_file("parquet/pages_plain_v1.parquet");
  std::uint64_t seen = 0;
  const Proof whole = proof_of(file, {.memory = {}, .progress = [&](std::uint64_t bytes) {
                                        seen += bytes;
                                        return true;
                                      }});
  EXPECT_EQ(whole.verdict(), Verdict::kSound);
  EXPECT_GT(seen, file.size() / 4);
  const Proof stopped = proof_of(file, {.memory = {}, .progress = [](std::uint64_t) { return false; }});
  EXPECT_EQ(stopped.verdict(), Verdict::kUnproven);
  EXPECT_EQ(stopped.unproven.size(), 1u) << shown(stopped);
}

TEST(ParquetProof, ALimitOfMemoryIsUnproven) {
  const std::string file = golden_file("parquet/pages_dictionary_v1.parquet");
  const Proof proof = proof_of(file, {.memory = {.limit_bytes = 500}, .progress = {}});
  EXPECT_EQ(proof.verdict(), Verdict::kUnproven) << shown(proof);
}

TEST(ParquetProof, AMissingFileIsUnproven) {
  EXPECT_EQ(prove_parquet_file("/no/such/file", {}).verdict(), Verdict::kUnproven);
}

// --- Repair ---

class ParquetRepairs : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("parquet_repair_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string write(const std::string& bytes) {
    const std::string path = folder_ / "damaged.parquet";
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  std::string output() const { return folder_ / "repaired.parquet"; }
  static std::string read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  fs::path folder_;
};

// Arrow inserts what rows have, so that its filters come out bit for bit.
TEST_F(ParquetRepairs, FiltersOfZerosBecomeThoseOfTheWriter) {
  for (const std::string& path : golden_parquet_files()) {
    const std::string name = fs::path(path).filename().string();
    if (prove_parquet_file(path, {}).verdict() != Verdict::kSound) {
      continue;
    }
    SCOPED_TRACE(name);
    const std::string original = read(path);
    std::string damaged = original;
    for (const parquet::PlacedFilter& filter : filters_of(original)) {
      std::fill_n(damaged.begin() + static_cast<std::ptrdiff_t>(filter.bitset_begin()),
                  filter.blocks.bitset().size(), '\0');
    }
    const std::string input = write(damaged);
    EXPECT_EQ(prove_parquet_file(input, {}).verdict(), Verdict::kDenies);
    const Status repaired = repair_parquet_filters(input, output(), {}, {.replace = true});
    ASSERT_TRUE(repaired) << repaired.error().to_string();
    EXPECT_EQ(prove_parquet_file(output(), {}).verdict(), Verdict::kSound);
    EXPECT_TRUE(read(output()) == original);
  }
}

TEST_F(ParquetRepairs, AFileThatCannotBeReadCompletelyIsRefused) {
  const auto refused = [&](const std::string& bytes) {
    const Status status = repair_parquet_filters(write(bytes), output(), {});
    EXPECT_FALSE(fs::exists(output()));
    return status ? ErrorCode::kIo : status.error().code();
  };
  EXPECT_EQ(refused(golden_file("parquet/pages_brotli.parquet")), ErrorCode::kUnsupported);
  EXPECT_EQ(refused(golden_file("parquet/arrow_encrypted_columns.parquet")), ErrorCode::kUnsupported);
  EXPECT_EQ(refused(golden_file("parquet/arrow_encrypted_footer.parquet")), ErrorCode::kUnsupported);
  EXPECT_EQ(refused(golden_file("parquet/arrow_ranges.parquet")), ErrorCode::kInvalidArgument);
  EXPECT_EQ(refused("not parquet"), ErrorCode::kCorruption);
  TestChunk wrong = texts_chunk({"x"});
  wrong.values = 2;
  EXPECT_EQ(refused(parquet_file({texts_chunk({"a"}), wrong})), ErrorCode::kCorruption);
  const std::string good = parquet_file({texts_chunk({"a"})});
  EXPECT_TRUE(repair_parquet_filters(write(good), output(), {}));
  const Status exists = repair_parquet_filters(write(good), output(), {});
  ASSERT_FALSE(exists);
  EXPECT_EQ(exists.error().code(), ErrorCode::kInvalidArgument);
}

// A new bitset there would replace pages.
TEST_F(ParquetRepairs, AFilterInsideOfPagesIsRefused) {
  TestChunk chunk = texts_chunk({"a"});
  const std::string inner = chunk.filter();
  chunk = texts_chunk({inner + "rest of the value"});
  std::string file = parquet_file({chunk});
  const std::size_t offset = 4 + chunk.page_bytes_of_all().size();
  const std::size_t inside = file.find(inner);
  ASSERT_LT(inside, offset);
  const std::string old_offset = zigzag(static_cast<std::int64_t>(offset));
  const std::size_t at = file.rfind(old_offset);
  std::string new_offset = zigzag(static_cast<std::int64_t>(inside));
  while (new_offset.size() < old_offset.size()) {  // a longer form of the same number
    new_offset.back() = static_cast<char>(new_offset.back() | 0x80);
    new_offset += '\0';
  }
  file.replace(at, old_offset.size(), new_offset);
  const Status status = repair_parquet_filters(write(file), output(), {});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), ErrorCode::kCorruption);
  EXPECT_NE(status.error().detail().find("shared bytes"), std::string::npos) << status.error().to_string();
}

TEST_F(ParquetRepairs, AStoppedRepairLeavesNoFile) {
  const std::string input = write(golden_file("parquet/pages_plain_v1.parquet"));
  const Status status = repair_parquet_filters(
      input, output(), {.memory = {}, .progress = [](std::uint64_t) { return false; }});
  EXPECT_FALSE(status);
  EXPECT_FALSE(fs::exists(output()));
}

}  // namespace
}  // namespace bloomery
