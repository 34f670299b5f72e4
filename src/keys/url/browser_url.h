// A URL as browsers read it: what they, and Safe Browsing, take for the same host has one spelling here.
//
//   in the text                          becomes
//   blanks and controls around it        nothing; so do tabs and line ends inside
//   http:host, http:/host, http:\\host   http://host/
//   \ before the query                   /
//   a@b@host:80                          host: what stands behind the last @, without its port
//   %68ost, %2568ost                     host: triplets are decoded until none is left
//   letters that are not ASCII           A-labels, as url_host.h makes them
//   .a..b.                               a.b (Safe Browsing; a browser asks for a name that cannot exist)
//   3279880203, 0xc37f000b, 0303.127.11  195.127.0.11: decimal, octal and hexadecimal parts, the last one with all bytes left
//   [::ffff:195.127.0.11]                195.127.0.11: the same machine
//   % without two digits, controls       their triplet, in path and query
//
// This is not a canonical URL: canonical_url.h makes one of it. Scheme, userinfo, port and fragment are left out. Not here:
// what Safe Browsing does to a path (it decodes its triplets repeatedly, and takes // for /).
//
// Source: WHATWG URL, "host parser", "IPv4 parser", and "basic URL parser" for special schemes; the documentation of the Safe
// Browsing APIs v4, "URLs and Hashing", section "Canonicalization".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bloomery {

// Returns true only if a browser reads the text as it stands: its URL and browser_url() have the same host, path and query. That
// is a look at the host, and nearly every URL is such a one.
bool is_plain_url(std::string_view text);

// Returns the URL under http, or nothing if no browser would take it for one of http, https, ftp, ws or wss with a host. A
// text without a scheme is taken for one of http.
std::optional<std::string> browser_url(std::string_view text);

}  // namespace bloomery
