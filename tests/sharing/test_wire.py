"""Questions between servers: only who knows the secret can ask, and answer."""

import pytest

from holdfast.sharing import wire
from holdfast.sharing.wire import Answer, Question, WrongSignature

SECRET = b"a-secret-of-all-servers"
ASKED = Question("scan", "names", b"types", [0, 2], 3, 117, [], b"\x01a", None, reverse=True, caller="shop")


def test_questions_and_answers_come_back_as_they_were():
    assert wire.question(wire.encode(ASKED)) == ASKED
    answer = Answer(values=[None, b"1"], rows=[(b"k", b"v")], versions=[(3, None)], number=7, more=True, epoch=116)
    assert wire.answer(wire.encode(answer)) == answer


def test_a_signature_holds_for_its_body_its_question_and_a_while():
    signature = wire.sign(SECRET, b"body", now=1000)
    wire.check(SECRET, b"body", signature, now=1030)
    for secret, body, of, now in [
        (b"another", b"body", "", 1000), (SECRET, b"bodY", "", 1000), (SECRET, b"body", "asked", 1000),
        (SECRET, b"body", "", 1100), (SECRET, b"body", "", 900),
    ]:  # fmt: skip
        with pytest.raises(WrongSignature):
            wire.check(secret, body, signature, of, now=now)


@pytest.mark.parametrize("signature", ["", " ", "1000", "x y", "1000 " + "0" * 64, "é é"])
def test_what_is_no_signature_is_refused(signature):
    with pytest.raises(WrongSignature):
        wire.check(SECRET, b"body", signature, now=1000)


def test_an_answer_to_another_question_is_none():
    first, second = wire.sign(SECRET, b"question 1"), wire.sign(SECRET, b"question 2")
    wire.check(SECRET, b"answer", wire.sign(SECRET, b"answer", first), first)
    with pytest.raises(WrongSignature):
        wire.check(SECRET, b"answer", wire.sign(SECRET, b"answer", first), second)
