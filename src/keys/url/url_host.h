// The host of a URL in its canonical spelling.
//
//   host                      canonical
//   [2001:DB8:0:0::1]         [2001:db8::1]: the address in RFC 5952's form, always in hexadecimal
//   [v7.Name]                 [v7.name]: lower case (IPvFuture)
//   WWW.Example.COM.          www.example.com.: lower case; triplets as in other components; a dot at the
//                             end stays
//   b%C3%BCcher.example       xn--bcher-kva.example: anything not ASCII, encoded or not, is a name and
//   bücher.example            becomes ASCII by UTS #46, non-transitional
//
// A name with bytes that are not ASCII must be valid UTF-8 that UTS #46 and IDNA 2008 allow. The result must
// be letters, digits, "-", "_" and "." only, since UTS #46 maps a full-width solidus to "/", which would move
// the host's end. ASCII names are not examined further: "xn--" is not decoded, no length is checked, and
// numbers are not addresses.
//
// Source: RFC 3986, sections 3.2.2 and 6.2.2; RFC 5952; UTS #46, through libidn2. canonical_url.h
// handles the port.
#pragma once

#include <string>
#include <string_view>

namespace bloomery {

// Appends the host, which may be empty. Returns false if it is not a valid host; then a part of it may have
// been appended.
bool append_host(std::string& out, std::string_view host);

// Appends the lower-case ASCII form of a name with bytes that are not ASCII. Returns false if it has none.
bool append_international(std::string& out, const std::string& name);

}  // namespace bloomery
