"""How the pages are served: what they may load, how small they are, how long they are kept."""

import gzip
import re
import shutil
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from urllib.parse import urljoin

import httpx
import pytest

from building.document import PACKAGE
from plantstore.features.page.building import hash_files
from plantstore.features.reference.building.remedies import REMEDIES
from plantstore.http.errors import TABLE
from tests.http.calls import expect_refused
from tests.service import Service

PAGES = ("/", "/docs")
OTHER_PATHS = (
    "/static/",
    "/static/main.js",
    "/static/000000000000/main.js",
    "/static/../pages.py",
    "/static/%2e%2e/pages.py",
    "/static/é",
    "/index.html",
    "/docs/",
    "/docs/errors",
    "/favicon.ico",
)
# With all styles and scripts, compressed.
MAX_REQUESTS = (
    32 - 4
)  # for files: who is signed in, a page of plants, the stream of events, the address itself
MAX_BYTES = {"/": 66 * 1024, "/docs": 46 * 1000}
DOCUMENTS = ("/openapi.json", "/openapi.yaml")
ADDRESS = re.compile(r'(?:href|src)="([^"#][^"]*)"')
FOLDER = re.compile(r"/static/[0-9a-f]{12}/")


@pytest.fixture
def anyone(service: Service) -> Iterator[httpx.Client]:
    with service.client(None) as client:
        yield client


def files_of(anyone: httpx.Client, path: str) -> list[str]:
    found = {urljoin(path, address) for address in ADDRESS.findall(anyone.get(path).text)}
    files = sorted(one for one in found if FOLDER.match(one))
    assert files
    return files


def size_of(anyone: httpx.Client, path: str) -> int:
    return int(anyone.head(path, headers={"Accept-Encoding": "gzip"}).headers["content-length"])


@pytest.mark.parametrize("path", PAGES)
def test_a_page_may_load_nothing_from_elsewhere(anyone: httpx.Client, path: str) -> None:
    headers = anyone.get(path).headers
    policy = dict(
        part.strip().partition(" ")[::2] for part in headers["content-security-policy"].split(";")
    )
    assert policy["default-src"] == "'none'"
    for name in ("base-uri", "form-action", "frame-ancestors"):
        assert policy[name] == "'none'"
    for name in ("script-src", "style-src", "connect-src"):
        assert policy[name] == "'self'"
    assert policy["require-trusted-types-for"] == "'script'"
    assert policy["trusted-types"] == "'none'"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["content-type"] == "text/html; charset=utf-8"


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_small(anyone: httpx.Client, path: str) -> None:
    total = size_of(anyone, path) + sum(size_of(anyone, file) for file in files_of(anyone, path))
    assert total < MAX_BYTES[path]
    assert len(files_of(anyone, path)) <= MAX_REQUESTS


@pytest.mark.parametrize("path", PAGES)
def test_a_page_names_each_of_its_scripts_to_be_asked_for_at_once(
    anyone: httpx.Client, path: str
) -> None:
    text = anyone.get(path).text
    preloaded = re.findall(r'<link rel="modulepreload" href="([^"]+)">', text)
    started = re.findall(r'<script type="module" src="([^"]+)">', text)
    imported = {
        urljoin(one, name)
        for one in preloaded
        for name in re.findall(r'(?m)(?:from|^import) "([^"]+)"', anyone.get(f"/{one}").text)
    }
    assert sorted(preloaded) == sorted([*started, *imported])
    assert len(imported) > len(started) == 1


def test_other_files_are_in_another_folder() -> None:
    files = {"a.js": b"let a;", "b.js": b"let b;"}
    assert hash_files(files) == hash_files(dict(reversed(files.items())))
    swapped = dict(zip(files, reversed(files.values()), strict=True))
    others = [
        files,
        files | {"b.js": b"let b"},
        swapped,
        files | {"c.js": b""},
        {"a.js": b"let a;"},
    ]
    assert len({hash_files(other) for other in others}) == len(others)


