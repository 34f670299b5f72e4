// bloomery hfile write: turns sorted lines into a directory of HFiles that HBase can bulk load.
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "bloomery/table/bulk_load.h"
#include "cli/exit_status.h"
#include "cli/hfile/cell_batch.h"
#include "cli/hfile/quiet_thread.h"
#include "cli/hfile/region_pieces.h"
#include "cli/hfile/write_options.h"
#include "cli/numbers.h"
#include "cli/progress.h"
#include "cli/stop_signal.h"
#include "cli/verbs.h"
#include "keys/input_files.h"

namespace bloomery::cli {
namespace {

constexpr const char* kHFileWriteDescription =
    R"(Write cells, sorted, as HFiles in a directory that HBase loads: DIR/FAMILY/FILE.

  LC_ALL=C sort -t $'\t' -k1,1 -k2,2 -k4,4nr cells.tsv | bloomery hfile write -o load
  bloomery hfile write -o load --splits splits.txt --compression ZSTD --encoding FAST_DIFF cells.tsv
  bloomery hfile cat --json old.hfile | bloomery hfile write --json --tags -o load     # the same cells again
  hbase completebulkload load my_table

A line: ROW, FAMILY:QUALIFIER, VALUE and perhaps TIMESTAMP, with tabs between; or what `hfile cat` prints. \xHH is a byte
and \\ a backslash. Rows ascend as bytes; in a row the cells of a family are in HBase's order: by qualifier, the newest
first. All files appear at the end, together, or none. Status 1: the input has no cells.)";

// One run of the verb. It has three ways to write, which produce the same bytes:
//
//   --threads 1             one thread reads, parses and writes
//   no --splits             one thread reads and parses, another thread writes (cell_batch.h)
//   --splits                each thread reads, parses and writes one region at a time (region_pieces.h)
//
// The third way needs regular files in which rows can be found by binary search. All files get their names
// together at the end (bulk_load_directory.h).
class HFileWriteRun {
 public:
  explicit HFileWriteRun(const WriteOptions& options)
      : options_(options),
        stop_(catch_stop_signals()),
        input_(options.inputs(), '\n', &stop_),
        parser_(options.parser()) {}

  Result<int> run() {
    BLOOMERY_ASSIGN_OR_RETURN(BulkLoadDirectory directory,
                              BulkLoadDirectory::create(options_.directory(), options_.existing_files()));
    BLOOMERY_RETURN_IF_ERROR(write(directory));
    if (stop_) {
      return stopped();
    }
    if (counts_.cells == 0) {
      warn("hfile write", "the input has no cells: no file is written");
      return static_cast<int>(kNothing);
    }
    BLOOMERY_RETURN_IF_ERROR(directory.commit());
    if (options_.summary().wanted()) {
      summarize();
    }
    return static_cast<int>(kDone);
  }

 private:
  Status write(BulkLoadDirectory& directory) {
    if (options_.has_splits() && options_.threads() > 1) {
      const auto regions = find_region_pieces(options_.inputs(), options_.plan().splits, parser_);
      if (regions && !options_.inputs().empty()) {
        return write_regions(directory, *regions);
      }
    }
    return write_in_order(directory);
  }

  // Writes the input sequentially, with one or two threads.
  Status write_in_order(BulkLoadDirectory& directory) {
    BulkLoadWriter writer(directory, options_.plan());
    InputLines lines(input_);
    const auto total = input_.total_bytes();
    BLOOMERY_RETURN_IF_ERROR(
        for_each_batch(lines, parser_, options_.threads() > 1, [&](const CellBatch& batch) {
          if (total) {
            progress_.update_steps("bytes", batch.bytes_read(), *total);
          }
          return append_all(writer, batch);
        }));
    if (stop_) {
      return {};
    }
    BLOOMERY_RETURN_IF_ERROR(writer.finish());
    counts_ = writer.counts();
    bytes_read_ = input_.bytes_read();
    return {};
  }

  Status append_all(BulkLoadWriter& writer, const CellBatch& batch) const {
    const std::vector<Cell>& cells = batch.cells();
    for (std::size_t i = 0; i < cells.size() && !stop_; ++i) {
      if (!cells[i].tags.empty() && !options_.plan().file.has_tags) {
        return batch.at_cell(i,
                             Error::invalid_argument("", "tags: expected none without --tags, found some"));
      }
      if (const Status appended = writer.append(cells[i]); !appended) {
        const bool is_of_line = appended.error().errno_value() == 0;
        return is_of_line ? batch.at_cell(i, appended.error()) : appended.error();
      }
    }
    return {};
  }

