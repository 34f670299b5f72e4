// bloomery hfile filter: queries only an HFile's Bloom filter for rows or columns.
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "base/byte_text.h"
#include "cli/exit_status.h"
#include "cli/file_memory_option.h"
#include "cli/hfile/reports.h"
#include "cli/key_input.h"
#include "cli/key_options.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "hfile/chunk_keeper.h"
#include "hfile/recognition.h"
#include "keys/input_files.h"

namespace bloomery::cli {
namespace {

constexpr const char* kHFileFilterDescription =
    R"(Print the rows that may be in an HFile, by its Bloom filter only: no cell is read.

  bloomery hfile cat old.hfile | cut -f1 | uniq | bloomery hfile filter new.hfile        # rows in both, perhaps
  bloomery hfile filter -v store.hfile rows.txt | wc -l                                  # certainly not in it
  bloomery hfile cat old.hfile | cut -f1,3 | uniq | bloomery hfile filter -c new.hfile   # columns, of ROWCOL

A line is a row; or a row, a tab and a qualifier, which filters of the type ROWCOL tell apart and others do not. \xHH is a
byte, as `hfile cat` writes it. A ROWCOL filter knows no rows by themselves: they all may be in. With --delete-family it is
asked whether the file may have a marker that deletes the family in the row; files without ROWCOL have a filter of these.)";

struct HFileFilterOptions {
  std::string file;
  std::vector<std::string> keys;
  bool invert = false;
  bool count_only = false;
  bool delete_family = false;
  FileMemoryOption memory;
};

Status check_fields(std::string_view line, std::uint64_t number) {
  if (std::ranges::count(line, '\t') > 1) {
    return Error::invalid_argument(
        fmt::format("line {}", number),
        fmt::format("expected a row, or a row, a tab and a qualifier, found more tabs: '{}'",
                    escape_bytes(line.substr(0, 100))));
  }
  return {};
}

bool may_contain(const hfile::OpenFile& file, std::string_view line, bool delete_family) {
  const std::size_t tab = line.find('\t');
  const std::string row = unescape_bytes(line.substr(0, tab));
  if (row.size() > kLongestRow) {
    return true;  // no row is that long, so the filter is not queried and the answer is maybe
  }
  if (delete_family) {
    return file.may_contain_delete_family(row);
  }
  return tab == std::string_view::npos ? file.may_contain_row(row)
                                       : file.may_contain_column(row, unescape_bytes(line.substr(tab + 1)));
}

// Prints the selected lines and returns their number.
Result<std::uint64_t> print_lines(const HFileFilterOptions& options, const hfile::OpenFile& file) {
  InputFiles input(options.keys, '\n');
  Output output(STDOUT_FILENO);
  std::uint64_t selected = 0;
  BLOOMERY_RETURN_IF_ERROR(
      for_each_line_batch("hfile filter", input, [&](const LineBatch& batch) -> Result<bool> {
        for (std::size_t i = 0; i < batch.lines.size(); ++i) {
          const std::string_view line = batch.lines[i];
          if (const Status checked = check_fields(line, input.first_line() + i); !checked) {
            return checked.error().in_file(input.current_name());
          }
          if (may_contain(file, line, options.delete_family) == options.invert) {
            continue;
          }
          ++selected;
          if (!options.count_only) {
            BLOOMERY_RETURN_IF_ERROR(output.write(line));
            BLOOMERY_RETURN_IF_ERROR(output.write("\n"));
          }
        }
        return true;
      }));
  if (options.count_only) {
    BLOOMERY_RETURN_IF_ERROR(output.write(fmt::format("{}\n", selected)));
  }
  BLOOMERY_RETURN_IF_ERROR(output.flush());
  return selected;
}

Result<int> filter(const HFileFilterOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(const FileMemory memory, options.memory.parse());
  BLOOMERY_ASSIGN_OR_RETURN(const hfile::OpenFilePointer file,
                            hfile::open_hfile(options.file, hfile::ChunkKeeper::surroundings(), memory));
  if (file->trailer().entry_count == 0) {
    warn("hfile filter", options.file + " has no cells: no row is in");
  } else if (!options.delete_family && file->bloom_type() == hbase::BloomType::kNone &&
             file->filter_status()) {
    warn("hfile filter", options.file + " has no Bloom filter: every row may be in");
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t selected, print_lines(options, *file));
  BLOOMERY_RETURN_IF_ERROR(
      check_filter_answers(file->path(), file->filter_status(), file->counters().damaged_bloom_answers));
  return static_cast<int>(selected > 0 ? kDone : kNothing);
}

}  // namespace

void add_hfile_filter_verb(CLI::App& hfile, int& exit_status) {
  CLI::App* const verb = hfile.add_subcommand("filter", kHFileFilterDescription);
  const auto options = std::make_shared<HFileFilterOptions>();
  verb->add_option("FILE", options->file, "an HFile")->required();
  verb->add_option("KEYS", options->keys,
                   "lines; none or - is standard input; gzip, zstd, xz and bzip2 are read too");
  verb->add_flag("-v,--invert-match", options->invert, "print what is certainly absent");
  verb->add_flag("--delete-family", options->delete_family,
                 "ask for markers that delete the family in the row, not for cells");
  verb->add_flag("-c,--count", options->count_only, "print only how many lines it would be");
  options->memory.add_to(*verb);
  verb->callback([options, &exit_status] {
    const Result<int> status = filter(*options);
    exit_status = status ? *status : report("hfile filter", status.error());
  });
}

}  // namespace bloomery::cli
