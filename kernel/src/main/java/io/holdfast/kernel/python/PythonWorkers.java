package io.holdfast.kernel.python;

import java.io.Serializable;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.UnaryOperator;

/**
 * Runs functions in Python processes beside this one; each serves one caller at a time and is kept for the next.
 *
 * @param command how a worker is started
 * @param environment what it finds in its environment besides ours
 * @param timeoutMs how long one call may take
 */
public record PythonWorkers(List<String> command, Map<String, String> environment, long timeoutMs)
    implements PythonCalls, Serializable {
  private static final Map<PythonWorkers, Queue<PythonWorker>> IDLE = new ConcurrentHashMap<>();

  @Override
  public byte[] call(PythonFunction function, byte[] arguments, UnaryOperator<byte[]> asked) {
    Queue<PythonWorker> idle = IDLE.computeIfAbsent(this, w -> new ConcurrentLinkedQueue<>());
    PythonWorker worker = idle.poll();
    if (worker == null || !worker.isAlive()) {
      worker = PythonWorker.start(command, environment);
    }
    byte[] answer = worker.call(function, arguments, asked, timeoutMs);
    if (worker.isAlive()) {
      idle.add(worker);
    }
    return answer;
  }
}
