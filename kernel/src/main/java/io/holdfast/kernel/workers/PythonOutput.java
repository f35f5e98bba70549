package io.holdfast.kernel.workers;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts what a worker writes to standard error into the log, line by line, each with the function that it came from.
 *
 * <p>What functions print and log begins with a mark, the level, and the function as the worker knows it (`output.py`). The rest was
 * written past Python: it is of the function that was called last.
 */
final class PythonOutput {
  private static final Logger LOG = LoggerFactory.getLogger("holdfast.python");
  private static final char MARK = '\u001e';
  private static final String SEPARATOR = "\u001f";
  private static final int LONGEST = 1 << 14;
  private final Map<String, String> titles = new ConcurrentHashMap<>();
  private volatile String last = "";

  /** Reads until the process and all that it has started have ended. */
  void read(InputStream errors) {
    Thread thread = new Thread(() -> {
      try (InputStream lines = new BufferedInputStream(errors)) {
        for (String line = next(lines); line != null; line = next(lines)) {
          log(line);
        }
      } catch (IOException ended) {
        // The process was killed.
      }
    }, "holdfast-python-output");
    thread.setDaemon(true);
    thread.start();
  }

  void calls(PythonFunction function) {
    titles.putIfAbsent(function.key(), function.title());
    last = function.title();
  }

  /** The next line, or as much of a long one as is read at once; null at the end. */
  private static String next(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    int each = in.read();
    if (each < 0) {
      return null;
    }
    for (; each >= 0 && each != '\n'; each = line.size() < LONGEST ? in.read() : '\n') {
      line.write(each);
    }
    return line.toString(StandardCharsets.UTF_8);
  }

  private void log(String line) {
    String[] parts = line.split(SEPARATOR, 3);
    if (parts.length < 3 || parts[0].isEmpty() || parts[0].charAt(0) != MARK) {
      LOG.warn("{}", message(last, line));
      return;
    }
    String message = message(titles.getOrDefault(parts[1], last), parts[2]);
    switch (parts[0].substring(1)) {
      case "ERROR" -> LOG.error("{}", message);
      case "WARN" -> LOG.warn("{}", message);
      case "INFO" -> LOG.info("{}", message);
      default -> LOG.debug("{}", message);
    }
  }

  private static String message(String title, String text) {
    return title.isEmpty() ? text : title + ": " + text;
  }
}
