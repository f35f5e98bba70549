from tests.dsl.helpers import node


def test_the_label_and_the_stream_go_on(orders):
    seen = orders.print("order").filter("vip")
    assert node(seen)["inputs"] == ["print-1"]
    assert seen.graph.nodes[-2].to_json()["label"] == "order"
