"""The text that a value of Python has as the key of a row, for filters that `bloomery feed postgres` keeps."""

from __future__ import annotations

import datetime
import decimal
import functools
import ipaddress
import numbers
import uuid


def _without_zeros(text: str) -> str:
    """Returns the text of a time as PostgreSQL prints it: a fraction does not end with zeros."""
    return text.rstrip("0") if "." in text else text


def _text_of_ipv6(address: ipaddress.IPv6Address) -> str:
    """Returns the address as PostgreSQL prints it.

    The last two groups are printed as an IPv4 address after ::ffff, and if they are the only ones and the first of them is
    not 0.
    """
    if address.scope_id is not None:
        raise ValueError(f"expected an address without a scope, found {address}")
    high, low = int(address) >> 32, int(address) & 0xFFFFFFFF
    if high == 0xFFFF:
        return f"::ffff:{ipaddress.IPv4Address(low)}"
    if high == 0 and low > 0xFFFF:
        return f"::{ipaddress.IPv4Address(low)}"
    return str(address)


@functools.singledispatch
def key_of(value: object) -> str:
    """Returns the text of a value as a key of a row, as docs/guard.md lists it by type of PostgreSQL.

    bool                      t or f
    int                       the decimal digits
    Decimal                   all of its digits; the column's scale must be that of the value
    str                       the str itself
    bytes                     \\x and hexadecimal digits, as a bytea
    UUID                      lower case, with hyphens
    date, time                ISO 8601
    datetime without a zone   a timestamp: 2026-02-03 04:05:06.5
    datetime with a zone      a timestamptz, in UTC: 2026-02-03 04:05:06.5+00
    IPv4Address, ...          an inet; a network is a cidr or an inet with its prefix length

    Anything else is a TypeError, also a float and None. For a composite key pass a tuple of such texts to the filter.

    >>> from datetime import datetime, timedelta, timezone
    >>> key_of(datetime(2026, 2, 3, 5, 5, 6, 500000, timezone(timedelta(hours=1))))
    '2026-02-03 04:05:06.5+00'
    >>> key_of(True), key_of(-7), key_of(b"\\0\\xff")
    ('t', '-7', '\\\\x00ff')
    """
    raise TypeError(f"expected a value whose column may be a key, found {type(value).__name__}")


@key_of.register
def _(value: str) -> str:
    return str(value)


@key_of.register
def _(value: bool) -> str:
    return "t" if value else "f"


@key_of.register(numbers.Integral)
def _(value: int) -> str:
    return str(int(value))


@key_of.register
def _(value: decimal.Decimal) -> str:
    if not value.is_finite():
        raise ValueError(f"expected a finite number, found {value}")
    return format(value if value else value.copy_abs(), "f")


@key_of.register(bytes)
@key_of.register(bytearray)
@key_of.register(memoryview)
def _(value: bytes | bytearray | memoryview) -> str:
    return "\\x" + bytes(value).hex()


@key_of.register
def _(value: uuid.UUID) -> str:
    return str(value)


@key_of.register
def _(value: datetime.datetime) -> str:
    if value.utcoffset() is None:
        return _without_zeros(value.replace(tzinfo=None).isoformat(" "))
    utc = value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    return _without_zeros(utc.isoformat(" ")) + "+00"


@key_of.register
def _(value: datetime.date) -> str:
    return value.isoformat()


@key_of.register
def _(value: datetime.time) -> str:
    if value.tzinfo is not None:
        raise ValueError("expected a time without a zone: columns of the type timetz are refused as keys")
    return _without_zeros(value.isoformat())


@key_of.register
def _(value: ipaddress.IPv4Address) -> str:
    return str(value)


@key_of.register
def _(value: ipaddress.IPv6Address) -> str:
    return _text_of_ipv6(value)


@key_of.register(ipaddress.IPv4Interface)
@key_of.register(ipaddress.IPv6Interface)
def _(value: ipaddress.IPv4Interface | ipaddress.IPv6Interface) -> str:
    return f"{key_of(value.ip)}/{value.network.prefixlen}"


@key_of.register(ipaddress.IPv4Network)
@key_of.register(ipaddress.IPv6Network)
def _(value: ipaddress.IPv4Network | ipaddress.IPv6Network) -> str:
    return f"{key_of(value.network_address)}/{value.prefixlen}"
