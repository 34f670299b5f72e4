// The whole way from files to printed lines, against a model, with the reader on its own thread.
#include <atomic>
#include <chrono>
#include <random>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dedup/dedup_stream.h"
#include "tests/base/test_folder.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kSeed = 20261121;

class StringSink final : public LineSink {
 public:
  Status write(std::string_view text) override {
    kept_back += text;
    return {};
  }
  Status flush() override {
    out += std::exchange(kept_back, {});
    return out.size() > most_bytes ? Status(Error::io("sink", "write", ENOSPC)) : Status();
  }
  Status sync() override { return flush(); }

  std::string kept_back;
  std::string out;
  std::size_t most_bytes = ~std::size_t{0};
};

// Lines of a small alphabet and few keys: empty ones, long ones, with and without the last delimiter.
std::string random_lines(std::mt19937_64& random, std::size_t count, char delimiter) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t kind = random() % 100;
    text += kind == 0 ? std::string() : "key " + std::to_string(random() % (count / 2 + 1));
    if (kind == 1) {
      text += std::string(random() % 5000, 'x');
    }
    text += delimiter;
  }
  if (random() % 2 == 0 && text.size() > 1 && text[text.size() - 2] != delimiter) {
    text.pop_back();
  }
  return text;
}

struct Expected {
  std::string firsts;
  std::string repeats;
  DedupCounts counts;
};

Expected model(const std::string& text, char delimiter) {
  Expected expected;
  std::unordered_set<std::string> seen;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(delimiter, begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    const bool is_new = seen.insert(line).second;
    (is_new ? expected.firsts : expected.repeats) += line + delimiter;
    ++expected.counts.lines;
    expected.counts.kept += is_new ? 1 : 0;
    begin = end + 1;
  }
  return expected;
}

// Writes `text` into a named pipe in pieces of random sizes.
class Writer {
 public:
  Writer(const std::string& path, std::string text, std::size_t largest)
      : thread_([path, text = std::move(text), largest] {
          std::mt19937_64 random(kSeed);
          const int fifo = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
          for (std::size_t done = 0; done < text.size();) {
            const std::size_t size = std::min<std::size_t>(text.size() - done, 1 + random() % largest);
            const ssize_t written = ::write(fifo, text.data() + done, size);
            if (written <= 0) {
              break;
            }
            done += static_cast<std::size_t>(written);
          }
          ::close(fifo);
        }) {}
  ~Writer() { thread_.join(); }

 private:
  std::thread thread_;
};

std::unique_ptr<SeenKeys> memory_of(const std::string& kind) {
  if (kind == "hashes") {
    return std::make_unique<SeenHashes>();
  }
  return std::make_unique<SeenLines>(KeyTable::Keep{});
}

