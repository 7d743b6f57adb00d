"""Fetching, against a server on this machine: no test goes to the real addresses."""

import hashlib
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from mvgraph import datasets
from mvgraph.datasets import _fetch

CONTENT = bytes(range(256)) * 1000


class Server(BaseHTTPRequestHandler):
    """Answer by path: /good, /wrong, /huge, /cut, /missing, /to_http (a redirect)."""

    def do_GET(self):
        self.server.seen.append(self.path)
        what = self.path.split("/")[1]
        content = {"wrong": CONTENT[::-1], "huge": CONTENT * 2}.get(what, CONTENT)
        if what.startswith("to_"):  # another address on this server, not on https
            self.send_response(302)
            self.send_header("Location", f"{what[3:]}://127.0.0.1:9/good/a")
            self.end_headers()
            return
        if what == "missing":
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        end = 100_000 if what == "cut" else len(content)
        for i in range(0, end, 4096):
            time.sleep(self.server.pause)
            self.wfile.write(content[i : min(i + 4096, end)])

    def log_message(self, *args):
        pass


@pytest.fixture
def server():
    with ThreadingHTTPServer(("127.0.0.1", 0), Server) as http:
        http.seen, http.pause = [], 0
        http.daemon_threads = True
        thread = threading.Thread(target=http.serve_forever, daemon=True)
        thread.start()
        http.base = f"http://127.0.0.1:{http.server_port}"
        yield http
        http.shutdown()
        thread.join()


@pytest.fixture
def entry(monkeypatch):
    """Register one small file under the name "toy", with no address of its own."""

    def register(*urls):
        made = _fetch.Entry(
            "toy", "Toy set.mat", len(CONTENT), hashlib.sha256(CONTENT).hexdigest(),
            "nobody", "none", urls,
        )  # fmt: skip
        monkeypatch.setattr(_fetch, "registry", lambda: {"toy": made})

    register()
    return register


def left(tmp_path):
    return sorted(p.name for p in tmp_path.rglob("*") if p.is_file())


def test_fetched_once_and_then_taken_from_the_cache(server, entry, tmp_path):
    entry(f"{server.base}/good/Toy%20set.mat")
    steps = []
    path = datasets.fetch("toy", tmp_path, progress=lambda *s: steps.append(s))
    assert path == tmp_path / "toy" / "Toy set.mat"
    assert path.read_bytes() == CONTENT
    assert steps[-1] == (len(CONTENT), len(CONTENT))
    assert left(tmp_path) == ["Toy set.mat"]
    assert datasets.fetch("toy", tmp_path) == path
    assert datasets.fetch("toy", tmp_path, offline=True) == path
    assert len(server.seen) == 1


def test_the_callers_mirrors_go_first(server, entry, tmp_path):
    entry(f"{server.base}/never/Toy%20set.mat")
    datasets.fetch("toy", tmp_path, mirrors=[f"{server.base}/good/"])
    assert server.seen == ["/good/Toy%20set.mat"]


def test_404_then_the_next_mirror(server, entry, tmp_path):
    entry(f"{server.base}/missing/a", f"{server.base}/good/b")
    assert datasets.fetch("toy", tmp_path).read_bytes() == CONTENT
    assert len(server.seen) == 2


@pytest.mark.parametrize(
    ("what", "reason"),
    [("wrong", "does not match the known hash"), ("huge", "larger than")],
)
def test_wrong_content_is_refused_and_removed(server, entry, tmp_path, what, reason):
    entry(f"{server.base}/{what}/a")
    with pytest.raises(ConnectionError, match=reason):
        datasets.fetch("toy", tmp_path)
    assert left(tmp_path) == []
    entry(f"{server.base}/{what}/a", f"{server.base}/good/b")
    assert datasets.fetch("toy", tmp_path).read_bytes() == CONTENT


def test_a_truncated_download_is_removed_and_the_next_mirror_asked(
    server, entry, tmp_path
):
    entry(f"{server.base}/cut/a")
    with pytest.raises(ConnectionError, match="100000"):
        datasets.fetch("toy", tmp_path)
    assert left(tmp_path) == []
    entry(f"{server.base}/cut/a", f"{server.base}/good/b")
    assert datasets.fetch("toy", tmp_path).read_bytes() == CONTENT
    assert left(tmp_path) == ["Toy set.mat"]


def test_a_damaged_file_in_the_cache_is_replaced(server, entry, tmp_path):
    entry(f"{server.base}/good/a")
    path = datasets.fetch("toy", tmp_path)
    path.write_bytes(CONTENT[:-1])
    with pytest.raises(ValueError, match="wrong content"):
        datasets.fetch("toy", tmp_path, offline=True)
    assert datasets.fetch("toy", tmp_path).read_bytes() == CONTENT


