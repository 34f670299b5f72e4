// Names for the replication slot of a feeder.
//
// A new feed into a file receives a unique name, which the leased file records (note_slot() in
// filter_sink.h). So the name stays the same if the file is moved, and two files of the same name never share
// a slot. A feed into a server's key has a name that follows from the table and the key.
#pragma once

#include <string>
#include <string_view>

namespace bloomery::feed {

// Returns "bloomery_users_" and twelve random digits.
std::string new_slot_name(std::string_view table);

// Returns "bloomery_users_users_leased", made of the table and of `place` (a path or a key) after its last
// slash. A feed into a server's key has this name, and so had a feed into a file in earlier versions.
std::string slot_name_of(std::string_view table, std::string_view place);

}  // namespace bloomery::feed
