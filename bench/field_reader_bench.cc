// How fast are the parsers of --csv and --json-field alone, beside a delimiter (-d) and blanks (-w)?
//
// Takes the key's field out of 20,000 lines in memory (1 to 6 MB), 101 times, in one thread, and prints the
// median in MB/s of CPU. The lines are: CSV without quotes; CSV with every text quoted, and doubled quotes in
// one field; JSON as programs log it, with the field in an inner object. A parser checks the whole line, so
// the place of the field matters little.
//   build/bench/bench/field_reader_bench
#include <algorithm>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "keys/field_reader.h"
#include "timing.h"

namespace bloomery {
namespace {

constexpr int kPasses = 101;
constexpr int kLines = 20'000;

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

void measure(const char* name, const KeyPlace& place, std::string (*line_of)(int)) {
  std::vector<std::string> lines;
  double bytes = 0;
  for (int i = 0; i < kLines; ++i) {
    lines.push_back(line_of(i));
    bytes += static_cast<double>(lines.back().size() + 1);
  }
  FieldReader reader(place);
  std::vector<std::string_view> parts;
  std::vector<double> speeds;
  std::uint64_t sum = 0;
  for (int pass = 0; pass < kPasses; ++pass) {
    const double start = cpu_seconds();
    for (const std::string& line : lines) {
      sum += reader.select(line, parts) ? parts.front().size() : 0;
    }
    speeds.push_back(bytes / 1e6 / (cpu_seconds() - start));
  }
  g_sink = sum;
  fmt::print("{:28} {:4.0f} bytes a line {:6.0f} MB/s\n", name, bytes / kLines, median(std::move(speeds)));
}

std::string plain_line(int i) {
  return fmt::format("2026-11-21,u{},Somebody,x and z,1234,5.75,/a/b/c/d.html", i);
}
std::string quoted_line(int i) {
  return fmt::format(R"("2026-11-21","u{}","Some ""body""","x, y and z",1234,5.75,"/a/b/c/d.html")", i);
}
std::string blank_line(int i) {
  return fmt::format("2026-11-21  u{}   Somebody  1234   5.75  /a/b/c/d.html", i);
}
std::string json_line(int i) {
  std::string line = fmt::format(
      "{{'ts':'2026-11-21T20:00:00Z','level':'info','user':{{'id':'u{}','name':'Somebody Or Other','tags':"
      "['a','b','c']}},'request':{{'method':'GET','path':'/a/b/c/"
      "d.html','status':200,'bytes':12345,'ms':1.25}},"
      "'agent':'Mozilla/5.0 (X11; Linux x86_64)'}}",
      i);
  std::ranges::replace(line, '\'', '"');
  return line;
}

void measure_all() {
  const FieldList second = {{2, 2}};
  measure("-d , -k 2", {.fields = second, .delimiter = ','}, plain_line);
  measure("-w -k 2", {.fields = second, .split = Split::kBlanks}, blank_line);
  measure("--csv -k 2, no quotes", {.fields = second, .delimiter = ',', .split = Split::kCsv}, plain_line);
  measure("--csv -k 2, quotes", {.fields = second, .delimiter = ',', .split = Split::kCsv}, quoted_line);
  measure("--json-field user.id", {.split = Split::kJson, .json_path = {"user", "id"}}, json_line);
}

}  // namespace
}  // namespace bloomery

int main() {
  bloomery::measure_all();
}