TEST(DedupStream, EveryModeAndChunkingAsTheModel) {
  std::mt19937_64 random(kSeed);
  const TestFolder folder;
  const std::string path = folder.path("fifo");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  for (const std::size_t largest : {std::size_t{40}, std::size_t{5000}, std::size_t{300'000}}) {
    for (const char delimiter : {'\n', '\0'}) {
      const std::string text = random_lines(random, 20 * largest < 20'000 ? 2000 : 20'000, delimiter);
      const Expected expected = model(text, delimiter);
      for (const std::string kind : {"hashes", "lines", "filter"}) {
        for (const bool repeated : {false, true}) {
          SCOPED_TRACE(kind + ", pieces up to " + std::to_string(largest) + ", seed " +
                       std::to_string(kSeed));
          const Writer writer(path, text, largest);
          std::atomic<bool> stop = false;
          InputFiles input({path}, delimiter, &stop);
          AnyFilter filter = std::move(BlockedBloomFilter::for_capacity(20'000, 1e-9)).value();
          std::unique_ptr<SeenKeys> seen =
              kind == "filter" ? std::make_unique<SeenFilter>(filter) : memory_of(kind);
          StringSink sink;
          DedupStream stream(*seen, sink,
                             {.print = repeated ? DedupOptions::Print::kRepeats : DedupOptions::Print::kFirst,
                              .delimiter = delimiter});
          LinePipeline pipeline(input, stop,
                                {.hash = {}, .treatment = {}, .place = {}, .keep_keys = kind == "lines"});
          ASSERT_TRUE(stream.run(pipeline));
          EXPECT_EQ(stream.counts().lines, expected.counts.lines);
          EXPECT_EQ(stream.counts().kept, expected.counts.kept);
          EXPECT_TRUE(sink.out == (repeated ? expected.repeats : expected.firsts));
          EXPECT_EQ(sink.kept_back, "");
        }
      }
    }
  }
}

// A line is out before the next one is written, without any option.
TEST(DedupStream, ALineFromASlowPipeIsNotHeldBack) {
  const TestFolder folder;
  const std::string path = folder.path("fifo");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::atomic<bool> stop = false;
  std::atomic<std::size_t> out_bytes = 0;
  class CountingSink final : public LineSink {
   public:
    explicit CountingSink(std::atomic<std::size_t>& out) : out_(out) {}
    Status write(std::string_view text) override {
      held_ += text.size();
      return {};
    }
    Status flush() override {
      out_ += std::exchange(held_, 0);
      return {};
    }
    Status sync() override { return flush(); }

   private:
    std::atomic<std::size_t>& out_;
    std::size_t held_ = 0;
  } sink(out_bytes);
  std::thread writer([&] {
    const int fifo = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    for (std::size_t i = 0; i < 5; ++i) {
      const std::string line = "line " + std::to_string(i) + "\n";
      EXPECT_EQ(::write(fifo, line.data(), line.size()), static_cast<ssize_t>(line.size()));
      while (out_bytes < 7 * (i + 1)) {  // for ever, if it is held back until more comes
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    }
    ::close(fifo);
  });
  InputFiles input({path}, '\n', &stop);
  SeenHashes seen;
  DedupStream stream(seen, sink, {});
  LinePipeline pipeline(input, stop, {});
  EXPECT_TRUE(stream.run(pipeline));
  writer.join();
  EXPECT_EQ(out_bytes, 35u);
}

// A consumer that gives up does not wait for input that never comes: in read(2), or in open(2).
TEST(LinePipeline, EndsWhereTheReaderWaits) {
  const TestFolder folder;
  const std::string path = folder.path("fifo");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  for (const bool opened : {true, false}) {
    const int fifo = opened ? ::open(path.c_str(), O_RDWR | O_CLOEXEC) : -1;
    std::atomic<bool> stop = false;
    InputFiles input({path}, '\n', &stop);
    {
      const LinePipeline pipeline(input, stop, {});
      std::this_thread::sleep_for(std::chrono::milliseconds(20));  // it waits by now, most likely
    }
    EXPECT_TRUE(stop);
    if (opened) {
      ::close(fifo);
    }
  }
}

// The reader stops a few batches before a caller that does not take them.
TEST(LinePipeline, DoesNotReadFarAhead) {
  const TestFolder folder;
  const std::string path = folder.path("fifo");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const int fifo = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
  std::atomic<bool> stop = false;
  InputFiles input({path}, '\n', &stop);
  LinePipeline pipeline(input, stop, {});
  ASSERT_EQ(::write(fifo, "a\n", 2), 2);
  ASSERT_EQ(*pipeline.next(), LinePipeline::Next::kBatch);
  const std::string piece(4096, '\n');
  std::size_t written = 0;
  for (int idle = 0; idle < 100;) {
    const ssize_t count = ::write(fifo, piece.data(), piece.size());
    idle = count > 0 ? 0 : idle + 1;
    written += count > 0 ? static_cast<std::size_t>(count) : 0;
    if (count <= 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  EXPECT_LT(written, (LinePipeline::kSlots + 4) * (std::size_t{128} << 10));
  ::close(fifo);
}

TEST(LinePipeline, ErrorsComeBehindTheLinesBeforeThem) {
  const TestFolder folder;
  folder.write("a", "1\n2\n");
  std::atomic<bool> stop = false;
  InputFiles input({folder.path("a"), folder.path("missing")}, '\n', &stop);
  LinePipeline pipeline(input, stop, {});
  ASSERT_EQ(*pipeline.next(), LinePipeline::Next::kBatch);
  EXPECT_EQ(pipeline.batch().lines.lines, (std::vector<std::string_view>{"1", "2"}));
  const Result<LinePipeline::Next> missing = pipeline.next();
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(*pipeline.next(), LinePipeline::Next::kEnd);
}

// What is seen at a checkpoint is out at it: never more lines seen than printed.
TEST(DedupStream, ACheckpointComesBehindItsLines) {
  const TestFolder folder;
  std::string text;
  for (int i = 0; i < 300'000; ++i) {
    text += std::to_string(i) + "\n";
  }
  folder.write("a", text);
  StringSink sink;
  class Always final : public Checkpoint {
   public:
    explicit Always(const StringSink& sink) : sink_(sink) {}
    LinePipeline::Clock::time_point due() const override { return {}; }
    Status save(const DedupCounts& counts) override {
      EXPECT_EQ(sink_.kept_back, "");
      EXPECT_EQ(static_cast<std::uint64_t>(std::ranges::count(sink_.out, '\n')), counts.kept);
      return ++saves == 20 ? Status(Error::io("state", "write", ENOSPC)) : Status();
    }
    int saves = 0;

   private:
    const StringSink& sink_;
  } checkpoint(sink);
  std::atomic<bool> stop = false;
  InputFiles input({folder.path("a")}, '\n', &stop);
  SeenHashes seen;
  DedupStream stream(seen, sink, {.checkpoint = &checkpoint});
  LinePipeline pipeline(input, stop, {});
  const Status status = stream.run(pipeline);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().errno_value(), ENOSPC);
  EXPECT_EQ(checkpoint.saves, 20) << "the run ends at a save that fails";
  EXPECT_TRUE(text.starts_with(sink.out));
}

TEST(DedupStream, OutputThatFailsIsSaid) {
  const TestFolder folder;
  folder.write("a", "1\n2\n3\n");
  std::atomic<bool> stop = false;
  InputFiles input({folder.path("a")}, '\n', &stop);
  SeenHashes seen;
  StringSink sink;
  sink.most_bytes = 3;
  DedupStream stream(seen, sink, {});
  LinePipeline pipeline(input, stop, {});
  EXPECT_FALSE(stream.run(pipeline));
  EXPECT_TRUE(stream.output_failed());
}

// While nothing comes there is nothing to save, however long a checkpoint has been due.
TEST(DedupStream, ACheckpointIsNotReachedTwiceForTheSameLines) {
  const TestFolder folder;
  const std::string path = folder.path("fifo");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  class Counting final : public Checkpoint {
   public:
    LinePipeline::Clock::time_point due() const override { return {}; }
    Status save(const DedupCounts&) override {
      ++saves;
      return {};
    }
    std::atomic<int> saves = 0;
  } checkpoint;
  std::thread writer([&] {
    const int fifo = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    EXPECT_EQ(::write(fifo, "a\n", 2), 2);
    while (checkpoint.saves == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    ::close(fifo);
  });
  std::atomic<bool> stop = false;
  InputFiles input({path}, '\n', &stop);
  SeenHashes seen;
  StringSink sink;
  DedupStream stream(seen, sink, {.checkpoint = &checkpoint});
  LinePipeline pipeline(input, stop, {});
  EXPECT_TRUE(stream.run(pipeline));
  writer.join();
  EXPECT_EQ(checkpoint.saves, 1);
}

// Before it is due there is none, whatever comes.
TEST(DedupStream, ACheckpointThatIsNotDueIsNotReached) {
  const TestFolder folder;
  folder.write("a", "1\n2\n3\n");
  class Never final : public Checkpoint {
   public:
    LinePipeline::Clock::time_point due() const override {
      return LinePipeline::Clock::now() + std::chrono::hours(24);
    }
    Status save(const DedupCounts&) override {
      ++saves;
      return {};
    }
    int saves = 0;
  } checkpoint;
  std::atomic<bool> stop = false;
  InputFiles input({folder.path("a")}, '\n', &stop);
  SeenHashes seen;
  StringSink sink;
  DedupStream stream(seen, sink, {.checkpoint = &checkpoint});
  LinePipeline pipeline(input, stop, {});
  EXPECT_TRUE(stream.run(pipeline));
  EXPECT_EQ(checkpoint.saves, 0);
  EXPECT_EQ(sink.out, "1\n2\n3\n");
}

}  // namespace
}  // namespace bloomery
