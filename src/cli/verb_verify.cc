// bloomery verify: proves filters by the keys of their data.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <fmt/format.h>
#include <system_error>
#include <unistd.h>

#include "bloomery/base/result.h"
#include "bloomery/filter/leased_filter.h"
#include "cli/dialect_choice.h"
#include "cli/exit_status.h"
#include "cli/key_input.h"
#include "cli/key_options.h"
#include "cli/numbers.h"
#include "cli/open_key_filter.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/proof_report.h"
#include "cli/stop_signal.h"
#include "cli/verbs.h"
#include "query/any_of.h"
#include "verify/proof.h"
#include "verify/proof_record.h"
#include "verify/walk.h"

namespace bloomery::cli {
namespace {

// `verify --keys`: proves a filter of any kind by a list of keys that must be in it.
struct KeyListOptions {
  std::vector<std::string> lists;  // --keys; empty if it was not given
  DialectChoice dialect;
  KeyOptions keys;
};

void see_answers(const LineBatch& batch, std::span<const std::uint64_t> answers, const InputFiles& input,
                 Proof& proof) {
  for (std::size_t i = 0; i < batch.lines.size(); ++i) {
    if ((answers[i / 64] >> (i % 64) & 1) == 0) {
      proof.deny(batch.lines[i]);
      if (proof.denied <= Proof::kMostDeniedKeys) {
        proof.notes.push_back(fmt::format("it denies line {} of {}", input.first_line() + batch.place(i),
                                          input.current_name()));
      }
    }
  }
  proof.keys += batch.lines.size();
}

Status ask_lines(const KeyListOptions& options, AnyOf& filters, Proof& proof) {
  InputFiles input(options.lists, options.keys.input_shape());
  std::vector<std::uint64_t> answers;
  return for_each_line_batch("verify", input, [&](LineBatch& batch) -> Result<bool> {
    BLOOMERY_RETURN_IF_ERROR(
        in_file(filters.keys().ask_up_to_bad_line(
                    batch, [&] { return filters.answer(batch, input.first_line(), answers); }),
                input.current_name()));
    BLOOMERY_RETURN_IF_ERROR(filters.file_status());
    see_answers(batch, answers, input, proof);
    return true;
  });
}

// Asks the filter about every line of the lists, and adds the answers to `proof`, whose path names the
// filter. A reason why the file itself proves nothing then no longer counts. Denied keys are named by their
// lines. Errors: those of the lists and of the options.
Status ask_key_list(const KeyListOptions& options, Proof& proof) {
  AnyOf filters(options.keys.place());
  Result<std::unique_ptr<KeyFilter>> filter =
      open_key_filter("verify", proof.path, options.dialect, options.keys,
                      {.recorded_keys = RecordedKeys::kKnown}, filters.keys());
  if (!filter) {
    return filter.error();
  }
  filters.add(proof.path, std::move(filter).value());
  proof.unproven.clear();
  proof.against = fmt::format("{}", fmt::join(options.lists, ", "));
  BLOOMERY_RETURN_IF_ERROR(ask_lines(options, filters, proof));
  BLOOMERY_RETURN_IF_ERROR(filters.status());
  if (filters.forced_maybes() != 0) {
    proof.add_unproven(
        fmt::format("{} keys were answered by data without a filter", filters.forced_maybes()));
  }
  if (LeasedFilter::is_one(proof.path)) {
    const Result<LeasedFilter> leased =
        LeasedFilter::open(proof.path, {.recorded_keys = RecordedKeys::kKnown});
    if (!leased || !leased->state().holds) {
      proof.add_unproven("its lease is over, so every answer was maybe");
    }
  }
  if (proof.keys == 0) {
    proof.add_unproven("the list has no keys");
  }
  return {};
}

constexpr const char* kVerifyDescription =
    R"(Prove filters: every key of the data is asked of the filter that stands for it, and every checksum is verified.

  bloomery verify /var/lib/app/db                     # LevelDB, RocksDB: each table's filter against its blocks
  bloomery verify *.hfile && echo sound               # HFiles: each Bloom filter against the cells
  bloomery verify thousand.bloom                      # a file that holds no keys: its checksums
  bloomery verify --keys users.txt users.bf           # any filter, against a list that must be in it
  bloomery verify --record data/shop/orders-5f2a      # keeps proofs, which `query --unproven maybe` asks for
  bloomery verify --json DIR | jq 'select(.verdict != "sound")'

One line for each file says sound, damaged, denies N of M keys, or cannot be proven and why. Exit status: 3 if a file is
damaged or denies a key; 2 if one is missing; 1 if nothing is wrong but a file cannot be proven; 0 if all are sound.)";

struct VerifyOptions {
  std::vector<std::string> files;
  bool json = false;
  bool record = false;
  KeyListOptions list;
};

class VerifyRun {
 public:
  explicit VerifyRun(const VerifyOptions& options)
      : options_(options), stop_(catch_stop_signals()), progress_("verify"), output_(STDOUT_FILENO) {}

  Result<int> run() {
    BLOOMERY_ASSIGN_OR_RETURN(proof_options_.memory, options_.list.dialect.memory());
    proof_options_.progress = [this](std::uint64_t bytes) {
      bytes_ += bytes;
      progress_.update_files(files(), bytes_);
      return !stop_ && written_;
    };
    for (const std::string& path : options_.files) {
      prove(path);
      BLOOMERY_RETURN_IF_ERROR(written_);
      if (stop_) {
        return static_cast<int>(kInterrupted);
      }
    }
    BLOOMERY_RETURN_IF_ERROR(summarize());
    return exit_status_;
  }

