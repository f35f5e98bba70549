package io.holdfast.kernel.workers;

import io.holdfast.kernel.errors.KernelError;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One Python process. After its start it sends a number. A call is: the function's name, its code if it is new there, the arguments; each with its
 * length before it. When new code is loaded it sends a number, too. The answer is a length and bytes; before it may come questions, each with its
 * length as a negative number, answered in the same way. The least of all numbers precedes the reason why there is no answer.
 */
final class PythonWorker {
  private static final int READY = 0x48464231;
  private static final int FAILED = Integer.MIN_VALUE;
  private static final long START_MS = 60_000;
  private static final int BUFFER = 1 << 16;
  private static final Pattern RESIDENT = Pattern.compile("VmRSS:\\s+(\\d+) kB");
  private final Process process;
  private final PythonTrace trace;
  private final PythonOutput output = new PythonOutput();
  private final DataOutputStream out;
  private final DataInputStream in;
  private final Set<String> known = new HashSet<>();
  private boolean started;
  private long calls;
  private long memoryAtFirst;

  private PythonWorker(Process process, PythonTrace trace) {
    this.process = process;
    this.trace = trace;
    output.read(process.getErrorStream());
    this.out = new DataOutputStream(new BufferedOutputStream(process.getOutputStream(), BUFFER));
    this.in = new DataInputStream(new BufferedInputStream(process.getInputStream(), BUFFER));
  }

  static PythonWorker start(PythonStart start) {
    PythonTrace trace = new PythonTrace();
    return new PythonWorker(start.begin(trace.file), trace);
  }

  boolean isAlive() {
    return process.isAlive();
  }

  byte[] call(PythonFunction function, byte[] arguments, UnaryOperator<byte[]> asked, PythonLimits limits) {
    boolean isNew = known.add(function.key());
    output.calls(function);
    load(function, isNew);
    boolean[] wasAsked = new boolean[1];
    try (PythonWatch watch = new PythonWatch(process, trace, limits.timeoutMs())) {
      try {
        byte[] answer = exchange(function, arguments, question -> {
          wasAsked[0] = true;
          return asked.apply(question);
        });
        calls++;
        memoryAtFirst = isNew ? memory() : memoryAtFirst;
        return answer;
      } catch (IOException e) {
        throw lost(function, watch.timedOut() ? limits.timeoutMs() : 0, !wasAsked[0]);
      } catch (RuntimeException | Error e) {
        // The worker waits for an answer that will not come.
        end();
        throw e;
      }
    }
  }

  private byte[] exchange(PythonFunction function, byte[] arguments, UnaryOperator<byte[]> asked) throws IOException {
    write(arguments);
    out.flush();
    int length = in.readInt();
    while (length < 0 && length != FAILED) {
      write(asked.apply(read(-length)));
      out.flush();
      length = in.readInt();
    }
    if (length == FAILED) {
      throw refused(function);
    }
    return read(length);
  }

  private KernelError refused(PythonFunction function) throws IOException {
    return new KernelError(function.id(), "", function.title() + ": " + new String(read(in.readInt()), StandardCharsets.UTF_8));
  }

  /** Names the function, with its code if it is new. */
  private void load(PythonFunction function, boolean isNew) {
    try (PythonWatch watch = new PythonWatch(process, trace, START_MS)) {
      started = started || in.readInt() == READY;
      write(function.key().getBytes(StandardCharsets.UTF_8));
      write(isNew ? function.code() : new byte[0]);
      out.flush();
      if (isNew && in.readInt() == FAILED) {
        KernelError refused = refused(function);
        end();
        throw refused;
      }
    } catch (IOException e) {
      awaitEnd();
      end();
      String problem = started ? "its process ended" : "Python does not start";
      throw new PythonWorkerLost(function, problem + status() + "; what it wrote is in the log", false, true);
    }
  }

  private byte[] read(int length) throws IOException {
    byte[] part = new byte[length];
    in.readFully(part);
    return part;
  }

  private void write(byte[] part) throws IOException {
    out.writeInt(part.length);
    out.write(part);
  }

  /** Which limit it has reached, or null. */
  String usedUp(PythonLimits limits) {
    if (limits.calls() > 0 && calls >= limits.calls()) {
      return "has answered " + calls + " calls";
    }
    long grown = memory() - memoryAtFirst;
    return grown > limits.memoryBytes() ? "has grown by " + (grown >> 20) + " MB in " + calls + " calls" : null;
  }

  /** Its resident memory in bytes; 0 where the system does not report it. */
  private long memory() {
    try {
      Matcher found = RESIDENT.matcher(Files.readString(Path.of("/proc/" + process.pid() + "/status")));
      return found.find() ? Long.parseLong(found.group(1)) << 10 : 0;
    } catch (IOException | RuntimeException unknown) {
      return 0;
    }
  }

  void end() {
    process.destroyForcibly();
    trace.delete();
  }

  private PythonWorkerLost lost(PythonFunction function, long timeoutMs, boolean repeatable) {
    awaitEnd();
    String where = trace.where();
    end();
    if (timeoutMs > 0) {
      return new PythonWorkerLost(function, "it did not end within " + timeoutMs + " ms" + where + "; its process was killed", true, false);
    }
    return new PythonWorkerLost(function, "its process ended" + status() + where, true, repeatable);
  }

  private void awaitEnd() {
    try {
      process.waitFor(5, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private String status() {
    if (process.isAlive()) {
      return "";
    }
    int status = process.exitValue();
    return status > 128 ? " by signal " + (status - 128) : " with status " + status;
  }
}
