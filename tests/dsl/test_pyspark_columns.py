"""Columns of PySpark, as py4j shows them: objects with the getters of Spark's column nodes."""

import json
from decimal import Decimal

import pytest

from holdfast.errors import ExpressionError, UnknownField
from tests.dsl.helpers import call, lit, node, record, value


class Java:
    """Any object of the JVM: its getters are given."""

    def __init__(self, kind, **getters):
        self.kind, self.getters = kind, getters

    def __getattr__(self, name):
        if name not in self.getters:
            raise AttributeError(name)
        return lambda: self.getters[name]

    def getClass(self):
        return Java("Class", getSimpleName=self.kind)

    def sql(self):
        return "some sql"


class Seq:
    def __init__(self, *items):
        self.items = items

    def size(self):
        return len(self.items)

    def apply(self, index):
        return self.items[index]


def some(thing=None):
    return Java("Option", isDefined=thing is not None, get=thing)


def datatype(name):
    return Java("DataType", json=json.dumps(name))


def column(tree):
    return type("Column", (), {"_jc": Java("Column", node=tree)})()


def attribute(*parts):
    return Java("UnresolvedAttribute", nameParts=Seq(*parts))


def function(name, *arguments, distinct=False):
    return Java("UnresolvedFunction", functionName=name, arguments=Seq(*arguments), isDistinct=distinct)


def literal(constant, type_=None):
    return Java("Literal", value=constant, dataType=some(datatype(type_)) if type_ else some())


VARIABLE = Java("UnresolvedNamedLambdaVariable", name="x_1")


@pytest.mark.parametrize(
    ("java", "tree"),
    [
        (attribute("id"), value("id")),
        (attribute("value", "id"), value("id")),
        (function("+", attribute("id"), literal(1, "integer")), call("+", value("id"), lit(1, "integer"))),
        (Java("Cast", child=attribute("id"), dataType=datatype("string")), {"cast": value("id"), "to": "string"}),
        (Java("Alias", child=attribute("id")), value("id")),
        (literal(Decimal("1.50")), {"cast": lit("1.50"), "to": "decimal(3,2)"}),
        (function("!", attribute("vip")), call("not", value("vip"))),
        (function("isNull", attribute("id")), call("isnull", value("id"))),
        (
            function("struct", attribute("id"), Java("Alias", child=attribute("vip"), name=Seq("v")), literal(1)),
            record(id=value("id"), v=value("vip"), col3={"lit": 1}),
        ),
        (Java("SqlExpression", expression="value.id + 1"), {"sql": "value.id + 1"}),
        (
            Java(
                "CaseWhenOtherwise",
                branches=Seq(Java("Tuple2", _1=attribute("vip"), _2=literal("x"))),
                otherwise=some(literal("y")),
            ),
            {"case": [[value("vip"), lit("x")]], "else": lit("y")},
        ),
        (
            function(
                "transform",
                attribute("tags"),
                Java("LambdaFunction", function=function("upper", VARIABLE), arguments=Seq(VARIABLE)),
            ),
            call("transform", value("tags"), {"lambda": ["x_1"], "body": call("upper", {"var": "x_1"})}),
        ),
        (
            Java("UnresolvedExtractValue", child=attribute("tags"), extraction=literal(0)),
            {"get": value("tags"), "key": {"lit": 0}},
        ),
    ],
)
def test_trees(orders, java, tree):
    assert node(orders.map_values(column(java)))["value"] == tree


def test_fields_are_checked(orders):
    with pytest.raises(UnknownField, match="did you mean 'amount'"):
        orders.map_values(column(attribute("amuont")))


def test_a_column_inside_a_record(orders):
    made = orders.map_values(lambda o: dict(a=column(attribute("id"))))
    assert node(made)["value"]["struct"] == [["a", value("id")]]


@pytest.mark.parametrize(
    ("java", "message"),
    [
        (function("rand"), "F.rand cannot be used: it is not deterministic"),
        (function("count", attribute("id"), distinct=True), "DISTINCT has no bounded state"),
        (literal(object()), "the constant some sql of a PySpark Column cannot be read here"),
        (Java("Window"), "some sql has a Window, which has no meaning here"),
    ],
)
def test_refused(orders, java, message):
    with pytest.raises(ExpressionError, match=message):
        orders.map_values(column(java))
