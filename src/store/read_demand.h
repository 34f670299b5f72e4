// How many reads of files the gets of a family cost, and how many of them a filter can save. It is counted in
// the files (table/read/asked_reads.h), and taken from there when a file is about to be written.
//
// Old gets fade: 10,000 later ones halve their weight. So a family follows a mix of gets that changes.
//
// The counts are not written to disk, and begin anew when the store is opened.
#pragma once

#include "table/read/store_file.h"

namespace bloomery::store {

// The gets of whole rows, or those of named columns. Files that a get did not reach, since a newer one had
// the answer, are not counted.
struct GetDemand {
  double gets = 0;
  double files = 0;           // files that were read, or that a filter saved
  double without_row = 0;     // of these, files without the row
  double without_column = 0;  // of these, files with the row and without the columns; gets of columns only
};

struct ReadDemand {
  GetDemand rows = {};
  GetDemand columns = {};

  double gets() const { return rows.gets + columns.gets; }
  // Adds newer gets, and fades the older ones.
  void add(const ReadDemand& newer);
};

// Takes the counts of all files. Files without a filter of rows cannot tell if the row of a column is there,
// and neither can a filter of columns that said no: it counts as a row without the column.
ReadDemand take_demand(const table::OpenStore& store);

}  // namespace bloomery::store
