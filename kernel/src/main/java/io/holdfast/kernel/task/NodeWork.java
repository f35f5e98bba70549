package io.holdfast.kernel.task;

import io.holdfast.kernel.records.OutputRow;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What the nodes of a task do: how many records each takes, how long that lasts, and the latest time of what sources read. */
final class NodeWork {
  private static final String TAKEN = "taken";
  private static final String BY_INPUT = "by_input";
  private static final String BUSY = "busy";
  private final Map<String, Work> byNode = new HashMap<>();

  private static final class Work {
    final boolean isSource;
    final long[] byInput;
    long records;
    long nanoseconds;
    long latest = Long.MIN_VALUE;

    Work(NodeSpec spec) {
      isSource = spec.inputs.isEmpty();
      byInput = new long[spec.recordInputs() > 1 ? spec.recordInputs() : 0];
    }

    void see(List<StreamRecord> batch) {
      records += batch.size();
      if (isSource) {
        seeTimes(batch);
      } else if (byInput.length > 0) {
        seeInputs(batch);
      }
    }

    private void seeTimes(List<StreamRecord> batch) {
      for (StreamRecord r : batch) {
        latest = Math.max(latest, r.timestamp);
      }
    }

    private void seeInputs(List<StreamRecord> batch) {
      for (StreamRecord r : batch) {
        if (r.port < byInput.length) {
          byInput[r.port]++;
        }
      }
    }
  }

  NodeWork(List<NodeSpec> specs) {
    specs.forEach(spec -> byNode.put(spec.id, new Work(spec)));
  }

  /** Runs a node on what has come for it. */
  void run(String id, Node node) {
    List<StreamRecord> batch = node.waiting();
    if (batch.isEmpty()) {
      node.runBatch();
      return;
    }
    Work work = byNode.get(id);
    work.see(batch);
    measure(work, node::runBatch);
  }

  /** Advances the time of a node, from which windows close and timers fire. */
  void advance(String id, Runnable step) {
    measure(byNode.get(id), step);
  }

  private static void measure(Work work, Runnable step) {
    long began = System.nanoTime();
    step.run();
    work.nanoseconds += System.nanoTime() - began;
  }

  /** Adds to the counters what has been done since the last call. */
  void count(Counters counters) {
    byNode.forEach((id, work) -> {
      if (work.nanoseconds > 0) {
        count(counters, id, work);
      }
    });
  }

  private static void count(Counters counters, String id, Work work) {
    counters.add(TAKEN, id, work.records);
    counters.add(BUSY, id, work.nanoseconds);
    for (int input = 0; input < work.byInput.length; input++) {
      counters.add(BY_INPUT, id + "#" + input, work.byInput[input]);
      work.byInput[input] = 0;
    }
    if (work.isSource && work.latest != Long.MIN_VALUE) {
      counters.latest(OutputRow.SOURCE_TIME, id, work.latest);
    }
    work.records = 0;
    work.nanoseconds = 0;
    work.latest = Long.MIN_VALUE;
  }
}
