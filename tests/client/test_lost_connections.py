"""What watch makes of answers that are cut, late, refused or somebody else's."""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

import holdfast as hf

STORES = {"stores": [{"name": "words", "kind": "key-value", "key": "string", "value": "string"}]}
REFUSED = b'{"error":{"code":"unauthorized","message":"no","hint":""}}'


def line(document):
    return (json.dumps(document, ensure_ascii=False) + "\n").encode()


FIRST = line({"epoch": 1, "changes": [{"key": "a", "value": "x"}]})
SECOND = line({"epoch": 2, "changes": []})


class Scripted(BaseHTTPRequestHandler):
    """Gives one answer after the other to those who watch."""

    answers, asked = [], []

    def do_GET(self):
        self.asked.append(self.path)
        is_watched = "/changes" in self.path
        status, body = self.answers.pop(0) if is_watched else (200, json.dumps(STORES).encode())
        more = self.answers.pop(0) if is_watched and self.answers and isinstance(self.answers[0], float) else None
        self.send_response(status)
        if not is_watched:
            self.send_header("Holdfast-Epoch", "9")
        self.end_headers()
        self.wfile.write(body)
        if more is not None:  # seconds until the same answer goes on with the next one
            time.sleep(more)
            self.wfile.write(self.answers.pop(0)[1])

    def log_message(self, *_):
        pass


@pytest.fixture
def watch():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Scripted)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()

    def start(*answers, **how):
        Scripted.answers[:], Scripted.asked[:] = answers, []
        with hf.connect(f"http://127.0.0.1:{server.server_port}", **how) as client:
            yield from client["words"].watch()

    yield start
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_text_may_have_every_character(watch):
    text = "a\u2028b\u2029c\x85d\x0be\x1cf"
    changes = [{"key": "a", "value": text}]
    assert next(watch((200, line({"epoch": 1, "changes": changes})))).changes == {"a": text}


@pytest.mark.parametrize("status", [502, 503, 504])
def test_a_server_that_is_not_there_yet_is_asked_again(watch, status):
    updates = watch((200, FIRST), (status, b"not yet"), (status, b""), (200, SECOND))
    assert [next(updates).epoch, next(updates).epoch] == [1, 2]
    assert Scripted.asked[-1].endswith("after=1")


def test_a_refusal_is_said(watch):
    updates = watch((200, FIRST), (401, REFUSED))
    assert next(updates).epoch == 1
    with pytest.raises(hf.RequestError) as refused:
        next(updates)
    assert refused.value.status == 401


def test_half_a_line_is_none(watch):
    updates = watch((200, FIRST + SECOND[:10]), (200, SECOND))
    assert [next(updates).epoch, next(updates).epoch] == [1, 2]


def test_a_server_may_be_quiet_for_longer_than_an_answer_takes(watch):
    updates = watch((200, FIRST), 1.5, (200, SECOND), timeout=0.3)
    assert [next(updates).epoch, next(updates).epoch] == [1, 2]
    assert len(Scripted.asked) == 2


def test_a_redirection_is_said(watch):
    with pytest.raises(hf.RequestError, match="answered 302 Found; is it a Holdfast server"):
        next(watch((302, b""), (200, FIRST)))


def test_what_is_there_at_first_is_no_older_than_what_was_seen(watch):
    next(watch((200, FIRST)))
    assert Scripted.asked[-1] == "/stores/words/changes?min_epoch=9"
