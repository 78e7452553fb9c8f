"""The sources of settings: flags, ``PLANTSTORE_*`` variables and a TOML file.

Invariant: every error names the flag, the variable or the key as it was given, and what is allowed.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_origin

import msgspec
from msgspec import Struct, inspect

from plantstore.errors import SetupError

PREFIX = "PLANTSTORE_"
SETTINGS_FILE = f"{PREFIX}SETTINGS"
_FILE = "_FILE"
_UTF_8 = "utf-8-sig"  # some editors write a byte order mark
_BOOLEANS = {"yes": True, "no": False}  # beside those that msgspec knows
_WORDS = {inspect.BoolType: "true or false", inspect.VarTupleType: "a list of texts"}

# What Kubernetes sets in every container for Services named plantstore or plantstore-something.
_OF_SERVICE = re.compile(
    r"(\w+_)?(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)"
)
_PORT_OF_SERVICE = re.compile(r"(\w+_)?PORT")
_URL_OF_SERVICE = re.compile(r"(tcp|udp|sctp)://.*")


class Given(Struct, frozen=True):
    """A value, and the name of its source, such as ``--port`` or ``PLANTSTORE_PORT``."""

    value: object
    origin: str
    is_shown: bool = True


def read_flags(flags: Mapping[str, object]) -> dict[str, Given]:
    """The flags that are given, by the settings' names."""
    return {
        name: Given(value, f"--{name.replace('_', '-')}")
        for name, value in flags.items()
        if value not in (None, "")
    }


def read_environment(environ: Mapping[str, str], names: Sequence[str]) -> dict[str, Given]:
    """The values of these settings' variables; an empty one is ignored.

    :raises SetupError: a variable's file cannot be read, or both are set.
    """
    found = {name: _read_variable(PREFIX + name.upper(), environ) for name in names}
    return {name: given for name, given in found.items() if given is not None}


def read_file(path: str | None) -> dict[str, Given]:
    """The values in the TOML file, if there is one.

    :raises SetupError: it cannot be read.
    """
    if not path:
        return {}
    import tomllib  # noqa: PLC0415 - 3 ms that a start without a file need not take

    try:
        values = tomllib.loads(Path(path).read_text(encoding=_UTF_8))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SetupError(f"cannot read the settings file {path}: {error}") from None
    return {name: Given(value, f"{name} in {path}") for name, value in values.items()}


def convert(given: Given, hint: Any) -> Any:  # noqa: ANN401 - any type
    """The value, converted to this type.

    :raises SetupError: it cannot be.
    """
    try:
        return msgspec.convert(_interpret(given.value, hint), hint, strict=False)
    except msgspec.ValidationError:
        shown = f"is {given.value!r}, but" if given.is_shown else "has a file whose content"
        raise SetupError(f"{given.origin} {shown} must be {describe_type(hint)}") from None


def describe_type(hint: Any) -> str:  # noqa: ANN401 - any type
    """The values of a type, in words."""
    return _describe(inspect.type_info(hint))


def find_unknown(environ: Mapping[str, str], names: Sequence[str]) -> list[str]:
    """A sentence for each unknown ``PLANTSTORE_*`` variable, with the nearest known one."""
    known = {name.upper() for name in names}
    known |= {name + _FILE for name in known} | {SETTINGS_FILE.removeprefix(PREFIX)}
    return [
        _describe_unknown(variable.removeprefix(PREFIX), known)
        for variable in sorted(environ)
        if variable.startswith(PREFIX)
        and variable.removeprefix(PREFIX) not in known
        and not _is_of_service(variable, environ[variable])
    ]


def _read_variable(variable: str, environ: Mapping[str, str]) -> Given | None:
    """The variable's value, else the content of the file in its ``_FILE``."""
    value, file = environ.get(variable, "").strip(), environ.get(variable + _FILE)
    if _is_of_service(variable, value):
        value = ""
    if value and file:
        raise SetupError(f"{variable} and {variable}{_FILE} are both set: unset one of them")
    if file:
        content = _read_secret(variable + _FILE, file)
        return Given(content, variable + _FILE, is_shown=False) if content else None
    return Given(value, variable) if value else None


def _read_secret(variable: str, file: str) -> str:
    try:
        return Path(file).read_text(encoding=_UTF_8).strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SetupError(f"{variable} names a file that cannot be read: {error}") from None


def _is_of_service(variable: str, value: str) -> bool:
    name = variable.removeprefix(PREFIX)
    if _OF_SERVICE.fullmatch(name):
        return True
    return bool(_PORT_OF_SERVICE.fullmatch(name) and _URL_OF_SERVICE.fullmatch(value))


def _describe_unknown(name: str, known: set[str]) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - seldom needed

    nearest = get_close_matches(name, sorted(known), 1)
    advice = f"; did you mean {PREFIX}{nearest[0]}?" if nearest else ""
    return f"{PREFIX}{name} is not a setting{advice}"


def _interpret(value: object, hint: Any) -> object:  # noqa: ANN401 - any type
    """Split the text of a list at commas and spaces; read the yes and no of a boolean."""
    if not isinstance(value, str):
        return value
    plain = getattr(hint, "__origin__", hint)  # without its description
    if get_origin(plain) is tuple:
        return tuple(value.replace(",", " ").split())
    return _BOOLEANS.get(value.lower(), value) if plain is bool else value


def _describe(kind: inspect.Type) -> str:
    match kind:
        case inspect.Metadata():
            return _describe(kind.type)
        case inspect.UnionType():  # a type or None
            return _describe(kind.types[0])
        case inspect.IntType():
            return "a whole number" + _describe_bounds(kind)
        case inspect.FloatType():
            return "a number" + _describe_bounds(kind)
        case inspect.LiteralType():
            return " or ".join(map(str, kind.values))
    return _WORDS.get(type(kind), "text")


def _describe_bounds(kind: inspect.IntType | inspect.FloatType) -> str:
    bounds = (("above", kind.gt), ("at least", kind.ge), ("below", kind.lt), ("at most", kind.le))
    said = [f"{words} {bound}" for words, bound in bounds if bound is not None]
    return f", {' and '.join(said)}" if said else ""
