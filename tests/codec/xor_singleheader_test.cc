// The dialects fuse8 and fuse16 against files that xor_singleheader wrote, and against models of its reader.
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/crc32c.h"
#include "codec/xor_singleheader/fuse_construction.h"
#include "damage.h"
#include "dialects/key_rule.h"
#include "tests/codec/golden.h"

namespace bloomery {
namespace {

const DialectPlan kFusePlan;

std::uint64_t golden_number(std::uint64_t i) {
  return i * 0x9e3779b97f4a7c15;
}

std::string golden_integer(std::uint64_t i) {
  return little_endian(golden_number(i));
}

std::vector<std::uint64_t> golden_numbers(std::uint64_t count) {
  std::vector<std::uint64_t> numbers(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    numbers[i] = golden_number(i);
  }
  return numbers;
}

std::string built_fuse(const std::string& dialect, std::span<const std::string_view> keys) {
  const auto builder = build_dialect(dialect, kFusePlan);
  EXPECT_TRUE(builder && (*builder)->add(keys));
  const auto filter = (*builder)->finish();
  EXPECT_TRUE(filter) << filter.error().to_string();
  return filter ? written(**filter) : "";
}

std::uint64_t fuse_maybes_of(const DialectFilter& filter, std::span<const std::string_view> keys) {
  std::vector<std::uint64_t> answers(answer_words(keys.size()));
  filter.may_contain_batch(keys, answers);
  std::uint64_t maybes = 0;
  for (const std::uint64_t word : answers) {
    maybes += static_cast<std::uint64_t>(std::popcount(word));
  }
  return maybes;
}

// Builds the filter of a row, and compares it with the library's file.
void expect_golden_fuse(const std::map<std::string, std::string>& row, const std::string& form,
                        const std::string& option) {
  const std::string dialect = row.at("dialect");
  const std::uint64_t count = std::stoull(row.at("keys"));
  SCOPED_TRACE(dialect + option + " of " + row.at("keys"));
  const KeyRange keys(golden_integer, 0, count);
  const std::string file = built_fuse(dialect + option, keys.views());
  EXPECT_EQ(file.size(), std::stoull(row.at(form + "_bytes")));
  EXPECT_EQ(crc32c(std::as_bytes(std::span(file))), std::stoul(row.at(form + "_crc32c"), nullptr, 16));
  if (count <= 1000) {
    EXPECT_TRUE(file == golden_file("xor-singleheader/" + dialect + "_n" + row.at("keys") + "." + form));
  }
  const auto filter = viewed(file, dialect);
  ASSERT_TRUE(filter);
  EXPECT_EQ(filter->dialect(), dialect + option);
  EXPECT_EQ(filter->facts().inserted, count);
  EXPECT_EQ(fuse_maybes_of(*filter, keys.views()), count);
  const KeyRange absent(golden_integer, count, 100'000);
  EXPECT_EQ(fuse_maybes_of(*filter, absent.views()), std::stoull(row.at("maybe_of_100000_absent")));
  for (std::size_t i = 0; i < 200; ++i) {
    std::uint64_t answer = 0;
    filter->may_contain_batch(absent.views().subspan(i, 1), {&answer, 1});
    EXPECT_EQ(filter->may_contain(absent.views()[i]), answer == 1);
  }
  EXPECT_TRUE(written(*filter) == file);
}

TEST(XorSingleheader, FiltersHaveTheBytesAndAnswersOfTheLibrary) {
  for (const auto& row : golden_table("xor-singleheader/manifest.csv")) {
    expect_golden_fuse(row, "serialised", "");
    expect_golden_fuse(row, "packed", ":packed");
  }
}

TEST(XorSingleheader, TheShapeIsThatOfTheLibrary) {
  constexpr xor_singleheader::FuseShape kShapes[] = {{4, 8, 1},
                                                     {5, 8, 1},
                                                     {20, 16, 1},
                                                     {1'000'000, 8192, 136},
                                                     {100'000'000, 131'072, 857},
                                                     {1'000'000'000, 262'144, 4290},
                                                     {3'000'000'000, 262'144, 12'873}};
  for (const xor_singleheader::FuseShape& shape : kShapes) {
    EXPECT_EQ(xor_singleheader::fuse_shape_of(shape.keys), shape) << shape.keys;
  }
}

TEST(XorSingleheader, OrderAndRepeatsDoNotShow) {
  const KeyRange keys(golden_integer, 0, 1000);
  std::vector<std::string_view> turned(keys.views().rbegin(), keys.views().rend());
  turned.insert(turned.end(), keys.views().begin(), keys.views().end());
  EXPECT_TRUE(built_fuse("fuse8", turned) == golden_file("xor-singleheader/fuse8_n1000.serialised"));
}

// binary_fuse16_serialize() does not write the last 4 of the bytes that binary_fuse16_serialization_bytes() counts.
TEST(XorSingleheader, TheSpareBytesOfFuse16AreKeptAndMayLack) {
  const std::string file = golden_file("xor-singleheader/fuse16_n100.serialised");
  for (const std::string& other :
       {file.substr(0, file.size() - 4), file.substr(0, file.size() - 4) + "rest"}) {
    const auto filter = viewed(other, "fuse16");
    ASSERT_TRUE(filter);
    EXPECT_TRUE(written(*filter) == other);
    EXPECT_EQ(fuse_maybes_of(*filter, KeyRange(golden_integer, 0, 100).views()), 100u);
  }
  EXPECT_FALSE(view_dialect(std::as_bytes(std::span(file).first(file.size() - 2)), "fuse16"));
}

TEST(XorSingleheader, AKeyWhoseHashIsZeroIsIn) {
  SampleNumbers seeds = xor_singleheader::fuse_seeds();
  const std::string zero = little_endian(0 - seeds.next());
  std::vector<std::string_view> given = {zero};
  const KeyRange keys(golden_integer, 0, 50);
  given.insert(given.end(), keys.views().begin(), keys.views().end());
  EXPECT_EQ(fuse_maybes_of(*viewed(built_fuse("fuse16", given), "fuse16"), given), given.size());
}

TEST(XorSingleheader, ASetThatNoSeedPeelsIsAnErrorAsInTheLibrary) {
  const std::vector<std::uint64_t> keys = golden_numbers(3522);  // the fourth seed peels it
  const auto failed = xor_singleheader::construct_fuse<std::uint8_t>(keys, 3);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code(), ErrorCode::kCapacity);
  EXPECT_EQ(
      failed.error().detail(),
      "expected keys that one of its 3 seeds peels, found 3522 that none does: the library gives up too");
  EXPECT_TRUE(xor_singleheader::construct_fuse<std::uint8_t>(keys, 4));
}

TEST(XorSingleheader, FilesAreRecognised) {
  const auto names = [](const std::string& file) {
    std::string text;
    for (const RecognisedDialect& found : recognise_dialects(std::as_bytes(std::span(file)))) {
      text += found.name + (found.recognition == Recognition::kCertain ? "! " : "? ");
    }
    return text;
  };
  for (const std::string dialect : {"fuse8", "fuse16"}) {
    for (const std::string n : {"0", "1", "2", "3", "10", "100", "1000"}) {
      const std::string file = "xor-singleheader/" + dialect + "_n" + n;
      EXPECT_EQ(names(golden_file(file + ".serialised")), dialect + "! ");
      EXPECT_EQ(names(golden_file(file + ".packed")),
                n == "0" ? "fuse16:packed! fuse8:packed! " : dialect + ":packed! ");
    }
  }
}

TEST(XorSingleheader, KeysAreIntegers) {
  const auto builder = build_dialect("fuse8", kFusePlan);
  ASSERT_TRUE(builder);
  const std::string_view text = "apple";
  const Status added = (*builder)->add({&text, 1});
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().detail(), "expected the 8 bytes of an integer, found 5");
  const KeyRule rule("fuse8");
  EXPECT_EQ(rule.usual_form(), KeyForm::kInt64);
  EXPECT_TRUE(rule.check_form(KeyForm::kHex, "key_form"));
  for (const KeyForm form : {KeyForm::kText, KeyForm::kInt32, KeyForm::kUtf16}) {
    EXPECT_FALSE(rule.check_form(form, "key_form"));
  }
  const auto filter = viewed(golden_file("xor-singleheader/fuse8_n100.serialised"), "fuse8");
  EXPECT_TRUE(filter->may_contain(text));  // it may be anything
  EXPECT_FALSE(filter->can_tell(text));
}

TEST(XorSingleheader, IsStatic) {
  const std::string file = golden_file("xor-singleheader/fuse16_n10.packed");
  const auto filter = viewed(file, "fuse16");
  EXPECT_TRUE(filter->is_static());
  EXPECT_EQ(filter->insert(golden_integer(1)).error().code(), ErrorCode::kUnsupported);
  EXPECT_EQ(filter->merge(*viewed(file, "fuse16")).error().code(), ErrorCode::kUnsupported);
  EXPECT_TRUE(written(*filter) == file);
  EXPECT_FALSE(build_dialect("fuse8:serialised", kFusePlan));
  EXPECT_FALSE(view_dialect(std::as_bytes(std::span(file)), "fuse8"));
}

// A file as the library's own reader reads it, in plain arithmetic.
struct ReadFuse {
  std::uint64_t seed = 0;
  std::uint64_t length = 0;
  std::uint64_t starts = 0;
  std::vector<std::uint64_t> cells = {};

  bool says(std::uint64_t key, std::size_t width) const {
    std::uint64_t hash = key + seed;
    hash ^= hash >> 33;
    hash *= 0xff51afd7ed558ccd;
    hash ^= hash >> 33;
    hash *= 0xc4ceb9fe1a85ec53;
    hash ^= hash >> 33;
    const std::uint64_t high = hash >> 32;
    const std::uint64_t low = hash & 0xffffffff;
    const std::uint64_t start = (high * starts + (low * starts >> 32)) >> 32;
    std::uint64_t sum = hash ^ high;
    sum ^= cells.at(start);
    sum ^= cells.at((start + length) ^ (hash >> 18) % length);
    sum ^= cells.at((start + 2 * length) ^ hash % length);
    return sum % (std::uint64_t{1} << (8 * width)) == 0;
  }
};

std::uint64_t fuse_number_at(std::string_view file, std::size_t at, std::size_t width) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < width; ++i) {
    value |= std::uint64_t{static_cast<unsigned char>(file.at(at + i))} << (8 * i);
  }
  return value;
}

ReadFuse read_fuse_serialised(std::string_view file, std::size_t width) {
  ReadFuse read{.seed = fuse_number_at(file, 0, 8),
                .length = fuse_number_at(file, 12, 4),
                .starts = fuse_number_at(file, 20, 4)};
  for (std::size_t at = 28; at < file.size(); at += width) {
    read.cells.push_back(fuse_number_at(file, at, width));
  }
  return read;
}

// Of 100 keys, whose filter has three segments of 64 cells.
ReadFuse read_fuse_packed_100(std::string_view file, std::size_t width) {
  ReadFuse read{.seed = fuse_number_at(file, 0, 8), .length = 64, .starts = 64};
  std::size_t from = 12 + 192 / 8;
  for (std::size_t i = 0; i < 192; ++i) {
    const bool is_stored = (fuse_number_at(file, 12 + i / 8, 1) >> (i % 8) & 1) != 0;
    read.cells.push_back(is_stored ? fuse_number_at(file, from, width) : 0);
    from += is_stored ? width : 0;
  }
  return read;
}

// Checks that a damaged file is an error, or answers as the library's reader would.
void expect_fuse_damage_is_safe(const std::string& dialect, const std::string& form, std::size_t width,
                                std::string_view option) {
  SCOPED_TRACE(dialect + " " + form + std::string(option));
  const std::string file = golden_file("xor-singleheader/" + dialect + "_n100." + form);
  const bool is_packed = form == "packed";
  const std::size_t header = is_packed ? 12 : 28;
  const KeyRange keys(golden_integer, 60, 80);
  std::size_t opened = 0;
  const auto check = [&](const std::string& damaged, const std::string& what) {
    const auto filter = view_dialect(std::as_bytes(std::span(damaged)), dialect + std::string(option));
    if (!filter) {
      EXPECT_FALSE(filter.error().detail().empty()) << what;
      return false;
    }
    ++opened;
    const ReadFuse read =
        is_packed ? read_fuse_packed_100(damaged, width) : read_fuse_serialised(damaged, width);
    for (std::uint64_t i = 60; i < 140; ++i) {
      EXPECT_EQ((*filter)->may_contain(golden_integer(i)), read.says(golden_number(i), width)) << what;
    }
    (void)recognise_dialects(std::as_bytes(std::span(damaged)));
    return true;
  };
  std::string damaged = file;
  for (std::size_t at = 0; at < file.size(); ++at) {
    for (const int mask : flips_of(at, Flips::kAll)) {
      damaged[at] = static_cast<char>(file[at] ^ mask);
      const bool opens = check(damaged, "byte " + std::to_string(at) + " ^ " + std::to_string(mask));
      // Every field of a header follows from the number of keys, and the seed is one of few. Another number of
      // keys may have the same fields.
      EXPECT_FALSE(opens && at < header && (at < 8 || at >= 12) && option.empty()) << at;
    }
    damaged[at] = file[at];
  }
  EXPECT_GT(opened, file.size());
  const bool has_spare = width == 2 && !is_packed;  // 4 bytes at the end
  for_each_cut(file, [&](const std::string& cut, const std::string& what) {
    EXPECT_EQ(check(cut, what), has_spare && cut.size() == file.size() - 4) << what;
  });
  EXPECT_FALSE(check(file + '\0', "longer"));
  EXPECT_TRUE(check(file, "undamaged"));
}

TEST(XorSingleheader, EveryFlippedByteAndCutIsAnErrorOrTheAnswersOfTheFile) {
  for (const char* form : {"serialised", "packed"}) {
    expect_fuse_damage_is_safe("fuse8", form, 1, "");
    expect_fuse_damage_is_safe("fuse16", form, 2, "");
  }
  // The number of keys of a packed file decides its shape, which the model knows for 100 keys alone.
  expect_fuse_damage_is_safe("fuse8", "serialised", 1, ":forced");
  expect_fuse_damage_is_safe("fuse16", "serialised", 2, ":forced");
}

// Headers that claim much are refused before anything is allocated.
TEST(XorSingleheader, SizesAreCheckedBeforeTheyAreUsed) {
  const std::string file = golden_file("xor-singleheader/fuse8_n1000.serialised");
  const auto with = [&file](std::size_t at, std::uint32_t value) {
    std::string changed = file;
    store_little(reinterpret_cast<std::byte*>(changed.data()) + at, value);
    return changed;
  };
  for (const std::uint32_t value : {0U, 1U, 0x40000000U, 0x80000000U, 0xffffffffU}) {
    for (const std::size_t at : {8U, 12U, 16U, 20U, 24U}) {
      const std::string changed = with(at, value);
      for (const char* dialect : {"fuse8", "fuse8:packed", "fuse16"}) {
        EXPECT_FALSE(view_dialect(std::as_bytes(std::span(changed)), dialect)) << at << " " << value;
      }
    }
  }
  // Segments whose number of cells is 0 in 32 bits.
  std::string wrapped = with(12, 1U << 18);
  store_little(reinterpret_cast<std::byte*>(wrapped.data()) + 16, std::uint32_t{1} << 14);
  store_little(reinterpret_cast<std::byte*>(wrapped.data()) + 20, std::uint32_t{0});
  store_little(reinterpret_cast<std::byte*>(wrapped.data()) + 24, std::uint32_t{1} << 19);
  EXPECT_FALSE(view_dialect(std::as_bytes(std::span(wrapped)), "fuse8:forced"));
}

}  // namespace
}  // namespace bloomery