 private:
  std::uint64_t files() const { return counts_[0] + counts_[1] + counts_[2] + counts_[3]; }

  void prove(const std::string& path) {
    const Status proven = options_.list.lists.empty()
                              ? prove_path(
                                    path, proof_options_, [this](Proof proof) { see(proof); }, passed_over_)
                              : prove_by_list(path);
    if (!proven) {
      exit_status_ = graver(exit_status_, report("verify", proven.error()));
    }
  }

  // First the file by itself, whose damage is a finding, and then by the list.
  Status prove_by_list(const std::string& path) {
    Proof proof{.path = path};
    std::error_code unknown;
    if (!std::filesystem::is_directory(path, unknown)) {
      PassedOver ignored;
      const Status alone = prove_path(
          path, proof_options_, [&](Proof found) { proof = std::move(found); }, ignored);
      if (!alone && alone.error().code() != ErrorCode::kCorruption) {
        return alone;
      }
    }
    if (proof.files.empty()) {  // the file alone does not tell what it is
      BLOOMERY_RETURN_IF_ERROR(proof.will_read(path));
    }
    for (const std::string& list : options_.list.lists) {
      static_cast<void>(proof.will_read(list));  // one that is not there is an error below
    }
    if (proof.findings.empty()) {
      BLOOMERY_RETURN_IF_ERROR(ask_key_list(options_.list, proof));
    }
    see(proof);
    return {};
  }

  void see(const Proof& proof) {
    ++counts_[static_cast<std::size_t>(proof.verdict())];
    exit_status_ = graver(exit_status_, exit_status_of(proof));
    progress_.clear();
    if (written_) {
      written_ = output_.write(
          options_.json ? proof_json(proof).dump(-1, ' ', false, Json::error_handler_t::replace) + '\n'
                        : proof_text(proof));
    }
    if (written_) {
      written_ = output_.flush();
    }
    if (options_.record && proof.verdict() == Verdict::kSound && proof.keys > 0) {
      if (const Status kept = save_proof_record(proof); !kept) {
        exit_status_ = graver(exit_status_, report("verify", kept.error()));
      }
    }
  }

  Status summarize() {
    if (files() > 1 && !options_.json) {
      const auto count = [&](Verdict verdict) {
        return show_count(counts_[static_cast<std::size_t>(verdict)]);
      };
      BLOOMERY_RETURN_IF_ERROR(output_.write(
          fmt::format("{}: {} sound, {} damaged, {} deny keys, {} cannot be proven\n",
                      show_count_of(files(), "file"), count(Verdict::kSound), count(Verdict::kDamaged),
                      count(Verdict::kDenies), count(Verdict::kUnproven))));
    }
    if (passed_over_.files != 0) {
      warn("verify", fmt::format("{} of no known kind passed over, such as {}",
                                 show_count_of(passed_over_.files, "file"), passed_over_.first));
    }
    if (passed_over_.unlisted_tables != 0) {
      warn("verify", fmt::format("{} that no manifest lists passed over",
                                 show_count_of(passed_over_.unlisted_tables, "table")));
    }
    if (files() == 0 && exit_status_ == kDone) {
      warn("verify", "nothing can be proven: no filter was found");
      exit_status_ = kNothing;
    }
    return output_.flush();
  }

  const VerifyOptions& options_;
  std::atomic<bool>& stop_;
  Progress progress_;
  Output output_;
  ProofOptions proof_options_;
  std::uint64_t bytes_ = 0;
  std::uint64_t counts_[4] = {};  // of files, by verdict
  PassedOver passed_over_;
  Status written_;
  int exit_status_ = kDone;
};

Result<int> verify(VerifyOptions& options) {
  BLOOMERY_RETURN_IF_ERROR(options.list.keys.parse());
  if (options.list.lists.empty() && !options.list.dialect.given().empty()) {
    return Error::invalid_argument("--dialect", "expected --keys with it: other files tell what they are");
  }
  if (options.record && std::ranges::find(options.list.lists, "-") != options.list.lists.end()) {
    return Error::invalid_argument("--record", "expected files of keys, found standard input");
  }
  if (options.files.size() > 1) {
    BLOOMERY_RETURN_IF_ERROR(check_one_standard_input("--keys", options.list.lists, {"-"}));
  }
  return VerifyRun(options).run();
}

}  // namespace

void add_verify_verb(CLI::App& app, int& exit_status) {
  CLI::App* const verb = app.add_subcommand("verify", kVerifyDescription);
  const auto options = std::make_shared<VerifyOptions>();
  verb->add_option("FILE", options->files, "files, or directories with all that is in them and below")
      ->required();
  verb->add_flag("--json", options->json, "one JSON object a file, each on a line");
  verb->add_flag("--record", options->record,
                 "keep the proof of each sound filter in FILE.proof, for `query --unproven maybe`");
  verb->add_option("--keys", options->list.lists, "LIST of keys, one a line, that must be in the filter")
      ->allow_extra_args(false);
  options->list.dialect.add_to(*verb);
  options->list.dialect.add_memory_to(*verb);
  options->list.dialect.add_database_to(*verb);
  options->list.keys.add_to(*verb);
  options->list.keys.add_cassandra_to(*verb);
  verb->callback([options, &exit_status] {
    const Result<int> status = verify(*options);
    exit_status = status ? *status : report("verify", status.error());
  });
}

}  // namespace bloomery::cli
