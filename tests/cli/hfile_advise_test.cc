// bloomery hfile advise: what it counts is what gets read, and what it says of small stores is what a pencil
// finds.
#include <algorithm>
#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "run_command.h"
#include "table/store_walk.h"
#include "tests/cli/counted_gets.h"
#include "tests/hfile/written.h"

namespace bloomery {
namespace {

using Random = std::mt19937;

std::size_t below(Random& random, std::size_t n) {
  return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
}

std::string short_text(Random& random, std::size_t shortest) {
  std::string text(shortest + below(random, 3), ' ');
  for (char& c : text) {
    c = "ab\0"[below(random, 3)];
  }
  return text;
}

// Cells in order, no two of one key; some without qualifier, some of them markers of the family.
std::vector<OwnedCell> some_cells(Random& random) {
  std::vector<OwnedCell> cells;
  const std::size_t count = 1 + below(random, 60);
  for (std::size_t i = 0; i < count; ++i) {
    OwnedCell cell{.row = short_text(random, 1),
                   .family = "f",
                   .qualifier = short_text(random, 0),
                   .timestamp = static_cast<std::int64_t>(below(random, 3)),
                   .value = std::string(below(random, 80), 'v')};
    if (cell.qualifier.empty() && below(random, 2) == 0) {
      cell.type = CellType::kDeleteFamily;
    }
    cells.push_back(cell);
  }
  std::ranges::sort(cells, [](const OwnedCell& a, const OwnedCell& b) { return a.key() < b.key(); });
  const auto same = std::unique(cells.begin(), cells.end(),
                                [](const OwnedCell& a, const OwnedCell& b) { return a.key() == b.key(); });
  cells.erase(same, cells.end());
  return cells;
}

// A store that was written, and all that is in it.
struct WrittenStore {
  std::vector<CountedFile> files = {};
  std::vector<std::map<std::string, std::set<std::string>>> columns = {};  // of the rows of each file
  std::map<std::string, std::set<std::string>> all = {};

