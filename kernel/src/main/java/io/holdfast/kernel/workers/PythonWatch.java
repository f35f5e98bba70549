package io.holdfast.kernel.workers;

import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.spark.TaskContext;

/** Ends a worker whose call exceeds its timeout, or whose task was killed: reading from a process cannot be interrupted. */
final class PythonWatch implements AutoCloseable {
  private static final long CHECK_MS = 500;
  private static final ScheduledThreadPoolExecutor CLOCK = clock();
  private final Process process;
  private final PythonTrace trace;
  private final TaskContext caller = TaskContext.get();
  private final long deadline;
  private final ScheduledFuture<?> checks;
  private volatile boolean timedOut;

  PythonWatch(Process process, PythonTrace trace, long timeoutMs) {
    this.process = process;
    this.trace = trace;
    this.deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    long every = Math.min(CHECK_MS, Math.max(1, timeoutMs));
    this.checks = CLOCK.scheduleWithFixedDelay(this::check, every, every, TimeUnit.MILLISECONDS);
  }

  private static ScheduledThreadPoolExecutor clock() {
    ScheduledThreadPoolExecutor made = new ScheduledThreadPoolExecutor(1, task -> {
      Thread thread = new Thread(task, "holdfast-python-watch");
      thread.setDaemon(true);
      return thread;
    });
    made.setRemoveOnCancelPolicy(true);
    return made;
  }

  boolean timedOut() {
    return timedOut;
  }

  private void check() {
    if (caller != null && caller.isInterrupted()) {
      process.destroyForcibly();
    } else if (System.nanoTime() - deadline >= 0 && !timedOut) {
      timedOut = true;
      trace.ask(process.pid());
      process.destroyForcibly();
    }
  }

  @Override
  public void close() {
    checks.cancel(false);
  }
}