def test_offline_and_the_cache_variable(entry, tmp_path, monkeypatch):
    monkeypatch.setenv("MVGRAPH_DATA", str(tmp_path))
    with pytest.raises(FileNotFoundError, match=r"not in the cache: put Toy set\.mat"):
        datasets.fetch("toy", offline=True)
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "Toy set.mat").write_bytes(CONTENT)  # by hand
    monkeypatch.setitem(sys.modules, "pooch", None)
    assert datasets.fetch("toy", offline=True).is_file()


def test_nobody_answers(entry, tmp_path):
    entry("http://127.0.0.1:9/x", "file:///etc/hostname")
    with pytest.raises(
        ConnectionError, match=r"any of 2 addresses.*not a http"
    ) as told:
        datasets.fetch("toy", tmp_path, timeout=2)
    assert "yourself (sha256" in str(told.value)
    assert left(tmp_path) == []


def test_unknown_name_and_missing_pooch(entry, tmp_path, monkeypatch):
    with pytest.raises(ValueError, match="did you mean 'toy'"):
        datasets.fetch("toys")
    monkeypatch.setitem(sys.modules, "pooch", None)
    monkeypatch.delenv("MVGRAPH_DATA", raising=False)
    with pytest.raises(ImportError, match=r"mvgraph\[fetch\]"):
        datasets.fetch("toy")


def test_the_registry():
    known = datasets.registry()
    assert "caltech101-20" in known
    for name, entry in known.items():
        assert name == entry.name == name.lower()
        assert len(bytes.fromhex(entry.sha256)) == 32
        assert entry.bytes > 1000
        assert entry.source
        assert entry.licence
        assert len(entry.urls) > 1
        assert all(url.startswith("https://") and " " not in url for url in entry.urls)
        assert entry.file not in ("", ".", "..")
        assert "/" not in entry.file
    assert len({entry.sha256 for entry in known.values()}) == len(known)


@pytest.mark.shared
def test_the_registry_knows_the_benchmark_files(shared_dir):
    own = {hashlib.sha256(p.read_bytes()).hexdigest(): p.stat().st_size
           for p in (shared_dir / "data").glob("*.mat")}  # fmt: skip
    known = {e.sha256: e.bytes for e in datasets.registry().values()}
    common = own.keys() & known.keys()
    assert len(common) >= 13
    assert all(own[key] == known[key] for key in common)


@pytest.mark.parametrize("name", ["msrc-v5", "msrc_v5", "MSRC-v5", "Msrc_V5"])
def test_spellings_of_a_name_are_one(name):
    assert _fetch.entry_of(name).name == "msrc-v5"


def test_no_two_sets_share_a_spelling():
    names = list(datasets.registry())
    assert [_fetch.entry_of(name.replace("-", "_")).name for name in names] == names


def test_compiled_code_has_a_variable_of_its_own(entry, tmp_path, monkeypatch):
    monkeypatch.setenv("MVGRAPH_CACHE", str(tmp_path / "code"))
    monkeypatch.setenv("MVGRAPH_DATA", str(tmp_path / "data"))
    with pytest.raises(FileNotFoundError, match=str(tmp_path / "data")):
        datasets.fetch("toy", offline=True)


@pytest.mark.parametrize("scheme", ["http", "ftp", "file"])
def test_redirections_lead_to_https_only(server, entry, tmp_path, scheme):
    entry(f"{server.base}/to_{scheme}/a")
    with pytest.raises(ConnectionError, match=f"to {scheme}://.* is not https"):
        datasets.fetch("toy", tmp_path)
    assert left(tmp_path) == []
    entry(f"{server.base}/to_https/a")  # followed, though nobody is there
    with pytest.raises(ConnectionError, match=r"refused|timed out"):
        datasets.fetch("toy", tmp_path, timeout=2)


FETCH = """
import sys
from mvgraph.datasets import _fetch
made = _fetch.Entry("toy", "Toy set.mat", int(sys.argv[3]), sys.argv[4], "n", "n",
                    (sys.argv[1],))
_fetch.registry = lambda: {"toy": made}
print(_fetch.fetch("toy", sys.argv[2]))
"""


def start(url, folder):
    known = (str(len(CONTENT)), hashlib.sha256(CONTENT).hexdigest())
    words = [sys.executable, "-c", FETCH, url, str(folder), *known]
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True)


@pytest.mark.slow
def test_two_processes_at_once(server, tmp_path):
    server.pause = 0.002
    both = [start(f"{server.base}/good/a", tmp_path) for _ in range(2)]
    said = [process.communicate(timeout=60)[0].strip() for process in both]
    assert said == [str(tmp_path / "toy" / "Toy set.mat")] * 2
    assert (tmp_path / "toy" / "Toy set.mat").read_bytes() == CONTENT
    assert left(tmp_path) == ["Toy set.mat"]
