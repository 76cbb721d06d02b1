"""Bundles from folders and addresses, and what is refused."""

from __future__ import annotations

import functools
import os
import shutil
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from conftest import GOLDEN

import anchoreval
from anchoreval import AnchorEvalError, _bridge


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def address() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(GOLDEN))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/bundle"
        server.shutdown()


def code(*given: object, **options: object) -> str:
    with pytest.raises(AnchorEvalError) as caught:
        anchoreval.load(*given, **options)  # type: ignore[arg-type]
    return caught.value.code


def test_an_address(address: str, bundle: anchoreval.Bundle, answers: dict[str, float | None]) -> None:
    fetched = anchoreval.load(address)
    assert fetched == bundle
    assert anchoreval.estimate(fetched, answers) == anchoreval.estimate(bundle, answers)
    assert code(address + "-no") == "not_found"


def test_a_folder_is_seen_from_where_the_interpreter_is_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bundle: anchoreval.Bundle, answers: dict[str, float | None]
) -> None:
    shutil.copytree(GOLDEN / "bundle", tmp_path / "copy")
    monkeypatch.chdir(tmp_path)
    copy = anchoreval.load("./copy")
    monkeypatch.chdir(os.sep)
    assert code("./copy") == "not_found"
    _bridge._close()  # the next process finds it again
    assert anchoreval.estimate(copy, answers) == anchoreval.estimate(bundle, answers)


def test_parts_and_checks(bundle: anchoreval.Bundle) -> None:
    place = GOLDEN / "bundle"
    part = anchoreval.load(place, scenarios=["gsm"], form="12", digest=bundle.digest)
    assert "gsm" in part.scenarios and part.forms["12"].scenarios["gsm"] == 12
    assert code(place, scenarios=["elsewhere"]) == "unknown_scenario"
    assert code(place, form=13) == "unknown_form"
    assert code(place, digest="sha256:" + "0" * 64) == "digest_mismatch"
    assert code(place / "nowhere") == "not_found"
    assert code("ftp://example.com/bundle") == "invalid_option"


def test_trusted_keys_of_the_call_and_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    key = "anchoreval-ed25519-public:" + "A" * 43
    place = GOLDEN / "bundle"
    assert code(place, trusted_keys=[key]) in ("bundle_untrusted", "invalid_option")
    monkeypatch.setenv("ANCHOREVAL_TRUSTED_KEYS", key)  # after the process has started
    assert code(place) in ("bundle_untrusted", "invalid_option")
    monkeypatch.delenv("ANCHOREVAL_TRUSTED_KEYS")
    anchoreval.load(place)


def test_a_bundle_that_was_damaged_or_replaced(tmp_path: Path, answers: dict[str, float | None]) -> None:
    place = tmp_path / "bundle"
    shutil.copytree(GOLDEN / "bundle", place)
    loaded = anchoreval.load(place)
    _bridge._close()
    manifest = place / "manifest.json"
    manifest.write_bytes(manifest.read_bytes().replace(b"1.2.3-rc.1", b"1.2.3-rc.2"))
    with pytest.raises(AnchorEvalError) as caught:
        anchoreval.estimate(loaded, answers)  # never another bundle's numbers
    assert caught.value.code == "digest_mismatch"
    (place / "anchors.jsonl").write_bytes(b"")
    assert code(place) == "bundle_corrupt"


def test_the_bundles_that_come_along() -> None:
    listed = anchoreval.bundles()
    names = [each.benchmark for each in listed]
    assert "gsm8k" in names and len(names) == len(set(names))
    gsm8k = listed[names.index("gsm8k")]
    bundle = anchoreval.load(gsm8k.place)
    assert (gsm8k.digest, gsm8k.items, list(gsm8k.scenarios)) == (bundle.digest, 1319, list(bundle.scenarios))
    assert bundle.forms[gsm8k.form.id].items == gsm8k.form.items and gsm8k.error is not None and 0 < gsm8k.error < 0.1
    frame = listed.to_frame()
    assert frame.loc[gsm8k.place, "error"] == gsm8k.error and frame.loc[gsm8k.place, "models"] == gsm8k.models
    assert repr(listed).startswith(f"{len(names)} bundles: ") and gsm8k.place in listed._repr_html_()


def test_every_function_takes_a_name_or_a_folder(bundle: anchoreval.Bundle, answers: dict[str, float | None]) -> None:
    place = GOLDEN / "bundle"
    assert anchoreval.estimate(place, answers) == anchoreval.estimate(bundle, answers)
    assert anchoreval.compare(place, answers, answers) == anchoreval.compare(str(place), answers, answers)
    assert anchoreval.plan("gsm8k").benchmark == "gsm8k"
    with pytest.raises(AnchorEvalError) as caught:
        anchoreval.estimate("gsm9k", answers)
    assert caught.value.code == "not_found" and "gsm8k@" in str(caught.value)


def test_a_bundle_says_what_it_is(bundle: anchoreval.Bundle) -> None:
    assert repr(bundle).split("\n") == [
        "Bundle: golden 1.2.3-rc.1",
        "54 items in 2 scenarios; form 12 unless named",
        "forms 6 (12 items), 12 (24 items)",
    ]
    assert list(bundle.to_frame()["items"]) == [12, 24] and "größe/数学" in bundle._repr_html_()
