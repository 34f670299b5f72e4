// Prints every line of its input that it has not seen before. It takes about one new line in a thousand for a
// repeat.
// This is the library in thirty lines.
//   printf 'a\nb\na\n' | ./seen        prints a, b
#include <bloomery/filter/bloom_filter.h>
#include <iostream>
#include <string>

int main() {
  auto filter = bloomery::BloomFilter::for_capacity(1'000'000, 0.001);
  if (!filter) {
    std::cerr << filter.error().to_string() << '\n';
    return 2;
  }
  for (std::string line; std::getline(std::cin, line);) {
    if (filter->test_and_insert(line)) {
      std::cout << line << '\n';
    }
  }
  std::cerr << filter->inserted() << " lines, about " << static_cast<long>(filter->estimated_count())
            << " different\n";
  return 0;
}
