"""Texts that look like numbers but are not an int64, for ids and limits."""

NINES = "9" * 40
TOO_LARGE = (
    "9223372036854775808",
    "-9223372036854775809",
    "18446744073709551617",
    NINES,
    f"-{NINES}",
)
VERY_LONG = "1" + "0" * 5000
# Integers in JSON, so a body's id may use them; in a path or a query they are not integers.
NOTATIONS = {"1.0": 1, "-0.0": 0, "1e3": 1000, "10e-1": 1, "9007199254740993.0": 2**53 + 1}
NOT_WHOLE = ("1.5", "1e400", "1e999999999", f"1e{NINES}", f"{NINES}.0", "true", "null")
# Integers in some programming languages.
NOT_PLAIN = (
    *("１２", "٣", "1_0", "+7", "007", "-01", "0x10", "1.", ".5", "1e", "--1", "- 1", "1 2"),
    *("NaN", "Infinity", "-Infinity", "None", "True", "", "-", "one", "1,2", "1n"),
)
ALL = (*TOO_LARGE, VERY_LONG, *NOTATIONS, *NOT_WHOLE, *NOT_PLAIN)
