package io.holdfast.judge;

import static io.holdfast.judge.Expr.list;
import static io.holdfast.judge.Expr.map;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;

/** Answers cases on Kafka Streams: a line of JSON in, a line of JSON out, until the input ends. */
public final class Judge {
  private Judge() {}

  public static void main(String[] args) throws IOException {
    Path states = Run.directory();
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      Map<String, Object> question = map(JsonSerde.decimals(JsonSerde.JSON.readValue(line, Object.class)));
      out.println(JsonSerde.JSON.writeValueAsString(answer(question, states)));
    }
  }

  private static Map<String, Object> answer(Map<String, Object> question, Path states) {
    if (question.containsKey("methods")) {
      return Methods.all();
    }
    try (Run run = new Run(map(question.get("topology")), (Boolean) question.get("literally"), states)) {
      return run.answer(list(question.get("records")));
    } catch (RuntimeException failure) {
      return Map.of("error", String.valueOf(failure) + " caused by " + failure.getCause());
    }
  }
}
