// Prints those of its arguments that may be in a filter that a Java program wrote with Guava.
//   ./in_guava filter.bf apple banana
#include <bloomery/dialects/dialects.h>
#include <iostream>

int main(int argument_count, char** arguments) {
  if (argument_count < 2) {
    std::cerr << "usage: in_guava FILTER KEY...\n";
    return 2;
  }
  auto filter = bloomery::open_dialect(arguments[1], "guava");
  if (!filter) {
    std::cerr << filter.error().to_string() << '\n';
    return 2;
  }
  for (int i = 2; i < argument_count; ++i) {
    if ((*filter)->may_contain(arguments[i])) {
      std::cout << arguments[i] << '\n';
    }
  }
  return 0;
}
