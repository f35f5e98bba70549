"""`holdfast query` shows every digit that the server answers."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from click.testing import CliRunner

from holdfast.cli.main import cli

VALUE = b'{"paid":12345678901234567890.123456789012345678,"id":123456789012345678901,"rate":1.50,"far":1e+308}'


class Answering(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        entries = b'{"entries":[{"key":1.10,"value":%s}],"next":null}' % VALUE
        self.wfile.write(VALUE if "/keys/" in self.path else entries)

    def log_message(self, format: str, *args: object) -> None: ...


@pytest.fixture
def url() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Answering)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def asked(url: str, *arguments: str) -> str:
    return CliRunner().invoke(cli, ["query", "--url", url, "sums", *arguments], env={"COLUMNS": "200"}).output


def test_a_value_has_all_of_its_digits(url: str) -> None:
    assert asked(url, "1", "--json") == VALUE.decode() + "\n"
    assert asked(url, "1").split() == [
        "{", '"paid":', "12345678901234567890.123456789012345678,", '"id":', "123456789012345678901,",
        '"rate":', "1.50,", '"far":', "1e+308", "}",
    ]  # fmt: skip


def test_entries_have_all_of_their_digits(url: str) -> None:
    assert asked(url).split()[5:] == [
        "1.10",
        "12345678901234567890.123456789012345678",
        "123456789012345678901",
        "1.50",
        "1e+308",
    ]
    assert asked(url, "--json") == f'[{{"key":1.10,"value":{VALUE.decode()}}}]\n'
