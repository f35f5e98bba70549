package io.holdfast.kernel.spark;

import io.holdfast.kernel.source.KafkaLimits;
import io.holdfast.kernel.source.Serialization;
import io.holdfast.kernel.stores.ForwardingStore;
import io.holdfast.kernel.stores.KeyValueStore;
import io.holdfast.kernel.task.Program;
import io.holdfast.kernel.task.StoreSpec;
import io.holdfast.kernel.task.Task;
import java.io.Serializable;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;

/** A stage's program, serialized for the executors, and a pool of its tasks there, which are reused in the next batch with their generated code. */
final class StageTaskPool implements Serializable {
  private static final Map<String, Program> PROGRAMS = new ConcurrentHashMap<>();
  private static final Map<String, ConcurrentLinkedQueue<PooledTask>> IDLE = new ConcurrentHashMap<>();
  private static final Map<Task, PooledTask> BUSY = new ConcurrentHashMap<>();
  private final String id = UUID.randomUUID().toString();
  private final byte[] bytes;
  private final TreeMap<String, String> clients;

  /** A task and its stores, which are replaced in each batch. */
  private record PooledTask(Task task, ForwardingStores stores) {}

  /**
   * @param clients settings of the app's Kafka clients
   */
  StageTaskPool(Program program, TreeMap<String, String> clients) {
    this.clients = clients;
    this.bytes = Serialization.bytes(program);
  }

  Program program() {
    return PROGRAMS.computeIfAbsent(id, i -> (Program) Serialization.object(bytes));
  }

  /**
   * @param block how large the blocks of output may become
   */
  Task open(Map<String, KeyValueStore> stores, int block) {
    PooledTask pooled = IDLE.computeIfAbsent(id, i -> new ConcurrentLinkedQueue<>()).poll();
    if (pooled == null) {
      ForwardingStores delegates = new ForwardingStores();
      // A program of its own: serdes and functions in it have buffers that two threads must not share.
      pooled = new PooledTask(new Task((Program) Serialization.object(bytes), delegates), delegates);
    }
    pooled.task.pack(block);
    pooled.task.limits(KafkaLimits.of(clients));
    pooled.stores.current = stores;
    BUSY.put(pooled.task, pooled);
    return pooled.task;
  }

  void giveBack(Task task, boolean clean) {
    PooledTask pooled = BUSY.remove(task);
    if (pooled != null && clean) {
      pooled.stores.current = null;
      IDLE.get(id).add(pooled);
    }
  }

  /** Stores that forward to the state of the current batch. */
  private static final class ForwardingStores implements Function<StoreSpec, KeyValueStore> {
    private Map<String, KeyValueStore> current;

    @Override
    public KeyValueStore apply(StoreSpec spec) {
      return new ForwardingStore(() -> current.get(spec.state()));
    }
  }
}
