from tests.examples.helpers import by_key, clock, played


def test_lines_become_records_and_errors_go_their_own_way():
    with played("logs") as (driver, _):
        errors = by_key(driver, "errors")
        assert {service: [(clock(e), e["text"]) for e in found] for service, found in errors.items()} == {
            "payments": [("08:00:04", "card declined: issuer timeout")],
            "search": [("08:00:09", "index 3 is not there")],
        }
        events = by_key(driver, "events")
        assert {service: [e["level"] for e in found] for service, found in events.items()} == {
            "checkout": ["INFO", "INFO"],
            "search": ["WARN"],
        }


def test_what_is_no_line_of_a_log_is_a_dead_letter():
    with played("logs") as (driver, _):
        (letter,) = driver.dead_letters()
        assert (letter.reason, letter.record.value.strip()) == (
            "not a line of a log",
            b"at com.example.Search.run(Search.java:42)",
        )