  std::vector<hfile::OpenFilePointer> open() const {
    std::vector<hfile::OpenFilePointer> opened;
    for (const CountedFile& file : files) {
      opened.push_back(file.file());
    }
    return opened;
  }
};

WrittenStore some_store(Random& random, const std::string& folder) {
  WrittenStore store;
  const std::size_t files = 1 + below(random, 5);
  for (std::size_t i = 0; i < files; ++i) {
    HFileWriteOptions options;
    options.may_replace = true;
    options.block_bytes = static_cast<std::uint32_t>(1 + below(random, 500));
    options.index_block_bytes = below(random, 2) == 0 ? 200 : 131072;
    options.index_min_entries = 2;
    constexpr const char* kEncodings[] = {"NONE", "PREFIX", "FAST_DIFF", "ROW_INDEX_V1"};
    options.encoding = *hfile::parse_data_encoding(kEncodings[below(random, 4)]);
    const std::vector<OwnedCell> cells = some_cells(random);
    const std::string path = folder + std::to_string(i);
    const Status written = write_cells(path, options, cells);
    EXPECT_TRUE(written) << written.error().to_string();
    auto& columns = store.columns.emplace_back();
    for (const OwnedCell& cell : cells) {
      columns[cell.row].insert(cell.qualifier);
      store.all[cell.row].insert(cell.qualifier);
    }
    store.files.emplace_back(path);
  }
  return store;
}

// Every get that the walk is to count, by its kind.
std::vector<std::pair<GetKind, AskedGet>> all_gets(const WrittenStore& store) {
  std::vector<std::pair<GetKind, AskedGet>> gets;
  for (const auto& [row, columns] : store.all) {
    gets.emplace_back(GetKind::kWholeRow, AskedGet{row});
    for (const std::string& column : columns) {
      gets.emplace_back(GetKind::kPresentCell, AskedGet{row, column});
      const std::string behind = column + '\0';
      if (!columns.contains(behind)) {
        gets.emplace_back(GetKind::kAbsentColumn, AskedGet{row, behind});
      }
    }
    const std::string behind = row + '\0';
    if (!store.all.contains(behind) && store.all.upper_bound(behind) != store.all.end()) {
      gets.emplace_back(GetKind::kAbsentRow, AskedGet{behind});
      gets.emplace_back(GetKind::kColumnOfAbsentRow, AskedGet{behind, "a"});
    }
  }
  return gets;
}

// Whether a filter of the kind cannot but say maybe.
bool is_needed(const std::map<std::string, std::set<std::string>>& file, const AskedGet& get, BloomKind kind,
               std::size_t prefix_bytes) {
  const auto row = file.find(get.row);
  switch (kind) {
    case BloomKind::kRow:
      return row != file.end();
    case BloomKind::kRowCol:
      return !get.qualifier ||
             (row != file.end() && (row->second.contains(*get.qualifier) || row->second.contains("")));
    case BloomKind::kRowPrefix:
      return std::ranges::any_of(file, [&](const auto& other) {
        return other.first.substr(0, prefix_bytes) == get.row.substr(0, prefix_bytes);
      });
    case BloomKind::kNone:
    case BloomKind::kToday:
      break;
  }
  return true;
}

struct Counts {
  std::uint64_t gets = 0;
  std::vector<table::FileReads> files = {};
};

void expect_equal(const table::ReadSum& found, const table::ReadSum& expected, const std::string& of) {
  EXPECT_EQ(found.files, expected.files) << of;
  EXPECT_EQ(found.blocks, expected.blocks) << of;
}

// Random stores of every shape: each get that the walk stands for is made, and what it reads is counted.
TEST(HFileAdvise, CountsWhatGetsRead) {
  constexpr unsigned kSeed = 90210;
  constexpr std::size_t kPrefix = 2;
  constexpr BloomKind kKinds[] = {BloomKind::kNone, BloomKind::kRow, BloomKind::kRowCol,
                                  BloomKind::kRowPrefix};
  Random random(kSeed);
  const TestFolder folder;
  std::uint64_t blocks = 0;
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE("seed " + std::to_string(kSeed) + ", round " + std::to_string(round));
    WrittenStore store = some_store(random, folder.path("file"));
    std::map<GetKind, Counts> expected;
    for (const auto& [kind, get] : all_gets(store)) {
      Counts& counts = expected[kind];
      ++counts.gets;
      counts.files.resize(store.files.size());
      const CellChoice choice = choice_of(get);
      for (std::size_t i = 0; i < store.files.size(); ++i) {
        const CountedFile::Reads reads = store.files[i].get(get, choice);
        if (reads.is_read) {
          counts.files[i].in_range.add(reads.blocks);
          blocks += reads.blocks;
          for (const BloomKind filter : kKinds) {
            if (is_needed(store.columns[i], get, filter, kPrefix)) {
              counts.files[i].needed[static_cast<std::size_t>(filter)].add(reads.blocks);
            }
          }
        }
      }
    }
    std::size_t failed = 0;
    const auto counts = table::walk_store(store.open(), {.prefix_bytes = kPrefix}, failed);
    ASSERT_TRUE(counts) << counts.error().to_string();
    for (const auto& [kind, counted] : expected) {
      const auto get = static_cast<std::size_t>(kind);
      EXPECT_EQ(counts->gets[get], counted.gets) << get_kind_name(kind);
      for (std::size_t i = 0; i < store.files.size(); ++i) {
        const table::FileReads& found = counts->files[i].reads[get];
        const std::string of = get_kind_name(kind) + std::string(" of file ") + std::to_string(i);
        expect_equal(found.in_range, counted.files[i].in_range, of);
        for (const BloomKind filter : kKinds) {
          const auto f = static_cast<std::size_t>(filter);
          expect_equal(found.needed[f], counted.files[i].needed[f], of + " " + bloom_kind_name(filter));
        }
      }
    }
    for (std::size_t i = 0; i < store.files.size(); ++i) {
      EXPECT_EQ(counts->files[i].rows, store.columns[i].size());
      EXPECT_EQ(counts->files[i].cells, store.files[i].file()->trailer().entry_count);
    }
  }
  EXPECT_GT(blocks, 10000u);
}

class Advise : public ::testing::Test {
 protected:
  // Writes DIRECTORY/NAME of such columns, "r1:q1".
  void write(const std::string& path, const std::vector<std::string>& columns,
             const std::string& bloom = "NONE", const std::string& family = "cf") const {
    std::filesystem::create_directories(std::filesystem::path(shell.folder().path(path)).parent_path());
    std::vector<OwnedCell> cells;
    for (const std::string& column : columns) {
      const std::size_t colon = column.find(':');
      cells.push_back({.row = column.substr(0, colon),
                       .family = family,
                       .qualifier = column.substr(colon + 1),
                       .timestamp = 1,
                       .value = "v"});
    }
    HFileWriteOptions options;
    options.bloom.type = *hfile::parse_bloom_type(bloom);
    const Status written = write_cells(shell.folder().path(path), options, cells);
    EXPECT_TRUE(written) << written.error().to_string();
  }
  Ran jq(const std::string& arguments, const std::string& query) const {
    return shell.run("bloomery hfile advise --json " + arguments + " | jq -c '" + query + "'");
  }

