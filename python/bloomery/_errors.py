"""The exceptions of the package. Each has a code, the file or the part of a format, and the byte offset."""

from __future__ import annotations


class Error(Exception):
    """An error of the library.

    code     "corruption", "not found" and so on
    subject  the file, or the part of a format or of a call
    offset   the byte in the subject, or None
    """

    code = "internal"
    subject = ""
    offset: int | None = None


class CorruptionError(Error):
    """Bytes that no writer of the format can have left there."""


class UnsupportedError(Error):
    """Well-formed bytes of a version, a type or a form that this build does not know."""


class InvalidArgumentError(Error, ValueError):
    """A value that no call can serve."""


class NotFoundError(Error, FileNotFoundError):
    """A file that does not exist."""


class IoError(Error, OSError):
    """The operating system refused."""


class CapacityError(Error):
    """More keys, or more memory, than was agreed or exists."""


class FullError(CapacityError):
    """The filter refused keys; these are not in."""


_CLASSES = {
    "corruption": CorruptionError,
    "unsupported": UnsupportedError,
    "invalid argument": InvalidArgumentError,
    "not found": NotFoundError,
    "i/o error": IoError,
    "capacity": CapacityError,
    "full": FullError,
}


def make(code: str, message: str, subject: str, offset: int | None, errno: int) -> Error:
    """Returns the exception of an error of the library."""
    error = _CLASSES.get(code, Error)(message)
    error.code = code
    error.subject = subject
    error.offset = offset
    if errno and isinstance(error, OSError):
        error.errno = errno
    return error
