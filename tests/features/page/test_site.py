"""How the pages are served: security headers, size, preloading, caching and compression."""

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
UNKNOWN_PATHS = (
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
# Files of a page: a visit also requests the page, /me, the plants and the stream of events.
MAX_REQUESTS = 32 - 4
# A page with all its styles and scripts, compressed.
MAX_BYTES = {"/": 80 * 1000, "/docs": 46 * 1000}
DOCUMENTS = ("/openapi.json", "/openapi.yaml")
ADDRESS = re.compile(r'(?:href|src)="([^"#][^"]*)"')
FOLDER = re.compile(r"/static/[0-9a-f]{12}/")


@pytest.fixture
def anonymous(service: Service) -> Iterator[httpx.Client]:
    with service.client(None) as client:
        yield client


def list_files(anonymous: httpx.Client, path: str) -> list[str]:
    addresses = {urljoin(path, address) for address in ADDRESS.findall(anonymous.get(path).text)}
    files = sorted(address for address in addresses if FOLDER.match(address))
    assert files
    return files


def compressed_size(anonymous: httpx.Client, path: str) -> int:
    return int(anonymous.head(path, headers={"Accept-Encoding": "gzip"}).headers["content-length"])


@pytest.mark.parametrize("path", PAGES)
def test_security_headers_allow_only_resources_of_the_service(
    anonymous: httpx.Client, path: str
) -> None:
    headers = anonymous.get(path).headers
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
def test_each_page_stays_below_its_limits_of_bytes_and_requests(
    anonymous: httpx.Client, path: str
) -> None:
    total = compressed_size(anonymous, path) + sum(
        compressed_size(anonymous, file) for file in list_files(anonymous, path)
    )
    assert total < MAX_BYTES[path]
    assert len(list_files(anonymous, path)) <= MAX_REQUESTS


@pytest.mark.parametrize("path", PAGES)
def test_each_page_preloads_exactly_the_scripts_that_it_imports(
    anonymous: httpx.Client, path: str
) -> None:
    text = anonymous.get(path).text
    preloaded = re.findall(r'<link rel="modulepreload" href="([^"]+)">', text)
    started = re.findall(r'<script type="module" src="([^"]+)">', text)
    imported = {
        urljoin(script, name)
        for script in preloaded
        for name in re.findall(r'(?m)(?:from|^import) "([^"]+)"', anonymous.get(f"/{script}").text)
    }
    assert sorted(preloaded) == sorted([*started, *imported])
    assert len(imported) > len(started) == 1


def test_the_hash_of_files_depends_on_every_name_and_content() -> None:
    files = {"a.js": b"let a;", "b.js": b"let b;"}
    assert hash_files(files) == hash_files(dict(reversed(files.items())))
    swapped = dict(zip(files, reversed(files.values()), strict=True))
    versions = [
        files,
        files | {"b.js": b"let b"},
        swapped,
        files | {"c.js": b""},
        {"a.js": b"let a;"},
    ]
    assert len({hash_files(version) for version in versions}) == len(versions)


def test_files_of_a_page_share_a_folder_and_are_cached_forever(anonymous: httpx.Client) -> None:
    files = [list_files(anonymous, page) for page in PAGES]
    for page_files in files:
        assert len({file.rpartition("/")[0] for file in page_files}) == 1
    for path in chain.from_iterable(files):
        response = anonymous.get(path)
        assert response.status_code == 200
        assert response.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["content-type"].startswith(("text/", "image/svg+xml"))


@pytest.mark.parametrize("path", [*PAGES, *DOCUMENTS])
def test_an_unchanged_page_or_document_is_revalidated_with_304(
    anonymous: httpx.Client, path: str
) -> None:
    response = anonymous.get(path)
    assert response.headers["cache-control"] == "no-cache"
    for form in ('W/"{}"', '"{}"', '"other" ,W/"{}"', 'W/"{}", "other"', "*"):
        again = anonymous.get(path, headers={"If-None-Match": form.format(entity_tag(response))})
        assert (again.status_code, again.content) == (304, b"")
        for name in ("etag", "cache-control", "vary", "content-security-policy"):
            assert again.headers.get(name) == response.headers.get(name)


def entity_tag(response: httpx.Response) -> str:
    """The text of the response's weak entity tag: compressed or not, the page has the same tag."""
    match = re.fullmatch(r'W/"([0-9a-f]{12})"', response.headers["etag"])
    assert match
    return match[1]


def test_each_page_and_document_has_one_entity_tag_for_all_encodings(
    anonymous: httpx.Client,
) -> None:
    tags = {
        (path, entity_tag(anonymous.get(path, headers={"Accept-Encoding": coding})))
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
def test_responses_are_compressed_if_the_client_accepts_gzip(
    anonymous: httpx.Client, accepted: str, *, is_compressed: bool
) -> None:
    for path in ("/", "/openapi.json", "/openapi.yaml", *list_files(anonymous, "/docs")):
        with anonymous.stream("GET", path, headers={"Accept-Encoding": accepted}) as response:
            raw = b"".join(response.iter_raw())
        assert response.headers["vary"] == "Accept-Encoding"
        assert (response.headers.get("content-encoding") == "gzip") == is_compressed
        plain = anonymous.get(path, headers={"Accept-Encoding": "identity"}).content
        assert (gzip.decompress(raw) if is_compressed else raw) == plain


def test_unknown_paths_return_404_for_every_method(anonymous: httpx.Client) -> None:
    for path in UNKNOWN_PATHS:
        for method in ("GET", "POST", "OPTIONS"):
            expect_refused(anonymous.request(method, path), 40402)


def test_a_running_service_serves_pages_after_its_package_is_moved(
    tmp_path: Path, anonymous: httpx.Client
) -> None:
    """As when a new version is installed over it."""
    package = tmp_path / "program" / "plantstore"
    shutil.copytree(PACKAGE, package)
    command = ("env", f"PYTHONPATH={package.parent}", sys.executable, "-m", "plantstore")
    with Service(tmp_path, command=command) as service, service.client(None) as client:
        package.rename(tmp_path / "old")
        for path in (
            *PAGES,
            *DOCUMENTS,
            *list_files(anonymous, "/"),
            *list_files(anonymous, "/docs"),
        ):
            response, expected = client.get(path), anonymous.get(path)
            assert (response.status_code, response.content) == (200, expected.content)
            assert response.headers["etag"] == expected.headers["etag"]


def test_every_error_number_has_a_remedy() -> None:
    assert sorted(REMEDIES) == [row.number for row in TABLE]
