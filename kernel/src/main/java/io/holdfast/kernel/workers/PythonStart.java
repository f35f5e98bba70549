package io.holdfast.kernel.workers;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.kernel.errors.KernelError;
import java.io.File;
import java.io.IOException;
import java.io.Serializable;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.SparkFiles;

/**
 * How a worker is started.
 *
 * @param command the interpreter and what it runs
 * @param environment variables that are added to its environment
 * @param sent the directories with code that Spark has unpacked on this machine, by name
 * @param interpreterIsSent whether the interpreter is in one of them
 */
public record PythonStart(List<String> command, Map<String, String> environment, List<String> sent, boolean interpreterIsSent)
    implements Serializable {
  private static final String PATH = "PYTHONPATH";

  public static PythonStart of(JsonNode json) {
    List<String> command = new ArrayList<>();
    json.get("command").forEach(word -> command.add(word.asText()));
    Map<String, String> environment = new LinkedHashMap<>();
    json.path("environment").fields().forEachRemaining(e -> environment.put(e.getKey(), e.getValue().asText()));
    List<String> sent = new ArrayList<>();
    json.path("sent").forEach(name -> sent.add(name.asText()));
    return new PythonStart(command, environment, sent, json.path("interpreter_is_sent").asBoolean(false));
  }

  /** @param trace the file for its stack trace if it crashes */
  Process begin(Path trace) {
    List<String> words = new ArrayList<>(command);
    if (interpreterIsSent) {
      words.set(0, unpacked(command.get(0)));
    }
    words.add(trace.toString());
    ProcessBuilder builder = new ProcessBuilder(words);
    builder.environment().putAll(environment);
    if (!sent.isEmpty()) {
      List<String> path = new ArrayList<>(sent.stream().map(PythonStart::unpacked).toList());
      path.add(environment.getOrDefault(PATH, ""));
      path.removeIf(String::isEmpty);
      builder.environment().put(PATH, String.join(File.pathSeparator, path));
    }
    try {
      return builder.start();
    } catch (IOException e) {
      throw new KernelError("python", "", "Python cannot be started on " + host() + ": " + e.getMessage()
          + "; install it there, or send an environment: App(python={\"environment\": ...})");
    }
  }

  /** Where Spark has unpacked it: in the directory of the executor, or of the session. */
  private static String unpacked(String name) {
    File ofAll = new File(SparkFiles.getRootDirectory(), name);
    return ofAll.exists() ? ofAll.getAbsolutePath() : SparkFiles.get(name);
  }

  private static String host() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException unknown) {
      return "this machine";
    }
  }
}
