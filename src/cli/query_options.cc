#include "cli/query_options.h"

#include <algorithm>
#include <cerrno>

#include <CLI/CLI.hpp>
#include <unistd.h>

#include "base/file.h"
#include "cli/file_conflicts.h"
#include "cli/numbers.h"
#include "cli/replaced_file.h"
#include "cli/secret_file.h"

namespace bloomery::cli {
namespace {

// Filters up to this size are read into huge pages, which makes a query a fifth cheaper (measured at 18 MB).
// Larger ones are mapped, so that a filter that fills most of the memory can still be queried.
constexpr std::uint64_t kLoadedBytes = std::uint64_t{1} << 30;

// Returns true if the file is regular and is a table with filters of its columns. Returns false if it cannot
// be read, since its reader reports that.
Result<bool> is_table(const std::string& path, const Dialect& dialect) {
  FileSystem& files = FileSystem::real();
  const Result<FileFacts> named = files.facts(path);
  if (!named || !named->is_regular || named->size_bytes == 0) {
    return false;
  }
  BLOOMERY_ASSIGN_OR_RETURN(File file, files.open(path, OpenFor::kReading));
  BLOOMERY_ASSIGN_OR_RETURN(const MappedFile mapping,
                            files.map(file, named->size_bytes, MapAccess::kReadOnly));
  return dialect.has_columns(mapping.bytes());
}

}  // namespace

void QueryOptions::add_to(CLI::App& verb) {
  verb.add_option("FILTER", filter,
                  "the filter to ask, the directory of a LevelDB or RocksDB database, or a folder of "
                  "Cassandra's sstables; a key with --redis")
      ->required();
  verb.add_option("-f,--filter", more_filters,
                  "one more filter, may be given again; a key in any of them is in")
      ->type_name("FILE")
      ->allow_extra_args(false);
  CLI::Option* const at_server =
      verb.add_option("--redis", server,
                      "FILTER is a key of this Redis or Valkey server or cluster: "
                      "redis://[USER:PASSWORD@]HOST[:PORT][/DB], rediss:// "
                      "for TLS, or unix:///PATH; a password may be in REDISCLI_AUTH")
          ->type_name("URL");
  // Keeps the words unchanged, because CLI11 would read "{}" as an empty list.
  const auto take_keys = [this](const CLI::results_t& words) {
    given_keys = words;
    return true;
  };
  verb.add_option("-e,--ask", take_keys,
                  "one line to ask about, may be given again; standard input is not read then")
      ->type_name("KEY")
      ->take_all()
      ->allow_extra_args(false);
  verb.add_option("--allow", allowed_files,
                  "one file of keys that are known not to be in: answered no, exactly; may be given again")
      ->type_name("FILE")
      ->allow_extra_args(false);
  add_output_to(verb);
  verb.add_flag("--no-verify", no_verify, "trust the filter's bits: do not check their checksum first");
  verb.add_flag("--cold", is_cold,
                "ribbon: few of its pages are in memory; ask the disk for those of many lines at a time");
  verb.add_flag("-s,--silent", silent, "nothing on stderr, no error either; the exit status tells");
  summary.add_to(verb);
  dialect.add_to(verb);
  dialect.add_memory_to(verb);
  dialect.add_database_to(verb);
  dialect.add_unproven_to(verb);
  keys.add_to(verb);
  keys.add_cassandra_to(verb);
  for (const char* const of_files :
       {"--which", "--no-verify", "--cold", "--dialect", "--file-memory", "--column-family",
        "--prefix-extractor", "--unproven", "--cassandra-key", "--key-file"}) {
    at_server->excludes(of_files);
  }
  verb.add_option("FILE", files, "lines; none or - is standard input; gzip, zstd, xz and bzip2 are read too");
}

void QueryOptions::add_output_to(CLI::App& verb) {
  CLI::Option* const inverted =
      verb.add_flag("-v,--invert-match", invert, "print the lines whose key is certainly absent");
  CLI::Option* const counted = verb.add_flag(
      "-c,--count", count_only, "print only how many lines it would be; of several files NAME:COUNT each");
  CLI::Option* const named =
      verb.add_flag("-l,--files-with-matches", names_only, "print only the names of files with such lines")
          ->excludes(counted);
  CLI::Option* const quietly =
      verb.add_flag("-q,--quiet", quiet, "print nothing, stop at the first such line");
  CLI::Option* const most =
      verb.add_option("-m,--max-count", max_count, "stop after so many lines, of all files together");
  CLI::Option* const answered = verb.add_flag("--answers", answers,
                                              "print 1 (may be in) or 0 (is not) for every line, as soon as "
                                              "it has come: a coprocess; not with "
                                              "--missing skip and --skip-bad-lines")
                                    ->excludes(inverted)
                                    ->excludes(counted)
                                    ->excludes(named)
                                    ->excludes(quietly)
                                    ->excludes(most);
  verb.add_flag("--only-key", only_key, "print of each line only its key, as text");
  verb.add_flag("--with-line", with_line, "--answers: before its answer the line, and a tab")
      ->needs(answered);
  verb.add_option("--absent-to", absent_to, "write the lines that are certainly absent to this file")
      ->type_name("FILE")
      ->excludes(inverted)
      ->excludes(named)
      ->excludes(quietly)
      ->excludes(most);
  verb.add_flag("--force", force, "replace an existing file of --absent-to");
  verb.add_flag("-H,--with-filename", with_name, "before each line the name of its file, and a colon");
  verb.add_flag("--no-filename", no_name, "no names, not with -c either");
  verb.add_flag("-n,--line-number", line_numbers, "before each line its number in its file, and a colon");
  verb.add_flag(
          "--which", which,
          "all files are filters; print which of them, and which row groups of a Parquet file, may hold "
          "each key: FILE, ROWGROUP, maybe or forced (no filter there), LINE, with tabs between")
      ->excludes(inverted)
      ->excludes(counted)
      ->excludes(named)
      ->excludes(quietly)
      ->excludes(most)
      ->excludes(answered)
      ->excludes("--allow")
      ->excludes("--absent-to")
      ->excludes("-H")
      ->excludes("--no-filename")
      ->excludes("-n");
  verb.add_flag("--line-buffered", line_buffered, "write lines as soon as they are known");
}

Status QueryOptions::parse() {
  BLOOMERY_RETURN_IF_ERROR(keys.parse());
  if (!max_count.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(most_lines_, parse_count("-m", max_count));
  }
  if (!inputs().empty()) {
    BLOOMERY_RETURN_IF_ERROR(check_one_standard_input("--allow", allowed_files, files));
  }
  BLOOMERY_RETURN_IF_ERROR(check_lines());
  return check_files();
}

Status QueryOptions::check_lines() const {
  if (answers && !keys.place().comments.empty()) {
    return Error::invalid_argument(
        "--answers",
        "expected without --comments: a line that is left out has no answer, and a "
        "program would wait for it");
  }
  if (answers && keys.place().may_skip()) {
    return Error::invalid_argument(
        "--answers",
        "expected without --missing skip and --skip-bad-lines: a line that is left "
        "out has no answer, and a program would wait for it");
  }
  if (!given_keys.empty() && keys.place().has_header()) {
    return Error::invalid_argument("-e", "expected without --header: such a line has no named columns");
  }
  return {};
}

Status QueryOptions::check_files() const {
  const std::vector<std::string> read = inputs();
  if (!asks_server() && !which && dialect.given().empty()) {
    BLOOMERY_RETURN_IF_ERROR(check_not_swapped(filter, read));
  }
  if (prints_lines()) {
    BLOOMERY_RETURN_IF_ERROR(check_output_is_no_input("-", read));
  }
  std::vector<std::string> key_files;
  for (const std::string& name : filter_files()) {
    key_files.push_back(keys.key_file().empty() ? key_file_of(name) : keys.key_file());
  }
  if (!quiet) {
    BLOOMERY_RETURN_IF_ERROR(check_output_is_no_input("-", filter_files()));
    for (const std::string& key_file : key_files) {
      BLOOMERY_RETURN_IF_ERROR(check_output_is_no_key_file("-", key_file));
    }
  }
  BLOOMERY_RETURN_IF_ERROR(check_inputs_are_lines());
  return absent_to.empty() ? Status() : check_absent_to(read, key_files);
}

Status QueryOptions::check_absent_to(const std::vector<std::string>& read,
                                     const std::vector<std::string>& key_files) const {
  if (absent_to == "-") {
    return Error::invalid_argument("--absent-to",
                                   "expected a file, found '-': standard output has the others");
  }
  std::vector<std::string> needed = read;
  needed.insert(needed.end(), allowed_files.begin(), allowed_files.end());
  const std::vector<std::string> filters = filter_files();
  needed.insert(needed.end(), filters.begin(), filters.end());
  needed.insert(needed.end(), key_files.begin(), key_files.end());
  BLOOMERY_RETURN_IF_ERROR(check_output_is_no_input(absent_to, needed));
  BLOOMERY_RETURN_IF_ERROR(check_is_not_standard_output("--absent-to", absent_to));
  if (force) {
    BLOOMERY_RETURN_IF_ERROR(check_lines_may_replace(absent_to));
  }
  const Result<FileFacts> old = FileSystem::real().facts(absent_to);
  return old && old->is_regular && !force
             ? Status(Error::invalid_argument(absent_to, "exists already; --force replaces it"))
             : Status();
}

Status QueryOptions::check_inputs_are_there() const {
  for (const std::string& name : inputs()) {
    if (name != "-" && ::access(name.c_str(), R_OK) != 0) {
      return Error::io(name, "open", errno);
    }
  }
  return {};
}

// Refuses tables with filters, such as .parquet files, as files of lines: the shell may have passed them
// after the one that is the filter.
Status QueryOptions::check_inputs_are_lines() const {
  const Dialect& named = *dialect.named().row;
  if (named.has_columns == nullptr) {
    return {};
  }
  for (const std::string& name : inputs()) {
    BLOOMERY_ASSIGN_OR_RETURN(const bool has_filters, name == "-" ? false : is_table(name, named));
    if (has_filters) {
      return Error::invalid_argument(name,
                                     "expected lines of keys, found a Parquet file: with --which all "
                                     "files are filters, and -f names one more");
    }
  }
  return {};
}

std::vector<std::string> QueryOptions::inputs() const {
  return (files.empty() || which) && given_keys.empty() ? std::vector<std::string>{"-"}
         : which                                        ? std::vector<std::string>()
                                                        : files;
}

std::vector<std::string> QueryOptions::filter_names() const {
  std::vector<std::string> names = {filter};
  if (which) {
    names.insert(names.end(), files.begin(), files.end());
  }
  names.insert(names.end(), more_filters.begin(), more_filters.end());
  return names;
}

std::vector<std::string> QueryOptions::filter_files() const {
  return asks_server() ? std::vector<std::string>() : filter_names();
}

OpenOptions QueryOptions::access_to(const std::string& name) const {
  const Result<FileFacts> facts = FileSystem::real().facts(name);
  const bool small = facts && facts->size_bytes <= kLoadedBytes;
  return {.access = small ? Access::kCopy : Access::kMap,
          .verify = no_verify ? Verify::kHeaderOnly : Verify::kChecksums,
          .is_cold = is_cold};
}

}  // namespace bloomery::cli
