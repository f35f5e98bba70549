package io.holdfast.kernel.python;

import io.holdfast.kernel.task.KernelError;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * One Python process. A call is: the function's name, its code if it is new there, the arguments; each with its length before it. The
 * answer is a length and bytes; before it may come questions, each with its length as a negative number, answered in the same way.
 */
final class PythonWorker {
  private static final ScheduledExecutorService WATCH = Executors.newSingleThreadScheduledExecutor(task -> {
    Thread thread = new Thread(task, "holdfast-python-watch");
    thread.setDaemon(true);
    return thread;
  });
  private final Process process;
  private final DataOutputStream out;
  private final DataInputStream in;
  private final Set<String> known = new HashSet<>();
  private volatile boolean tooLong;

  private PythonWorker(Process process) {
    this.process = process;
    this.out = new DataOutputStream(new BufferedOutputStream(process.getOutputStream(), 1 << 16));
    this.in = new DataInputStream(new BufferedInputStream(process.getInputStream(), 1 << 16));
  }

  static PythonWorker start(List<String> command, Map<String, String> environment) {
    ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().putAll(environment);
    try {
      return new PythonWorker(builder.start());
    } catch (IOException e) {
      throw new KernelError("", "", "Python cannot be started with " + command.get(0) + ": " + e.getMessage());
    }
  }

  boolean isAlive() {
    return process.isAlive();
  }

  byte[] call(PythonFunction function, byte[] arguments, UnaryOperator<byte[]> asked, long timeoutMs) {
    ScheduledFuture<?> alarm = WATCH.schedule(this::stop, timeoutMs, TimeUnit.MILLISECONDS);
    try {
      send(function, arguments);
      int length = in.readInt();
      while (length < 0) {
        write(asked.apply(read(-length)));
        out.flush();
        length = in.readInt();
      }
      return read(length);
    } catch (IOException e) {
      process.destroyForcibly();
      throw new KernelError("", "", ended(function, timeoutMs));
    } finally {
      alarm.cancel(false);
    }
  }

  private byte[] read(int length) throws IOException {
    byte[] part = new byte[length];
    in.readFully(part);
    return part;
  }

  private void stop() {
    tooLong = true;
    process.destroyForcibly();
  }

  private String ended(PythonFunction function, long timeoutMs) {
    if (tooLong) {
      return "the Python function " + function.id() + " did not end within " + timeoutMs / 1000 + " s; its process was killed";
    }
    try {
      process.waitFor(5, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    String status = process.isAlive() ? "" : ", with status " + process.exitValue();
    return "the Python process ended in the function " + function.id() + status + "; what it wrote is in the log";
  }

  private void send(PythonFunction function, byte[] arguments) throws IOException {
    write(function.key().getBytes(StandardCharsets.UTF_8));
    write(known.add(function.key()) ? function.code() : new byte[0]);
    write(arguments);
    out.flush();
  }

  private void write(byte[] part) throws IOException {
    out.writeInt(part.length);
    out.write(part);
  }
}
