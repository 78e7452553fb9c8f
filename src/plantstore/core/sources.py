"""The sources of settings: flags, ``PLANTSTORE_*`` variables and a TOML file.

The service and every command read the same file.

Invariant: every error names the flag, the variable or the key as it was given, and what is allowed.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeVar, get_origin

import msgspec
from msgspec import Struct, inspect

from plantstore.core.errors import SetupError, UsageError, find_similar

PREFIX = "PLANTSTORE_"
SETTINGS_FILE = f"{PREFIX}SETTINGS"
_FILE = "_file"
SYSTEM_FILE = "/etc/plantstore/plantstore.toml"
_UTF_8 = "utf-8-sig"  # some editors write a byte order mark
_SECRETS = frozenset({"token", "webhook_key"})  # never shown in messages
_BOOLEANS = {"yes": True, "no": False}  # in addition to those of msgspec
_WORDS = {inspect.BoolType: "true or false", inspect.VarTupleType: "a list of texts"}

# Kubernetes sets these in every container for Services named plantstore or plantstore-something.
_OF_SERVICE = re.compile(
    rf"{PREFIX}(\w+_)?(SERVICE_HOST=|SERVICE_PORT(_\w+)?=|PORT=(tcp|udp|sctp)://|"
    r"PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?=)"
)

T = TypeVar("T", bound=Struct)


class Given(Struct, frozen=True):
    """A value, its kind of source, and the source's name: ``--port`` or ``PLANTSTORE_PORT``."""

    value: object
    source: Literal["flag", "variable", "file"]
    origin: str
    is_shown: bool = True


class Sources:
    """Where settings are read from; ``file`` is the settings file, by default the one found.

    The first non-empty value wins: the flag, the variable, the file named by the variable with
    ``_FILE``, the settings file, the file named by its key with ``_file``.
    """

    def __init__(
        self, flags: Mapping[str, object], environ: Mapping[str, str], file: str | None = None
    ) -> None:
        self.flags = flags
        self.file = file or environ.get(SETTINGS_FILE) or find_settings_file(environ)
        self._environ = environ

    @cached_property
    def in_file(self) -> Mapping[str, object]:
        """The values in the settings file, if there is one.

        :raises SetupError: it cannot be read.
        """
        if not self.file:
            return {}
        import tomllib  # noqa: PLC0415 - 3 ms that a start without a file need not take

        try:
            return tomllib.loads(Path(self.file).read_text(encoding=_UTF_8))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            advice = ""
            if isinstance(error, PermissionError) and self.file == SYSTEM_FILE:
                advice = "; run the command as the service's user, or name another with --settings"
            reason = f"{error.strerror if isinstance(error, OSError) else error}{advice}"
            raise SetupError(f"cannot read the settings file {self.file}: {reason}") from None

    def find(self, name: str) -> Given | None:
        """The given value of a setting.

        :raises SetupError: a source cannot be read, or a variable and its file are both set.
        """
        if (flag := self.flags.get(name)) not in (None, ""):
            option = name.removesuffix("s") if isinstance(flag, tuple) else name  # repeatable
            return Given(flag, "flag", f"--{option.replace('_', '-')}")
        variable = PREFIX + name.upper()
        value, file = self._environ.get(variable, "").strip(), variable + _FILE.upper()
        if _OF_SERVICE.match(f"{variable}={value}"):
            value = ""
        is_shown = name not in _SECRETS
        of_variable = Given(value, "variable", variable, is_shown)
        if given := _choose(of_variable, file, self._environ.get(file)):
            return given
        of_key = Given(self.in_file.get(name, ""), "file", f"{name} in {self.file}", is_shown)
        named = self.in_file.get(name + _FILE)
        path = named and Path(self.file or "").parent / str(named)
        return _choose(of_key, f"{name}{_FILE} in {self.file}", path)

    def read(self, kind: type[T], *names: str) -> T:
        """The settings of a struct, or only those with these names; the others may then be invalid.

        :raises SetupError: a source cannot be read, or a value is not valid.
        """
        types = setting_types(kind)
        values = {name: value for name in names or types if (value := self.find(name))}
        return kind(**{name: _convert(value, types[name]) for name, value in values.items()})


