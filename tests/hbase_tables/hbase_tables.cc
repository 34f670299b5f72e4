// Asks tables and snapshots that HBase left on a disk what was asked of the live HBase, and compares.
//
//   hbase_tables DIR [LOG_MEMORY]     edits of logs are sorted in so many bytes, the rest on disk
//
// DIR has these parts. Archives are unpacked into a temporary folder by tar.
//
//   hbase.tar.zst, or its content       root/ and exported/
//   questions.tar.zst, or its content   questions/, or the files themselves
//   sources.tsv                         SOURCE, table or snapshot, its name, counts of stable and unstable
//                                       questions
//
// A set of logs has roots.tar.zst, or roots/, instead of hbase.tar.zst, and in sources.tsv ROOT and TABLE. These roots are
// as a killed server left them, so edits stand in logs alone. What HBase answered before it was killed is right, also
// where it answered otherwise after it had come back (SOURCE.differ.before); of the root torn only what it answered after. Where a root ROOT was copied after its logs
// were split, as recovered-ROOT, or recovered for main, the copy is asked too.
//
// Snapshots that lie in exported/ too are asked there as well; these questions are counted apart. Where questions/ has a file
// SOURCE.blocks, the blocks that its gets read are compared with HBase's (block_counts.h).
//
// Prints each difference, and last the numbers of questions that agree. Exit status: 0 all stable questions
// agree, and none reads more blocks than it may; 1 one differs or does; 2 trouble.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include <sys/wait.h>

#include "base/message.h"
#include "bloomery/table/table.h"
#include "tests/hbase_tables/block_counts.h"
#include "tests/hbase_tables/question.h"

namespace bloomery::tables {
namespace {

namespace fs = std::filesystem;

TableOptions logged_options;

constexpr std::size_t kMostDifferences = 20;  // that are printed whole, of each source

// The unpacked set: what DIR has itself, and what its archives had.
class Folder {
 public:
  explicit Folder(fs::path path) : path_(std::move(path)) {}
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    if (!unpacked_.empty()) {
      fs::remove_all(unpacked_, ignored);
    }
  }

  bool unpack(const std::string& archive) {
    if (!fs::exists(path_ / archive)) {
      return true;
    }
    if (unpacked_.empty()) {
      std::string name = (fs::temp_directory_path() / "hbase-tables-XXXXXX").string();
      unpacked_ = ::mkdtemp(name.data());
    }
    const std::string command =
        message("zstd -dcq '", (path_ / archive).string(), "' | tar -x -C '", unpacked_.string(), "' -f -");
    const int status = std::system(command.c_str());
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  // Returns the path of a part, in DIR or unpacked; empty if there is none.
  fs::path find(const std::string& name) const {
    for (const fs::path& base : {path_, unpacked_}) {
      for (const fs::path& path : {base / name, base / "questions" / name}) {
        if (!base.empty() && fs::exists(path)) {
          return path;
        }
      }
    }
    return {};
  }

 private:
  fs::path path_;
  fs::path unpacked_;
};

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Result<std::vector<std::string>> ask_get(const Table& table, const Question& question) {
  GetRequest get;
  static_cast<CellRequest&>(get) = question.scan;
  get.row = question.scan.start;
  BLOOMERY_ASSIGN_OR_RETURN(const RowResult row, table.get(get));
  std::vector<std::string> lines = {message(question.id, "\t", row.empty() ? 0 : 1, "\t", row.size())};
  for (const KeptCell& kept : row.cells()) {
    lines.push_back(answer_line(0, kept.cell()));
  }
  return lines;
}

Result<std::vector<std::string>> ask_scan(const Table& table, const Question& question) {
  BLOOMERY_ASSIGN_OR_RETURN(TableScanner scanner, table.scan(question.scan));
  std::vector<std::string> lines = {""};
  std::size_t results = 0;
  for (;; ++results) {
    BLOOMERY_ASSIGN_OR_RETURN(const bool found, scanner.next());
    if (!found) {
      break;
    }
    for (const KeptCell& kept : scanner.result().cells()) {
      lines.push_back(answer_line(results, kept.cell()));
    }
  }
  lines.front() = message(question.id, "\t", results, "\t", lines.size() - 1);
  return lines;
}

void print_difference(const std::string& source, const Question& question,
                      const std::vector<std::string>& expected, const std::vector<std::string>& found) {
  std::cout << source << ": " << question.line << "\n";
  std::size_t i = 0;
  while (i < expected.size() && i < found.size() && (expected[i] == found[i] || i == 0)) {
    ++i;
  }
  std::cout << "  HBase: " << expected.front() << "\n  here:  " << found.front() << "\n";
  std::cout << "  first different cell: HBase " << (i < expected.size() ? expected[i] : "none") << "\n"
            << "                        here  " << (i < found.size() ? found[i] : "none") << "\n";
}

struct Count {
  std::size_t agree = 0;
  std::size_t asked = 0;