def test_all_files_are_in_one_folder_and_kept_forever(anyone: httpx.Client) -> None:
    files = [files_of(anyone, page) for page in PAGES]
    for of_page in files:
        assert len({FOLDER.match(file) and file.rpartition("/")[0] for file in of_page}) == 1
    for path in chain.from_iterable(files):
        response = anyone.get(path)
        assert response.status_code == 200
        assert response.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["content-type"].startswith(("text/", "image/svg+xml"))


@pytest.mark.parametrize("path", [*PAGES, *DOCUMENTS])
def test_a_page_or_document_is_asked_for_again_and_is_then_the_same(
    anyone: httpx.Client, path: str
) -> None:
    response = anyone.get(path)
    assert response.headers["cache-control"] == "no-cache"
    for form in ('W/"{}"', '"{}"', '"other" ,W/"{}"', 'W/"{}", "other"', "*"):
        again = anyone.get(path, headers={"If-None-Match": form.format(tag_of(response))})
        assert (again.status_code, again.content) == (304, b"")
        for name in ("etag", "cache-control", "vary", "content-security-policy"):
            assert again.headers.get(name) == response.headers.get(name)


def tag_of(response: httpx.Response) -> str:
    """The text of the entity tag, which is a weak one: it stands for each form of the page."""
    found = re.fullmatch(r'W/"([0-9a-f]{12})"', response.headers["etag"])
    assert found
    return found[1]


def test_each_page_has_a_tag_for_all_its_forms(anyone: httpx.Client) -> None:
    tags = {
        (path, tag_of(anyone.get(path, headers={"Accept-Encoding": coding})))
        for path in (*PAGES, *DOCUMENTS)
        for coding in ("gzip", "identity")
    }
    assert len({tag for _, tag in tags}) == len(tags) == len(PAGES) + len(DOCUMENTS)


@pytest.mark.parametrize(
    ("accepted", "is_compressed"),
    [
        ("br, GZIP ;q=0.5", True),
        ("gzip; q=0.000", False),
        ("identity", False),
    ],
)
def test_what_is_sent_is_compressed_for_who_takes_it(
    anyone: httpx.Client, accepted: str, *, is_compressed: bool
) -> None:
    for path in ("/", "/openapi.json", "/openapi.yaml", *files_of(anyone, "/docs")):
        with anyone.stream("GET", path, headers={"Accept-Encoding": accepted}) as response:
            raw = b"".join(response.iter_raw())
        assert response.headers["vary"] == "Accept-Encoding"
        assert (response.headers.get("content-encoding") == "gzip") == is_compressed
        plain = anyone.get(path, headers={"Accept-Encoding": "identity"}).content
        assert (gzip.decompress(raw) if is_compressed else raw) == plain


def test_other_paths_are_none(anyone: httpx.Client) -> None:
    for path in OTHER_PATHS:
        for method in ("GET", "POST", "OPTIONS"):
            expect_refused(anyone.request(method, path), 40402)


def test_a_running_service_needs_the_files_of_its_package_no_more(
    tmp_path: Path, anyone: httpx.Client
) -> None:
    """As while another version is installed over it."""
    package = tmp_path / "program" / "plantstore"
    shutil.copytree(PACKAGE, package)
    command = ("env", f"PYTHONPATH={package.parent}", sys.executable, "-m", "plantstore")
    with Service(tmp_path, command=command) as service, service.client(None) as client:
        package.rename(tmp_path / "old")
        for path in (*PAGES, *DOCUMENTS, *files_of(anyone, "/"), *files_of(anyone, "/docs")):
            got, expected = client.get(path), anyone.get(path)
            assert (got.status_code, got.content) == (200, expected.content)
            assert got.headers["etag"] == expected.headers["etag"]


def test_each_error_says_what_to_do() -> None:
    assert sorted(REMEDIES) == [row.number for row in TABLE]
