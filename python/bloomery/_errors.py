"""The exceptions of the package. Each has a code, the file or the part of a format, and the byte offset."""

from __future__ import annotations

import errno as _errno
import os
from typing import Any


class Error(Exception):
    """An error of the library.

    code     "corruption", "not found" and so on
    subject  the file, or the part of a format or of a call
    offset   the byte in the subject, or None

    Those that are an OSError have errno, strerror and filename, too. All of this survives pickling.
    """

    code = "internal"
    subject = ""
    offset: int | None = None

    def __str__(self) -> str:  # that of OSError would print errno and filename instead
        return " ".join(map(str, self.args))

    def __reduce__(self) -> tuple[Any, ...]:
        system = (self.errno, self.strerror, self.filename) if isinstance(self, OSError) else ()
        return _restored, (type(self), self.args, *system), dict(self.__dict__)


class CorruptionError(Error):
    """Bytes that no writer of the format can have left there."""


class UnsupportedError(Error):
    """Well-formed bytes of a version, a type or a form that this build does not know."""


class InvalidArgumentError(Error, ValueError):
    """A value that no call can serve."""


class AlreadyExistsError(InvalidArgumentError, FileExistsError):
    """A file that exists and may not be replaced."""


class NotFoundError(Error, FileNotFoundError):
    """A file that does not exist."""


class IoError(Error, OSError):
    """The operating system refused."""


class NoPermissionError(IoError, PermissionError):
    """The operating system refused, since this process has no right to do that."""


class CapacityError(Error):
    """More keys, or more memory, than was agreed or exists."""


class FullError(CapacityError):
    """The filter refused keys; these are not in."""


# The class of each code: those of the library, and "full". A test asks the library for all of its codes.
_CLASSES: dict[str, type[Error]] = {
    "corruption": CorruptionError,
    "unsupported": UnsupportedError,
    "invalid argument": InvalidArgumentError,
    "not found": NotFoundError,
    "I/O error": IoError,
    "capacity": CapacityError,
    "full": FullError,
}
# The errno values that Python has a class of its own for.
_CLASSES_OF_ERRNO: dict[tuple[str, int], type[Error]] = {
    ("invalid argument", _errno.EEXIST): AlreadyExistsError,
    ("I/O error", _errno.EACCES): NoPermissionError,
    ("I/O error", _errno.EPERM): NoPermissionError,
}


def _restored(kind: type[Error], args: tuple[Any, ...], *system: Any) -> Error:
    error = kind(*args)
    if isinstance(error, OSError):
        error.errno, error.strerror, error.filename = system
    return error


def make(code: str, message: str, subject: str, offset: int | None, errno: int, place: Any) -> Error:
    """Returns the exception of an error of the library. `place` is the file as the caller named it, or None."""
    kind = _CLASSES_OF_ERRNO.get((code, errno), _CLASSES[code])
    if kind is AlreadyExistsError and place is not None:  # a save
        message += "; replace=True replaces it"
    error = kind(message)
    error.code = code
    error.subject = subject
    error.offset = offset
    if isinstance(error, OSError):
        number = errno or (_errno.ENOENT if kind is NotFoundError else _errno.EIO)
        error.errno = number
        error.strerror = os.strerror(number)
        error.filename = subject if place is None else os.fspath(place)
    return error
