// A descriptor as a source: all of it, the system's refusals, and where a stop ends it.
#include "base/byte_source.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "chunked_source.h"
#include "signals.h"
#include "test_bytes.h"

namespace bloomery {
namespace {

// A pipe whose ends are closed with it.
struct Pipe {
  Pipe() { EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0); }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    ::close(ends[0]);
    close_writer();
  }
  void write(std::string_view text) const {
    EXPECT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void close_writer() {
    if (ends[1] >= 0) {
      ::close(ends[1]);
    }
    ends[1] = -1;
  }
  std::array<int, 2> ends{};
};

std::string read_some(ByteSource& source, std::size_t room) {
  Bytes out(room);
  const Result<std::size_t> count = source.read(out);
  EXPECT_TRUE(count) << count.error().to_string();
  return text_of(std::span(out).first(*count));
}

TEST(DescriptorSource, GivesWhatThereIsThenTheEnd) {
  Pipe pipe;
  const auto source = descriptor_source(pipe.ends[0], "pipe");
  pipe.write("hello");
  EXPECT_EQ(read_some(*source, 3), "hel");
  EXPECT_EQ(read_some(*source, 100), "lo") << "does not wait for more than there is";
  pipe.close_writer();
  EXPECT_EQ(read_some(*source, 100), "");
  EXPECT_EQ(read_some(*source, 100), "") << "the end stays the end";
}

TEST(DescriptorSource, LeavesTheDescriptorOpen) {
  const Pipe pipe;
  descriptor_source(pipe.ends[0], "pipe").reset();
  EXPECT_NE(::fcntl(pipe.ends[0], F_GETFD), -1);
}

TEST(DescriptorSource, TheSystemsRefusalNamesTheSource) {
  const int directory = ::open("/", O_RDONLY | O_CLOEXEC);
  Bytes out(10);
  const Result<std::size_t> count = descriptor_source(directory, "a folder")->read(out);
  ::close(directory);
  ASSERT_FALSE(count);
  EXPECT_EQ(count.error().to_string(), "a folder: read: Is a directory (I/O error)");
}

TEST(DescriptorSource, AStopEndsItEvenWithBytesToCome) {
  const Pipe pipe;
  std::atomic<bool> stop = false;
  const auto source = descriptor_source(pipe.ends[0], "pipe", &stop);
  pipe.write("hello");
  EXPECT_EQ(read_some(*source, 3), "hel");
  stop = true;
  EXPECT_EQ(read_some(*source, 3), "");
}

// Were the flag not asked again, this would wait for ever.
TEST(DescriptorSource, AStopByASignalEndsAWaitingRead) {
  const Pipe pipe;
  const auto source = descriptor_source(pipe.ends[0], "pipe", &stop_by_signal);
  const Signals signals(OnSignal::kStop);
  EXPECT_EQ(read_some(*source, 100), "");
  EXPECT_TRUE(stop_by_signal);
}

TEST(DescriptorSource, OtherSignalsDoNotDisturbAWaitingRead) {
  const Pipe pipe;
  const auto source = descriptor_source(pipe.ends[0], "pipe", &stop_by_signal);
  const Signals signals(OnSignal::kNote);
  std::thread writer([&pipe] {
    while (signals_seen < 3) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    pipe.write("hello");
  });
  EXPECT_EQ(read_some(*source, 100), "hello");
  writer.join();
}

TEST(MemorySource, GivesItsBytesThenTheEnd) {
  const std::string text = "seven";
  const auto source = memory_source(bytes_of(text));
  EXPECT_EQ(read_some(*source, 3), "sev");
  EXPECT_EQ(read_some(*source, 3), "en");
  EXPECT_EQ(read_some(*source, 3), "");
}

TEST(ReadFully, GoesOnUntilItIsFullOrAtTheEnd) {
  Bytes out(4);
  ChunkedSource source({"o", "ne", "and", "two"});
  EXPECT_EQ(read_fully(source, out).value_or(0), 4u);
  EXPECT_EQ(text_of(out), "onea");
  EXPECT_EQ(read_fully(source, out).value_or(0), 4u);
  EXPECT_EQ(read_fully(source, out).value_or(0), 1u);
  EXPECT_EQ(read_fully(source, out).value_or(9), 0u);
  ChunkedSource failing({"on"}, no_more_reads());
  EXPECT_FALSE(read_fully(failing, out));
}

}  // namespace
}  // namespace bloomery