  Shell shell;
};

constexpr const char* kAbout = "def about(x): (. - x) | fabs < 1e-9; ";

// hf1 = {r1, r4}, hf2 = {r2, r3, r5}: r2, r3 and r4 are within the key range of both.
TEST_F(Advise, RowsOfTheTextbook) {
  write("t/cf/hf1", {"r1:q1", "r4:q1"}, "ROW");
  write("t/cf/hf2", {"r2:q1", "r3:q1", "r5:q1"}, "ROW");
  EXPECT_EQ(jq("t", ".family[0] | [.family, .stores, .files, .rows_in_files, .columns_in_files]").out,
            "[\"cf\",1,2,[0,5,0],[0,5,0]]\n");
  EXPECT_EQ(jq("t", ".family[0].kinds.NONE.reads | [.[] | .blocks]").out, "[1.6,1.6,1.5,1.6,1.5]\n");
  EXPECT_EQ(jq("t", ".family[0].kinds.NONE.reads | [.[] | .files]").out, "[1.6,1.6,1.5,1.6,1.5]\n");
  // r2 and r3 are false positives of hf1, r4 of hf2; of rows between, two of hf1's and one of hf2's are not
  // needed, and three of hf1's and three of hf2's rows behind rows are.
  EXPECT_EQ(jq("t", std::string(kAbout) +
                        ".file[0].fpp as $a | .file[1].fpp as $b | .family[0].kinds | "
                        "[(.ROW, .today) | .reads | (.whole_row.blocks | about(1 + (2 * $a + $b) / 5)), "
                        "(.present_cell.blocks | about(1 + (2 * $a + $b) / 5)), "
                        "(.absent_row.blocks | about((3 * $a + 3 * $b) / 4))] | unique")
                .out,
            "[true]\n");
  // A filter of columns says nothing of whole rows.
  EXPECT_EQ(jq("t", ".family[0].kinds.ROWCOL.reads | [.whole_row.blocks, .absent_row.blocks]").out,
            "[1.6,1.5]\n");
  EXPECT_EQ(jq("--gets row t", ".family[0].advice").out, "\"ROW\"\n");
  const Ran text = shell.run("bloomery hfile advise t");
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_TRUE(says(text.out, "t/cf/hf1: 4.")) << text.out;
  EXPECT_TRUE(says(text.out, " 2 cells, 2 rows, 2 columns, 1.00 columns a row; ROW, fpp 0.")) << text.out;
  EXPECT_TRUE(says(text.out, "family cf: files 2, stores 1, ")) << text.out;
  EXPECT_TRUE(says(text.out, "  rows by the files they are in: 1: 5\n")) << text.out;
  EXPECT_TRUE(says(text.out, "advice for cf: ROW: a get reads ")) << text.out;
}

// hf1 = {(r1, q1), (r2, q1)}, hf2 = {(r1, q2), (r2, q2)}: both have every row.
TEST_F(Advise, ColumnsOfTheTextbook) {
  write("t/cf/hf1", {"r1:q1", "r2:q1"}, "ROW");
  write("t/cf/hf2", {"r1:q2", "r2:q2"}, "ROW");
  EXPECT_EQ(jq("t", ".family[0] | [.rows_in_files, .columns_in_files]").out, "[[0,0,2],[0,4,0]]\n");
  EXPECT_EQ(jq("t", ".family[0].kinds | [.NONE, .ROW, .today | .reads.present_cell.blocks]").out,
            "[2,2,2]\n");
  EXPECT_EQ(jq("t", std::string(kAbout) +
                        ".family[0].kinds.ROWCOL | .fpp as $f | .reads | [(.present_cell.blocks | about(1 + "
                        "$f)), (.absent_column.blocks | about(2 * $f)), .whole_row.blocks]")
                .out,
            "[true,true,2]\n");
  EXPECT_EQ(jq("--gets column t", ".family[0].advice").out, "\"ROWCOL\"\n");
  EXPECT_EQ(jq("--gets row --absent 0 t", ".family[0].advice").out, "\"NONE\"\n");
}

// With a ROWCOL filter a cell without a qualifier is a maybe for every column of its row.
TEST_F(Advise, CellsWithoutQualifierAreNotSpared) {
  write("t/cf/hf1", {"r1:", "r2:q1"});
  write("t/cf/hf2", {"r1:q2", "r2:q2"});
  // Columns: r1 "" (hf1), r1 q2 (hf1 by its cell without qualifier, hf2), r2 q1 (hf1), r2 q2 (hf2).
  EXPECT_EQ(jq("t", std::string(kAbout) +
                        ".family[0].kinds.ROWCOL | .fpp as $f | .reads.present_cell.blocks | about((5 + 3 * "
                        "$f) / 4)")
                .out,
            "true\n");
}

// A get asks one region; a family is what all its regions have of it.
TEST_F(Advise, RegionsAndFamiliesAreToldApart) {
  write("t/region1/cf/a", {"r1:q1"});
  write("t/region2/cf/b", {"r5:q1"});
  write("t/region2/other/c", {"r5:q1"}, "NONE", "other");
  write("t/region2/.tmp/half", {"r6:q1"});
  shell.run("echo 'no file of cells' > t/region1/.regioninfo; echo x > t/note");
  EXPECT_EQ(jq("t", "[.family[] | [.family, .stores, .files, .kinds.NONE.reads.whole_row.blocks]]").out,
            "[[\"cf\",2,2,1],[\"other\",1,1,1]]\n");
  EXPECT_EQ(jq("t", ".no_hfiles").out, "[\"t/note\",\"t/region1/.regioninfo\"]\n");
  EXPECT_TRUE(
      says(shell.run("bloomery hfile advise t").out, "no HFiles: 2: t/note, t/region1/.regioninfo\n"));
  EXPECT_EQ(jq("t/region2/other", "[.family[].family]").out, "[\"other\"]\n");
}

// References, links that lead nowhere: what gets read and is not counted is said, and no filter is advised.
TEST_F(Advise, NoFilterIsAdvisedForAFamilyWithFilesThatAreNotCounted) {
  write("t/0123456789abcdef/cf/a0", {"r1:q1", "r2:q1"}, "ROW");
  write("t/0123456789abcdef/other/a1", {"r1:q1"}, "ROW", "other");
  shell.run("printf 'PBUF' > t/0123456789abcdef/cf/b0.0123456789abcdef");
  shell.run(": > 't/0123456789abcdef/cf/orders=0123456789abcdef-c0'");
  const Ran ran = shell.run("bloomery hfile advise t/");
  EXPECT_EQ(ran.status, 0);
  EXPECT_TRUE(says(ran.out,
                   "advice for cf: none, since gets read 2 files of the family that are not counted; the "
                   "others alone say "))
      << ran.out;
  EXPECT_TRUE(says(ran.out, "advice for other: ROWCOL: a get reads ")) << ran.out;
  EXPECT_TRUE(says(ran.out,
                   "not counted: t/0123456789abcdef/cf/b0.0123456789abcdef: a reference to a half of another "
                   "file\n"))
      << ran.out;
  EXPECT_TRUE(says(ran.out, "not counted: t/0123456789abcdef/cf/orders=0123456789abcdef-c0: a link: "))
      << ran.out;
  EXPECT_EQ(
      jq("t", "[.family[] | [.family, .advice, .uncounted_files]], (.uncounted | length), .no_hfiles").out,
      "[[\"cf\",null,2],[\"other\",\"ROWCOL\",0]]\n2\n[]\n");
}

TEST_F(Advise, PrefixesOfALength) {
  write("t/cf/hf1", {"aa1:q", "ab1:q", "cc1:q"});
  write("t/cf/hf2", {"aa2:q", "bb1:q", "cc2:q"});
  EXPECT_EQ(jq("t", ".family[0].kinds | has(\"ROWPREFIX\")").out, "false\n");
  // aa1: hf1. aa2: both have aa. ab1: hf1. bb1: hf2. cc1: both. cc2: hf2, and hf1 ends before.
  EXPECT_EQ(jq("--prefix 2 t", std::string(kAbout) +
                                   ".family[0].kinds.ROWPREFIX | .fpp as $f | .reads.whole_row.blocks | "
                                   "about((8 + 2 * $f) / 6)")
                .out,
            "true\n");
}

TEST_F(Advise, DamageIsReportedBehindTheRest) {
  write("t/cf/hf1", {"r1:q1"});
  write("t/cf/hf2", {"r2:q1"});
  write("t/cf/hf3", {"r3:q1"}, "ROW");
  shell.run(
      "printf x | dd of=t/cf/hf2 bs=1 seek=60 conv=notrunc status=none; head -c 900 t/cf/hf3 > t/cf/hf4");
  const Ran ran = shell.run("bloomery hfile advise t");
  EXPECT_EQ(ran.status, 3);
  EXPECT_TRUE(says(ran.out, "family cf: files 2, stores 1, ")) << ran.out;
  EXPECT_TRUE(says(ran.err, "bloomery hfile advise: t/cf/hf2: data block: at byte 0: ")) << ran.err;
  EXPECT_TRUE(says(ran.err, "bloomery hfile advise: t/cf/hf4: ")) << ran.err;
  EXPECT_EQ(jq("t", "[(.file | length), (.errors | length)]").out, "[2,2]\n");
}

TEST_F(Advise, WhatItIsAskedIsChecked) {
  EXPECT_EQ(shell.run("bloomery hfile advise missing").status, 2);
  EXPECT_EQ(shell.run("bloomery hfile advise env").status, 2);
  const Ran none = shell.run("mkdir none; bloomery hfile advise none");
  EXPECT_EQ(none.status, 1);
  EXPECT_TRUE(says(none.err, "bloomery hfile advise: none has no HFiles")) << none.err;
  EXPECT_EQ(shell.run("bloomery hfile advise --absent 2 none").status, 2);
  EXPECT_EQ(shell.run("bloomery hfile advise --absent=-0.5 none").status, 2);
  EXPECT_EQ(shell.run("bloomery hfile advise --absent half none").status, 2);
  EXPECT_EQ(shell.run("bloomery hfile advise --gets cells none").status, 2);
  EXPECT_EQ(shell.run("bloomery hfile advise --sample some none").status, 2);
}

// The store of the textbook, and gets of all its rows: each file in range is asked, and three of eight say no.
TEST_F(Advise, GetsThatCameAreWeighedByWhatTheyWere) {
  write("t/cf/hf1", {"r1:q1", "r4:q1"}, "ROW");
  write("t/cf/hf2", {"r2:q1", "r3:q1", "r5:q1"}, "ROW");
  const Ran got = shell.run(
      "printf 'r%s\\n' 1 2 3 4 5 | bloomery table get t --row - --counters-to counted > cells && wc -l < "
      "cells");
  EXPECT_EQ(got.out, "5\n") << got.err;
  EXPECT_EQ(jq("--counters counted t",
               ".family[0].gets_that_came | [.of_rows, .of_columns, .found_nothing, "
               ".filter_checks, .filter_negatives, .true_positives, .data_blocks_read]")
                .out,
            "[5,0,0,8,3,5,2]\n");
  EXPECT_EQ(
      jq("--counters counted t",
         std::string(kAbout) +
             ".file[0].fpp as $a | .file[1].fpp as $b | .family[0].gets_that_came.expected_data_blocks | "
             "[(.NONE, .ROWCOL | about(8)), (.ROW, .today | about(5 + 2 * $a + $b))] | unique")
          .out,
      "[true]\n");
  const Ran text = shell.run("bloomery hfile advise --counters counted t");
  EXPECT_TRUE(says(text.out, "  gets that came: 0 of columns, 5 of rows; 0 found nothing\n")) << text.out;
  EXPECT_TRUE(says(
      text.out, "  their filters: asked 8, no 3, right maybe 5, wrong maybe 0; data blocks from disk: 2\n"))
      << text.out;
  EXPECT_TRUE(
      says(text.out, "\n  all gets that came                   8           5           8           5\n"))
      << text.out;
  EXPECT_EQ(shell.run("bloomery table get t --row r1 --counters-to counted").status, 2)
      << "it is there already";
}

// A family that the file does not name is weighed by the other options' defaults.
TEST_F(Advise, CountersOfGetsAreChecked) {
  write("t/cf/hf1", {"r1:q1", "r4:q1"}, "ROW");
  for (const char* const text :
       {"", "[]", "{}", "{\"family\": 1}", "{\"family\": [1]}", "{\"family\": [{\"family\": \"cf\"}]}",
        "{\"family\": [{\"family\": \"cf\", \"gets\": {\"columns\": -1, \"rows\": 0}}]}",
        "{\"family\": [{\"family\": \"cf\", \"gets\": {\"columns\": 1, \"rows\": 0}, \"found_nothing\": "
        "{\"columns\": 2, "
        "\"rows\": 0}, \"filter\": {\"checks\": 0, \"negatives\": 0, \"true_positives\": 0, "
        "\"false_positives\": 0}, "
        "\"blocks\": {\"data\": 0, \"from_cache\": 0}}]}"}) {
    shell.folder().write("bad", text);
    const Ran ran = shell.run("bloomery hfile advise --counters bad t");
    EXPECT_EQ(ran.status, 2) << text;
    EXPECT_TRUE(says(ran.err, "expected a file of `table get --counters-to`, found ")) << text << ran.err;
  }
  EXPECT_EQ(shell.run("bloomery hfile advise --counters missing t").status, 2);
  EXPECT_EQ(shell.run("bloomery hfile advise --counters bad --absent 0.5 t").status, 2);
  shell.folder().write("others", "{\"family\": []}");
  EXPECT_EQ(jq("--counters others t", ".family[0] | [.gets_that_came, .advice]").out,
            jq("t", ".family[0] | [null, .advice]").out);
}

// Every second row is in both files, so that a sample finds what all of them have; HBase's own files, too,
// can be walked.
TEST_F(Advise, ASampleTellsWhatAllRowsTell) {
  std::vector<std::string> all;
  std::vector<std::string> half;
  for (int i = 100000; i < 140000; ++i) {
    all.push_back("r" + std::to_string(i) + ":q");
    if (i % 2 == 0) {
      half.push_back(all.back());
    }
  }
  write("t/cf/all", all);
  write("t/cf/half", half);
  EXPECT_EQ(jq("t", ".family[0] | [.is_sample, .rows_in_files]").out, "[false,[0,20000,20000]]\n");
  EXPECT_EQ(jq("--sample 1000 t",
               ".family[0] | [.is_sample, .rows_in_files[1] == .rows_in_files[2], "
               "(.rows_in_files | add | . >= 1000 and . <= 3000), .kinds.ROW.reads.whole_row.files > 1.49]")
                .out,
            "[true,true,true,true]\n");
  EXPECT_EQ(jq("--sample 1000 t", "[.file[] | .rows]").out, "[40000,20000]\n");
  EXPECT_EQ(jq("'" BLOOMERY_SOURCE "/tests/golden/hbase'", ".file | length > 80").out, "true\n");
}

}  // namespace
}  // namespace bloomery
