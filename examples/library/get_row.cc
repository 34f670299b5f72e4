// Prints the cells of a row from HBase's files, and says which files it did not need to read.
//   ./get_row row-00001 store1.hfile store2.hfile
#include <bloomery/table/get.h>
#include <iostream>
#include <string>
#include <vector>

int main(int argument_count, char** arguments) {
  if (argument_count < 3) {
    std::cerr << "usage: get_row ROW HFILE...\n";
    return 2;
  }
  const std::vector<std::string> paths(arguments + 2, arguments + argument_count);
  auto get = bloomery::RowGet::open(paths, arguments[1], {}, bloomery::ExplainSkips::kYes);
  if (!get) {
    std::cerr << get.error().to_string() << '\n';
    return 2;
  }
  auto found = get->next();
  for (; found && *found; found = get->next()) {
    const bloomery::Cell& cell = get->cell();
    std::cout << cell.key.family << ':' << cell.key.qualifier << ' ' << cell.value << '\n';
  }
  for (const bloomery::FileOfGet& file : get->files()) {
    if (file.skipped_by != bloomery::SkippedBy::kNothing) {
      std::cerr << file.path << ": " << file.reason << '\n';
    }
  }
  if (!found) {
    std::cerr << found.error().to_string() << '\n';
    return 2;
  }
  return 0;
}
