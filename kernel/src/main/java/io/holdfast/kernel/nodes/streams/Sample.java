package io.holdfast.kernel.nodes.streams;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.kernel.nodes.NodeCompiler;
import io.holdfast.kernel.nodes.Operator;
import io.holdfast.kernel.nodes.PlanNodes;
import io.holdfast.kernel.task.Node;
import io.holdfast.kernel.task.Order;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.RowCodec;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.Task;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.XXH64;
import org.apache.spark.unsafe.Platform;

/**
 * Keeps the records whose hash is small. What is hashed does not change when a batch is repeated, begins elsewhere or runs in another task,
 * and it is not the hash that chooses the task of a key: else some tasks would keep all, and others nothing.
 */
public final class Sample extends Node {
  public static final List<Operator> OPERATORS = List.of(new Operator("sample", SampleCompiler::new));
  /** One over the number of hashes that are told apart: as many as a double can. */
  private static final double UNIT = 0x1p-53;
  private final double fraction;
  private final boolean byKey;
  private final long seed;
  private final RowCodec keys;
  /** The hashes of the topics' names: their numbers may change with the program. */
  private final long[] topics;

  private Sample(NodeSpec spec, Task task, double fraction, boolean byKey, long seed) {
    super(spec.id);
    this.fraction = fraction;
    this.byKey = byKey;
    this.seed = seed;
    this.keys = task.codec(spec.key);
    this.topics = task.program().topics().stream().mapToLong(name -> hash(name.getBytes(StandardCharsets.UTF_8), seed)).toArray();
  }

  @Override
  protected void process(StreamRecord r) {
    if ((hash(r) >>> 11) * UNIT < fraction) {
      emit(r);
    }
  }

  /** One source record may close a thousand windows, so that where it was is not enough to tell their results apart: their keys do. */
  private long hash(StreamRecord r) {
    long key = r.key == null ? seed : hash(task.keyBytes(r, keys), seed);
    if (byKey && r.key != null) {
      return key;
    }
    if (!Order.hasSource(r.order)) {
      return XXH64.hashLong(r.timestamp, key);
    }
    long topic = XXH64.hashLong(topics[Order.topic(r.order)], key);
    return XXH64.hashLong(Order.offset(r.order), XXH64.hashLong(Order.partition(r.order), topic));
  }

  private static long hash(byte[] bytes, long seed) {
    return XXH64.hashUnsafeBytes(bytes, Platform.BYTE_ARRAY_OFFSET, bytes.length, seed);
  }

  private static final class SampleCompiler extends NodeCompiler {
    SampleCompiler(JsonNode node, PlanNodes plan) {
      super(node, plan);
    }

    @Override
    public NodeSpec compile() {
      double fraction = node.get("fraction").asDouble();
      boolean byKey = node.get("by").asText().equals("key");
      long seed = node.get("seed").asLong();
      return stateless(key(0), value(0), (s, t) -> new Sample(s, t, fraction, byKey, seed));
    }
  }
}
