#include "cli/query_options.h"

#include "cli/file_conflicts.h"
#include "cli/numbers.h"
#include "cli/secret_file.h"

namespace bloomery::cli {

void QueryOptions::add_to(CLI::App& verb) {
  verb.add_option("FILTER", filter, "the filter to ask, or a LevelDB or RocksDB database directory")
      ->required();
  verb.add_option("-f,--filter", more_filters,
                  "one more filter, may be given again; a key in any of them is in")
      ->type_name("FILE")
      ->allow_extra_args(false);
  // Takes the words as they are. CLI11 would read "{}" as no key at all.
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
  verb.add_flag("-s,--silent", silent, "nothing on stderr, no error either; the exit status tells");
  summary.add_to(verb);
  dialect.add_to(verb);
  dialect.add_memory_to(verb);
  dialect.add_database_to(verb);
  keys.add_to(verb);
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
  verb.add_flag("-H,--with-filename", with_name, "before each line the name of its file, and a colon");
  verb.add_flag("--no-filename", no_name, "no names, not with -c either");
  verb.add_flag("-n,--line-number", line_numbers, "before each line its number in its file, and a colon");
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
  if (prints_lines()) {
    BLOOMERY_RETURN_IF_ERROR(check_output_is_no_input("-", read));
  }
  if (absent_to.empty()) {
    return {};
  }
  if (absent_to == "-") {
    return Error::invalid_argument("--absent-to",
                                   "expected a file, found '-': standard output has the others");
  }
  std::vector<std::string> needed = read;
  needed.insert(needed.end(), allowed_files.begin(), allowed_files.end());
  std::vector<std::string> filters = more_filters;
  filters.push_back(filter);
  for (const std::string& name : filters) {
    needed.push_back(name);
    needed.push_back(keys.key_file().empty() ? key_file_of(name) : keys.key_file());
  }
  BLOOMERY_RETURN_IF_ERROR(check_output_is_no_input(absent_to, needed));
  return check_is_not_standard_output("--absent-to", absent_to);
}

std::vector<std::string> QueryOptions::inputs() const {
  return files.empty() && given_keys.empty() ? std::vector<std::string>{"-"} : files;
}

}  // namespace bloomery::cli
