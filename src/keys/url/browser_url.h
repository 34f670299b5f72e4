// Reads a URL like browsers do: texts that browsers and Safe Browsing resolve to the same host get one
// spelling here.
//
//   in the text                          becomes
//   blanks and controls around it        nothing; tabs and line ends inside are dropped too
//   http:host, http:/host, http:\\host   http://host/
//   \ before the query                   /
//   a@b@host:80                          host: the text after the last @, without its port
//   %68ost, %2568ost                     host: triplets are decoded until none is left
//   letters that are not ASCII           A-labels, made by url_host.h
//   .a..b.                               a.b (Safe Browsing; a browser asks for a name that cannot exist)
//   3279880203, 0xc37f000b, 0303.127.11  195.127.0.11: decimal, octal and hexadecimal parts; the last part
//                                        supplies all remaining bytes
//   [::ffff:195.127.0.11]                195.127.0.11: the same machine
//   % without two digits, controls       their triplet, in path and query
//
// The result is not a canonical URL: canonical_url.h converts it to one. Scheme, userinfo, port and fragment
// are dropped. Not here: Safe Browsing's changes of a path (it decodes triplets repeatedly, and replaces //
// by /).
//
// Source: WHATWG URL, "host parser", "IPv4 parser", and "basic URL parser" for special schemes; the
// documentation of the Safe Browsing APIs v4, "URLs and Hashing", section "Canonicalization".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bloomery {

// Returns true only if a browser reads the text unchanged: its URL and browser_url() have the same host, path
// and query. The check inspects only the host, and accepts nearly every URL.
bool is_plain_url(std::string_view text);

// Returns the URL with the scheme http, or nothing if no browser would read it as a URL of http, https, ftp,
// ws or wss with a host. A text without a scheme is read as http.
std::optional<std::string> browser_url(std::string_view text);

}  // namespace bloomery
