package io.holdfast.kernel.workers;

import java.io.Serializable;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.UnaryOperator;
import org.apache.spark.TaskContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A pool of Python worker processes that run functions; each serves one caller at a time.
 *
 * <p>A call whose process ends is repeated in a new one, unless the function has asked the kernel a question by then: the answer may have changed
 * state.
 *
 * @param start how a worker is started
 * @param limits what a worker may use
 */
public record PythonWorkerPool(PythonStart start, PythonLimits limits) implements PythonCalls, Serializable {
  private static final Logger LOG = LoggerFactory.getLogger(PythonWorkerPool.class);
  private static final int TRIES = 2;
  private static final Map<PythonWorkerPool, Queue<PythonWorker>> IDLE = new ConcurrentHashMap<>();

  @Override
  public byte[] call(PythonFunction function, byte[] arguments, UnaryOperator<byte[]> asked) {
    for (int tried = 1; ; tried++) {
      PythonWorker worker = take();
      try {
        byte[] answer = worker.call(function, arguments, asked, limits);
        give(worker);
        return answer;
      } catch (PythonWorkerLost lost) {
        endIfUnwanted();
        if (!lost.repeatable() || tried == TRIES) {
          throw lost;
        }
        LOG.warn("{}; it is repeated in a new process", lost.getMessage());
      }
    }
  }

  /** A process may have been ended because Spark has killed the task; then nothing is repeated. */
  private static void endIfUnwanted() {
    TaskContext task = TaskContext.get();
    if (task != null) {
      task.killTaskIfInterrupted();
    }
  }

  /** Starts workers ahead of the first calls: Python takes a while to be ready. */
  public void prepare(int count) {
    for (int i = idle().size(); i < count; i++) {
      idle().add(PythonWorker.start(start));
    }
  }

  private PythonWorker take() {
    PythonWorker worker = idle().poll();
    while (worker != null && !worker.isAlive()) {
      worker = idle().poll();
    }
    return worker == null ? PythonWorker.start(start) : worker;
  }

  private void give(PythonWorker worker) {
    String used = worker.usedUp(limits);
    if (used == null) {
      idle().add(worker);
    } else {
      LOG.info("a Python process {}; it is replaced", used);
      worker.end();
    }
  }

  private Queue<PythonWorker> idle() {
    return IDLE.computeIfAbsent(this, w -> new ConcurrentLinkedQueue<>());
  }
}
