package io.holdfast.kernel.workers;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.execution.arrow.ArrowWriter;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.ArrowUtils;
import org.apache.spark.sql.vectorized.ArrowColumnVector;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/** Rows as a stream of Arrow's, and back. */
public final class ArrowRows {
  private static final BufferAllocator MEMORY = new RootAllocator();
  private static final String ZONE = "UTC";
  /** Projections that copy rows of a type, which are not thread-safe and slow to make. */
  private static final Map<StructType, Queue<UnsafeProjection>> COPIES = new ConcurrentHashMap<>();

  private ArrowRows() {}

  public static byte[] write(StructType type, List<? extends InternalRow> rows) {
    long start = System.nanoTime();
    ByteArrayOutputStream out = new ByteArrayOutputStream(1 << 16);
    try (VectorSchemaRoot root = VectorSchemaRoot.create(ArrowUtils.toArrowSchema(type, ZONE, true), MEMORY);
        ArrowStreamWriter stream = new ArrowStreamWriter(root, null, out)) {
      ArrowWriter writer = ArrowWriter.create(root);
      stream.start();
      for (int i = 0; i < rows.size(); i++) {
        writer.write(rows.get(i));
      }
      writer.finish();
      stream.writeBatch();
      stream.end();
    } catch (IOException impossible) {
      throw new IllegalStateException(impossible);
    }
    PythonTimes.since(start, "arrow");
    return out.toByteArray();
  }

  /** The rows, each with memory of its own. */
  public static List<InternalRow> read(StructType type, byte[] bytes) {
    long start = System.nanoTime();
    Queue<UnsafeProjection> idle = COPIES.computeIfAbsent(type, t -> new ConcurrentLinkedQueue<>());
    UnsafeProjection known = idle.poll();
    UnsafeProjection copy = known == null ? UnsafeProjection.create(type) : known;
    List<InternalRow> out;
    try (ArrowStreamReader stream = new ArrowStreamReader(new ByteArrayInputStream(bytes), MEMORY)) {
      out = copied(stream, copy);
    } catch (IOException bad) {
      throw new IllegalStateException("what came from Python cannot be read: " + bad.getMessage(), bad);
    }
    idle.add(copy);
    PythonTimes.since(start, "arrow");
    return out;
  }

  private static List<InternalRow> copied(ArrowStreamReader stream, UnsafeProjection copy) throws IOException {
    List<InternalRow> out = new ArrayList<>();
    VectorSchemaRoot root = stream.getVectorSchemaRoot();
    PythonTimes.addReported(root.getSchema().getCustomMetadata());
    while (stream.loadNextBatch()) {
      List<FieldVector> vectors = root.getFieldVectors();
      ColumnVector[] columns = vectors.stream().map(ArrowColumnVector::new).toArray(ColumnVector[]::new);
      Iterator<InternalRow> rows = new ColumnarBatch(columns, root.getRowCount()).rowIterator();
      while (rows.hasNext()) {
        out.add(copy.apply(rows.next()).copy());
      }
    }
    return out;
  }
}
