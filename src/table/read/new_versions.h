// Decides which cells are hidden in a family with NEW_VERSION_BEHAVIOR. A marker hides only puts that were
// written before it. A put counts as a version only while no later marker has hidden it.
//
// The order of writing is the mvcc. The DeleteFamily and DeleteColumn markers of a column divide it into
// segments:
//
//   mvcc     3            9             later
//        ----|------------|-------------------
//          segment of     segment of     last segment
//          marker 3       marker 9
//
// A put belongs to the first segment that does not end before it, and to all later ones. In each segment:
//
//   1. The markers of single versions divide it again. Each such division has the set of puts that were
//      visible then. If the set is full (VERSIONS), the put is masked; otherwise it joins the set.
//   2. A marker of the put's version that is not older than the put hides it.
//   3. The segment's own marker hides it if the put's timestamp is not above the marker's.
//
// A put with the timestamp of the previous put was overwritten: it is masked, and counts only up to the newer
// one's mvcc.
//
// The column without a name is an exception, as in HBase. A row begins in it, and HBase copies the family's
// markers only when the column changes. So they hide nothing in it, and no put in it is masked. The usual
// rules apply only to a row that begins with a marker of this column.
//
// Source: HBase 2.6, NewVersionBehaviorTracker.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "bloomery/hfile/cell.h"

namespace bloomery::table {

class NewVersions {
 public:
  explicit NewVersions(std::int32_t versions) : versions_(static_cast<std::size_t>(versions)) {}

  void start_row();
  // Precondition: the cell is a marker.
  void add(const Cell& marker);
  // Returns true if a put is hidden or masked. Call it once for each put.
  bool hides(const Cell& put);

 private:
  using Mvccs = std::set<std::int64_t>;

  struct Segment {
    std::int64_t time = kOldestTimestamp;        // of its marker
    std::map<std::int64_t, Mvccs> deleted = {};  // the mvccs of markers, by the version's timestamp
    std::map<std::int64_t, Mvccs> visible = {};  // the mvccs of puts, by the mvcc of the next marker

    Segment();
    explicit Segment(std::int64_t marker_time) : Segment() { time = marker_time; }
    void delete_version(const Cell& marker);
  };
  using Segments = std::map<std::int64_t, Segment>;  // by the mvcc of their markers

  std::optional<std::int64_t> enter(const Cell& cell);

  std::size_t versions_;
  Segments of_family_;
  Segments of_column_;                // empty in the column without a name
  std::string column_;                // a row begins in the column without a name
  std::optional<CellKey> last_ = {};  // only timestamp and type count
  std::int64_t last_mvcc_ = 0;
};

}  // namespace bloomery::table
