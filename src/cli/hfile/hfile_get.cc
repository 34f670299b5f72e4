// bloomery hfile get: the cells of a row, from the files that may hold it.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/exit_status.h"
#include "cli/hfile/cell_text.h"
#include "cli/hfile/hfile_verbs.h"
#include "cli/output.h"
#include "cli/standard_streams.h"
#include "table/bloom_report.h"
#include "table/cell_choice.h"
#include "table/file_question.h"
#include "table/open_hfile.h"
#include "table/row_cells.h"

namespace bloomery::cli {
namespace {

constexpr const char* kDescription =
    R"(Print the cells of a row, from one or several HFiles; files that cannot hold it are not read.

  bloomery hfile get store.hfile --row r4
  bloomery hfile get *.hfile --row r4 --column cf:q1 --explain     # which files were read, and why not the others
  bloomery hfile get *.hfile --row 'r\x00' --since 1700000000000

All cells that are found are printed, in HBase's order, as `hfile cat` prints them: old versions and the markers that
delete others too, nothing is taken away. Where files hold the same key, the cell of the file that was named first comes
first. With --column F:Q the markers that delete the family F in that row are printed too.

--explain says on stderr of each file what skipped it (time range, key range, or Bloom filter: the chunk, where
it is, and which bits of the key are 0), or which blocks were read. Exit status: 1 if no cell was found.)";

struct Options {
  std::vector<std::string> files;
  std::string row;
  bool explain = false;
  bool json = false;
  CellChoice cells;
};

// One of the files, and what came of it.
struct AskedFile {
  std::string name;
  BlockLog log = {};
  OpenHFile file = {};  // none of one that was skipped
  FileAnswer answer = {};
  std::optional<RowCells> cells = {};
  bool has_cell = false;
  std::uint64_t printed = 0;
};

using AskedFiles = std::vector<std::unique_ptr<AskedFile>>;

Status advance(AskedFile& asked) {
  BLOOMERY_ASSIGN_OR_RETURN(asked.has_cell, asked.cells->next());
  return {};
}

Result<std::unique_ptr<AskedFile>> ask(const Options& options, const std::string& name,
                                       const std::string& row) {
  auto asked = std::make_unique<AskedFile>(AskedFile{.name = name});
  BLOOMERY_ASSIGN_OR_RETURN(asked->file, open_hfile(name, RecordingSource::options(asked->log)));
  asked->answer = ask_file(*asked->file, row, options.cells, options.explain ? Explain::kYes : Explain::kNo);
  if (!asked->answer.may_contain) {
    asked->file.reset();  // of many files, few stay open
    return asked;
  }
  asked->cells.emplace(asked->file, row, options.cells);
  BLOOMERY_RETURN_IF_ERROR(advance(*asked));
  return asked;
}

// The file whose cell comes next; of equal keys the one that was named first.
AskedFile* next_of(const AskedFiles& files) {
  AskedFile* next = nullptr;
  for (const auto& asked : files) {
    if (asked->has_cell && (next == nullptr || asked->cells->cell().key < next->cells->cell().key)) {
      next = asked.get();
    }
  }
  return next;
}

Result<std::uint64_t> print_cells(const Options& options, const AskedFiles& files) {
  Output output(STDOUT_FILENO);
  std::uint64_t count = 0;
  std::string line;
  Status sound;
  for (AskedFile* next = next_of(files); sound && next != nullptr; next = next_of(files)) {
    line.clear();
    if (const Status shown =
            append_cell(line, next->cells->cell(), options.json ? CellForm::kJson : CellForm::kTabs);
        !shown) {
      sound = shown.error().in_file(next->name);
      break;
    }
    BLOOMERY_RETURN_IF_ERROR(output.write(line));
    ++count;
    ++next->printed;
    sound = advance(*next);
  }
  BLOOMERY_RETURN_IF_ERROR(output.flush());
  if (!sound) {
    return sound.error();
  }
  return count;
}

void explain(const AskedFile& asked) {
  if (!asked.answer.may_contain) {
    say("{}: {}\n", asked.name, asked.answer.reason);
    return;
  }
  say("{}: read, cells found: {}", asked.name, asked.printed);
  for (const hfile::BlockAddress& block : asked.log) {
    say("; {} at byte {}, {} bytes", hfile::block_kind_name(block.kind), block.offset, block.on_disk_bytes);
  }
  say("\n");
}

// What was damaged of the filters: cells were looked for all the same.
Status filter_status(const AskedFile& asked) {
  if (asked.file == nullptr) {
    return {};
  }
  return check_filter_answers(*asked.file);
}

Result<int> get(Options& options) {
  BLOOMERY_RETURN_IF_ERROR(options.cells.parse());
  const std::string row = unescape_bytes(options.row);
  if (row.size() > kLongestRow) {
    return Error::invalid_argument("--row",
                                   "expected at most 32767 bytes, found " + std::to_string(row.size()));
  }
  AskedFiles files;
  for (const std::string& name : options.files) {
    BLOOMERY_ASSIGN_OR_RETURN(auto asked, ask(options, name, row));
    files.push_back(std::move(asked));
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t count, print_cells(options, files));
  if (options.explain) {
    for (const auto& asked : files) {
      explain(*asked);
    }
  }
  for (const auto& asked : files) {
    BLOOMERY_RETURN_IF_ERROR(filter_status(*asked));
  }
  return static_cast<int>(count > 0 ? kDone : kNothing);
}

}  // namespace

void add_hfile_get_verb(CLI::App& hfile, int& exit_status) {
  CLI::App* const verb = hfile.add_subcommand("get", kDescription);
  const auto options = std::make_shared<Options>();
  verb->add_option("FILE", options->files, "HFiles, the newest last")->required();
  verb->add_option("--row", options->row, "the row; \\xHH is a byte")->required();
  options->cells.add_to(*verb);
  verb->add_flag("--explain", options->explain, "say of each file why it was skipped, or what was read");
  verb->add_flag("--json", options->json, "one JSON object a line");
  verb->callback([options, &exit_status] {
    const Result<int> status = get(*options);
    exit_status = status ? *status : report("hfile get", status.error());
  });
}

}  // namespace bloomery::cli
