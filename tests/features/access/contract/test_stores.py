"""Stores, users and members, as the command line administers them."""

import pytest

from plantstore.core.errors import (
    InvalidChangeError,
)
from plantstore.core.model import Grant, Role, User
from plantstore.databases import check_database
from tests.administration import Member
from tests.features.access.administration import Administration

LONGEST_NAME = 63 * "a"


def test_stores_are_listed_in_order_of_name(administration: Administration) -> None:
    for name in ("orchard", "0", "nursery", "a-b", LONGEST_NAME):
        administration.create_store(name)
    names = [store.name for store in administration.list_stores()]
    assert names == sorted(["orchard", "0", "nursery", "a-b", LONGEST_NAME])


def test_store_ids_are_never_reused(administration: Administration) -> None:
    ids = set()
    for _ in range(3):
        ids.add(administration.create_store("nursery").store_id)
        administration.delete_store("nursery")
    assert len(ids) == 3
    assert administration.list_stores() == []


INVALID_NAMES = ("", "-a", "a-", "A", "a_b", "a b", "a.b", "a/b", "é", "a\n", "..", "１")


def test_invalid_store_names_are_refused(administration: Administration) -> None:
    for name in (*INVALID_NAMES, LONGEST_NAME + "a"):
        with pytest.raises(InvalidChangeError, match="use 1 to 63 lowercase letters, digits"):
            administration.create_store(name)
        with pytest.raises(InvalidChangeError, match="use 1 to 63 lowercase letters, digits"):
            administration.create_token(Grant(subject="ada", store=name))
    assert administration.list_stores() == []
    assert administration.list_users() == []


def test_deleting_a_store_deletes_its_members_and_tokens(
    administration: Administration,
) -> None:
    administration.create_token(Grant(subject="ada", store="nursery"))
    created = administration.create_token(Grant(subject="ada", store="orchard"))
    administration.delete_store("nursery")
    assert [store.name for store in administration.list_stores()] == ["orchard"]
    assert administration.list_tokens() == [created.token]
    assert administration.list_members("orchard") == [Member("ada", Role.OWNER)]
    assert [user.subject for user in administration.list_users()] == ["ada"]


def test_users_are_listed_in_order_of_subject(administration: Administration) -> None:
    created = [administration.create_user(subject) for subject in ("eve", "ada", "żółw", "Ada")]
    listed = administration.list_users()
    assert [user.subject for user in listed] == ["Ada", "ada", "eve", "żółw"]
    assert {user.user_id for user in listed} == {user.user_id for user in created}
    assert administration.create_user("bob") in administration.list_users()


def test_a_subject_may_be_any_text(administration: Administration) -> None:
    for subject in ("a", 255 * "a", "ada@example.org", "أحمد", "😀", "a b"):
        user = administration.create_user(subject)
        assert User(user.user_id, subject) in administration.list_users()


def test_invalid_subjects_are_refused(administration: Administration) -> None:
    for subject in ("", 256 * "a", " ", " ada", "ada\u00a0", "a\nb", "\x7f", "\ud800"):
        with pytest.raises(InvalidChangeError, match="the user's name must"):
            administration.create_user(subject)
        with pytest.raises(InvalidChangeError, match="the user's name must"):
            administration.create_token(Grant(subject=subject, store="nursery"))
    assert administration.list_users() == []
    assert administration.list_stores() == []


def test_an_intact_database_passes_every_check(url: str, administration: Administration) -> None:
    administration.create_store("nursery")
    checks = list(check_database(url))
    assert {"schema", "writable"} < {check.name for check in checks}
    assert all(check.ok and len(check.detail.split()) > 2 for check in checks)