  void add(const Count& other) {
    agree += other.agree;
    asked += other.asked;
  }
};

// Asks all questions of the two files, and prints the differences.
Result<Count> ask_all(const Table& table, const std::string& source, const fs::path& queries,
                      const fs::path& answers) {
  Count count;
  const std::vector<Answer> expected = parse_answers(text_of(answers));
  std::istringstream stream(text_of(queries));
  for (std::string line; std::getline(stream, line); ++count.asked) {
    BLOOMERY_ASSIGN_OR_RETURN(const Question question, parse_question(line));
    if (count.asked >= expected.size() || expected[count.asked].id != question.id) {
      return Error::invalid_argument(answers.string(), message("expected an answer ", question.id));
    }
    auto found = question.is_get ? ask_get(table, question) : ask_scan(table, question);
    if (!found) {
      found = std::vector<std::string>{found.error().to_string()};
    }
    if (*found == expected[count.asked].lines) {
      ++count.agree;
    } else if (count.asked - count.agree < kMostDifferences) {
      print_difference(source, question, expected[count.asked].lines, *found);
    }
  }
  return count;
}

struct Counts {
  Count stable = {};
  Count unstable = {};
  Count exported = {};
  BlockSums blocks = {};
};

Status ask_source(const Folder& folder, const std::string& source, const std::string& kind,
                  const std::string& name, Counts& counts) {
  const fs::path root = folder.find("root");
  const auto ask = [&](const Table& table, const std::string& ending, Count& to) -> Status {
    const fs::path queries = folder.find(source + ending + ".queries");
    if (queries.empty()) {
      return {};
    }
    BLOOMERY_ASSIGN_OR_RETURN(const Count count, ask_all(table, source + ending, queries,
                                                         folder.find(source + ending + ".answers")));
    to.add(count);
    return {};
  };
  const auto open = [&](const fs::path& in) {
    // The answers of these sets are those of files alone.
    return kind == "snapshot" ? Table::open_snapshot(in.string(), name)
                              : Table::open_table(in.string(), name, {.reads_logs = false});
  };
  BLOOMERY_ASSIGN_OR_RETURN(const Table table, open(root));
  for (const std::string& warning : table.warnings()) {
    std::cout << source << ": warning: " << warning.substr(0, warning.find(root.string())) << "...\n";
  }
  BLOOMERY_RETURN_IF_ERROR(ask(table, "", counts.stable));
  BLOOMERY_RETURN_IF_ERROR(ask(table, ".unstable", counts.unstable));
  if (const fs::path blocks = folder.find(source + ".blocks"); !blocks.empty()) {
    BLOOMERY_RETURN_IF_ERROR(compare_blocks(table, source, blocks, counts.blocks));
  }
  const fs::path exported = folder.find("exported");
  if (kind == "snapshot" && fs::exists(exported / ".hbase-snapshot" / name)) {
    BLOOMERY_ASSIGN_OR_RETURN(const Table copy, open(exported));
    BLOOMERY_RETURN_IF_ERROR(ask(copy, "", counts.exported));
  }
  return {};
}

// Asks a table whose root has logs.
Status ask_with_logs(const Folder& folder, const fs::path& root, const std::string& source,
                     const std::string& name, Counts& counts) {
  BLOOMERY_ASSIGN_OR_RETURN(const Table table, Table::open_table(root.string(), name, logged_options));
  const auto ask = [&](const std::string& ending, const std::string& answers) -> Status {
    const fs::path queries = folder.find(source + ending + ".queries");
    const fs::path expected = folder.find(source + ending + answers);
    if (queries.empty() || expected.empty()) {
      return {};
    }
    const std::string shown = root.filename().string() + ": " + source + ending;
    BLOOMERY_ASSIGN_OR_RETURN(const Count count, ask_all(table, shown, queries, expected));
    counts.stable.add(count);
    return {};
  };
  BLOOMERY_RETURN_IF_ERROR(ask("", ".answers"));
  return root.filename() == "torn" ? Status() : ask(".differ", ".before");
}

// Asks the table in its root, and in the copy of the root whose logs were split.
Status ask_logs(const Folder& folder, const std::string& root, const std::string& name, Counts& counts) {
  const fs::path roots = folder.find("roots");
  const std::string source = root + "-" + name;
  BLOOMERY_RETURN_IF_ERROR(ask_with_logs(folder, roots / root, source, name, counts));
  const fs::path recovered = roots / (root == "main" ? "recovered" : "recovered-" + root);
  return fs::exists(recovered) ? ask_with_logs(folder, recovered, source, name, counts) : Status();
}

int run(const std::string& directory) {
  Folder folder(directory);
  if (!folder.unpack("hbase.tar.zst") || !folder.unpack("roots.tar.zst") ||
      !folder.unpack("questions.tar.zst")) {
    std::cerr << "hbase_tables: " << directory << ": an archive cannot be unpacked\n";
    return 2;
  }
  const bool has_logs = !folder.find("roots").empty();
  if ((folder.find("root").empty() && !has_logs) || folder.find("sources.tsv").empty()) {
    std::cerr << "hbase_tables: " << directory
              << ": expected root (or hbase.tar.zst), or roots, and sources.tsv\n";
    return 2;
  }
  Counts counts;
  std::istringstream sources(text_of(folder.find("sources.tsv")));
  for (std::string line; std::getline(sources, line);) {
    std::istringstream words(line);
    std::string source;
    std::string kind;
    std::string name;
    words >> source >> kind >> name;
    const Status asked =
        has_logs ? ask_logs(folder, source, kind, counts) : ask_source(folder, source, kind, name, counts);
    if (!asked) {
      std::cerr << "hbase_tables: " << source << ": " << asked.error().to_string() << "\n";
      return 2;
    }
  }
  if (counts.blocks.gets > 0) {
    print_sums(counts.blocks);
  }
  std::cout << counts.stable.agree << " of " << counts.stable.asked << " stable questions agree, "
            << counts.unstable.agree << " of " << counts.unstable.asked << " unstable ones, "
            << counts.exported.agree << " of " << counts.exported.asked << " of exported snapshots\n";
  const bool all_agree =
      counts.stable.agree == counts.stable.asked && counts.exported.agree == counts.exported.asked;
  return all_agree && !reads_more(counts.blocks) ? 0 : 1;
}

}  // namespace
}  // namespace bloomery::tables

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    std::cerr << "usage: hbase_tables DIR [LOG_MEMORY]\n";
    return 2;
  }
  if (argc == 3) {
    bloomery::tables::logged_options.log_memory_bytes = std::strtoull(argv[2], nullptr, 10);
  }
  return bloomery::tables::run(argv[1]);
}
