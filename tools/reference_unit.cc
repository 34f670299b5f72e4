// The unit of scripts/build-cost. It is compiled together with the project, and costs are divided by its
// cost, so that figures of two machines are comparable. It includes only the standard library and never
// changes, because otherwise the recorded figures would lose their meaning.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

namespace reference {

using Words = std::map<std::string, std::vector<std::size_t>>;

Words words_of(const std::string& text, const std::string& pattern) {
  Words words;
  const std::regex expression(pattern);
  for (std::sregex_iterator at(text.begin(), text.end(), expression), end; at != end; ++at) {
    words[at->str()].push_back(static_cast<std::size_t>(at->position()));
  }
  return words;
}

std::string report(const Words& words) {
  std::vector<std::pair<std::size_t, std::string>> counts;
  for (const auto& [word, places] : words) {
    counts.emplace_back(places.size(), word);
  }
  std::sort(counts.begin(), counts.end(), std::greater<>());
  std::ostringstream out;
  for (const auto& [count, word] : counts) {
    out << word << ' ' << count << '\n';
  }
  return out.str();
}

std::unordered_map<std::string, std::uintmax_t> sizes_below(const std::filesystem::path& folder) {
  std::unordered_map<std::string, std::uintmax_t> sizes;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      sizes.emplace(entry.path().string(), entry.file_size());
    }
  }
  return sizes;
}

std::vector<double> sample(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> values(count);
  std::generate(values.begin(), values.end(), [&] { return normal(random); });
  std::stable_sort(values.begin(), values.end());
  return values;
}

}  // namespace reference