  // Writes regions in parallel. Each region is read, parsed and written by one thread.
  Status write_regions(BulkLoadDirectory& directory, const RegionPieces& regions) {
    std::vector<std::thread> workers;
    const std::size_t wanted = std::min(options_.threads(), regions.size());
    for (std::size_t i = 0; i < wanted; ++i) {
      workers.push_back(quiet_thread([&] { work(directory, regions); }));
    }
    {
      std::unique_lock lock(mutex_);
      while (finished_ < wanted) {
        progress_.update_steps("regions", std::min(next_region_, regions.size()), regions.size());
        changed_.wait_for(lock, std::chrono::milliseconds(250));
      }
    }
    for (std::thread& worker : workers) {
      worker.join();
    }
    if (thrown_) {
      std::rethrow_exception(thrown_);
    }
    return outcome_;
  }

  // Returns the next region that no thread has claimed, or none once an earlier region has failed. So, of
  // several errors, the first one in the input is reported.
  std::optional<std::size_t> next_region(const RegionPieces& regions) {
    const std::lock_guard lock(mutex_);
    while (next_region_ < regions.size() && regions[next_region_].empty()) {
      ++next_region_;
    }
    return next_region_ < std::min(regions.size(), failed_region_.load()) && !stop_
               ? std::optional(next_region_++)
               : std::nullopt;
  }

  void work(BulkLoadDirectory& directory, const RegionPieces& regions) {
    std::exception_ptr thrown;
    try {
      while (const std::optional<std::size_t> region = next_region(regions)) {
        write_region(directory, *region, regions[*region]);
      }
    } catch (...) {  // thrown if memory is exhausted; an exception must not leave the thread
      thrown = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    if (thrown) {
      thrown_ = thrown;
      failed_region_ = 0;
    }
    ++finished_;
    changed_.notify_all();
  }

  void write_region(BulkLoadDirectory& directory, std::size_t region, const std::vector<FilePiece>& pieces) {
    BulkLoadWriter writer(directory, options_.plan());
    writer.expect_region(region);
    PieceLines lines(pieces, stop_);
    Status written = for_each_batch(lines, parser_, false, [&](const CellBatch& batch) {
      return region > failed_region_ ? Status(Error::io("", "another region", ECANCELED))
                                     : append_all(writer, batch);
    });
    if (written && !stop_) {
      written = writer.finish();
    }
    const std::lock_guard lock(mutex_);
    if (!written && region < failed_region_) {
      failed_region_ = region;
      outcome_ = written;
    }
    counts_ += writer.counts();
    bytes_read_ += lines.bytes_read();
  }

  int stopped() const {
    warn("hfile write", "interrupted: no file is written");
    return kInterrupted;
  }

  void summarize() const {
    const HFileWriteOptions& file = options_.plan().file;
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    warn("hfile write",
         fmt::format("{} of {} in {}, {}; Bloom {}, {}, {}; {:.0f} MB/s read",
                     show_count_of(counts_.cells, "cell"), show_count_of(counts_.rows, "row"),
                     show_count_of(counts_.files, "file"), show_bytes(counts_.file_bytes),
                     hfile::bloom_type_name(file.bloom.type), hfile::data_encoding_name(file.encoding),
                     hfile::compression_name(file.compression),
                     static_cast<double>(bytes_read_) / seconds / 1e6));
  }

  const WriteOptions& options_;
  std::atomic<bool>& stop_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  InputFiles input_;
  CellParser parser_;
  Progress progress_{"hfile write"};

  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t next_region_ = 0;
  std::atomic<std::size_t> failed_region_ = ~std::size_t{0};
  std::size_t finished_ = 0;
  Status outcome_;
  std::exception_ptr thrown_;
  BulkLoadCounts counts_;
  std::uint64_t bytes_read_ = 0;
};

Result<int> write(WriteOptions& options) {
  BLOOMERY_RETURN_IF_ERROR(options.parse());
  HFileWriteRun run(options);
  return run.run();
}

}  // namespace

void add_hfile_write_verb(CLI::App& hfile, int& exit_status) {
  CLI::App* const verb = hfile.add_subcommand("write", kHFileWriteDescription);
  const auto options = std::make_shared<WriteOptions>();
  options->add_to(*verb);
  verb->callback([options, &exit_status] {
    const Result<int> status = write(*options);
    exit_status = status ? *status : report("hfile write", status.error());
  });
}

}  // namespace bloomery::cli