def find_settings_file(environ: Mapping[str, str]) -> str | None:
    """The user's settings file, else the system's, else None. It may be unreadable."""
    folder = environ.get("XDG_CONFIG_HOME") or Path(environ.get("HOME", "/"), ".config")
    own = Path(folder, "plantstore", "plantstore.toml")
    if os.path.exists(own):  # noqa: PTH110 - Path's raises where a folder cannot be searched
        return str(own)
    try:
        return SYSTEM_FILE if Path(SYSTEM_FILE).exists() else None
    except PermissionError:
        return SYSTEM_FILE


def setting_types(kind: type[Struct]) -> dict[str, Any]:
    """The types of a struct's settings: the fields with a description, which is the last text."""
    hints = kind.__annotations__
    return {name: hint for name, hint in hints.items() if hasattr(hint, "__metadata__")}


def find_unknown(environ: Mapping[str, str], names: Iterable[str]) -> Iterator[str]:
    """A sentence for each unknown ``PLANTSTORE_*`` variable, with the most similar name."""
    known = {name.upper() for name in names}
    known |= {name + _FILE.upper() for name in known} | {SETTINGS_FILE.removeprefix(PREFIX)}
    for variable, value in sorted(environ.items()):
        name = variable.removeprefix(PREFIX)
        is_ours = variable.startswith(PREFIX) and not _OF_SERVICE.match(f"{variable}={value}")
        if is_ours and name not in known:
            similar = find_similar(name, sorted(known))
            advice = f"; did you mean {PREFIX}{similar}?" if similar else ""
            yield f"{variable} is not a setting{advice}"


def _choose(given: Given, origin: str, path: object) -> Given | None:
    """The given value unless it is empty, or else the content of the file named by this origin."""
    if not path:
        return None if given.value == "" else given
    if given.value != "":
        raise SetupError(f"{given.origin} and {origin} are both set: unset one of them")
    try:
        content = Path(str(path)).read_text(encoding=_UTF_8).strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise SetupError(f"{origin} names {path}, which cannot be read: {reason}") from None
    if not content:
        raise SetupError(f"{origin} names an empty file: write the value into {path}")
    return Given(content, given.source, origin, is_shown=False)


def _convert(given: Given, hint: Any) -> Any:  # noqa: ANN401 - any type
    """Convert the value to this type; text for a list is split at commas and spaces."""
    value = given.value
    if isinstance(value, str) and get_origin(hint.__origin__) is tuple:
        value = tuple(value.replace(",", " ").split())
    elif isinstance(value, str) and hint.__origin__ is bool:
        value = _BOOLEANS.get(value.lower(), value)
    try:
        return msgspec.convert(value, hint, strict=False)
    except msgspec.ValidationError:
        text = " ".join(given.value) if isinstance(given.value, tuple) else given.value
        shown = f"is {text!r}, but" if given.is_shown else "has a value that"
        allowed = _describe(inspect.type_info(hint))
        kind = UsageError if given.source == "flag" else SetupError
        raise kind(f"{given.origin} {shown} must be {allowed}") from None


def _describe(kind: inspect.Type) -> str:
    """The allowed values of a type, in words."""
    match kind:
        case inspect.Metadata(extra_json_schema={"description": str(words)}):
            return words
        case inspect.Metadata():
            return _describe(kind.type)
        case inspect.UnionType():  # a type or None
            return _describe(kind.types[0])
        case inspect.IntType() | inspect.FloatType():
            words = "a whole number" if isinstance(kind, inspect.IntType) else "a number"
            bounds = (("above", kind.gt), ("at least", kind.ge), ("at most", kind.le))
            return f"{words}, {' and '.join(f'{name} {n}' for name, n in bounds if n is not None)}"
        case inspect.LiteralType():
            return " or ".join(map(str, kind.values))
    return _WORDS.get(type(kind), "text")
