"""The site's search works where pages are opened from disk: a frame stands in for its worker."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from browsers import new_page
from places import ROOT

WORKER = """
addEventListener("message", event => Promise.resolve(importScripts("more.js")).then(() => postMessage([event.data, more])))
"""
PAGE = """<body><script src="iframe-worker.js"></script><script>
const worker = new Worker(new URL("work/worker.js", location.href)), found = []
worker.addEventListener("message", event => { found.push(event.data); document.title = JSON.stringify(found) })
worker.postMessage("first")
worker.postMessage({second: 2})
</script></body>
"""


def test_messages_pass_between_a_page_on_disk_and_its_worker(tmp_path: Path, browser: Any) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "worker.js").write_text(WORKER)
    (tmp_path / "more.js").write_text("var more = 1\n")
    (tmp_path / "index.html").write_text(PAGE)
    shutil.copy(ROOT / "docs" / "iframe-worker.js", tmp_path)
    tab = new_page(browser, 200, 200)
    tab.goto((tmp_path / "index.html").as_uri())
    tab.wait_for_function("document.title.includes('second') && document.title.includes('first')")
    assert sorted(json.loads(tab.title()), key=str) == [["first", 1], [{"second": 2}, 1]]
    tab.close()
