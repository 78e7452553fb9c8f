"""An unknown code is refused, and the refusal is logged."""

from pathlib import Path

from plantstore.core.tokens import CODE_PREFIX, make_token
from tests.features.access.http.test_links import redeem
from tests.http.calls import expect_refused
from tests.log_lines import LoggingService


def test_a_refused_code_is_logged(tmp_path: Path) -> None:
    with LoggingService(tmp_path, settings={}) as service:
        expect_refused(redeem(service, make_token(1, CODE_PREFIX)), 40406)
        assert service.record("security")["message"] == "code refused"
