"""Four systems on the embedded benchmark."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import linkassay
from linkassay.scoring.results.cohort import Cohort, cohorts
from tests.report_helpers import make
from tests.standins.name_spotter import spotted


@pytest.fixture(scope="module", autouse=True)
def _home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    folder = tmp_path_factory.mktemp("sections")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINKASSAY_HOME", str(folder / "home"))
        linkassay.get("mini")
        make(folder)
        yield


@pytest.fixture(scope="module")
def cohort(_home: None) -> Cohort:
    """Four systems on the embedded benchmark: one with abbreviations written out, one that finds mentions itself."""
    runs = [linkassay.link("exact", "mini"), linkassay.link("tfidf", "mini"),
            linkassay.link("tfidf", "mini", abbreviations="schwartz-hearst"), spotted()]  # fmt: skip
    (found,) = cohorts([linkassay.score(run_) for run_ in runs])
    return found
