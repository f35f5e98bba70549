package io.holdfast.kernel.python;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
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
final class ArrowRows {
  private static final BufferAllocator MEMORY = new RootAllocator();
  private static final String ZONE = "UTC";

  private ArrowRows() {}

  static byte[] write(StructType type, List<InternalRow> rows) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (VectorSchemaRoot root = VectorSchemaRoot.create(ArrowUtils.toArrowSchema(type, ZONE, true), MEMORY);
        ArrowStreamWriter stream = new ArrowStreamWriter(root, null, out)) {
      ArrowWriter writer = ArrowWriter.create(root);
      stream.start();
      rows.forEach(writer::write);
      writer.finish();
      stream.writeBatch();
      stream.end();
    } catch (IOException impossible) {
      throw new IllegalStateException(impossible);
    }
    return out.toByteArray();
  }

  /** The rows, each with memory of its own. */
  static List<InternalRow> read(StructType type, byte[] bytes) {
    List<InternalRow> out = new ArrayList<>();
    UnsafeProjection copy = UnsafeProjection.create(type);
    try (ArrowStreamReader stream = new ArrowStreamReader(new ByteArrayInputStream(bytes), MEMORY)) {
      VectorSchemaRoot root = stream.getVectorSchemaRoot();
      while (stream.loadNextBatch()) {
        List<FieldVector> vectors = root.getFieldVectors();
        ColumnVector[] columns = vectors.stream().map(ArrowColumnVector::new).toArray(ColumnVector[]::new);
        Iterator<InternalRow> rows = new ColumnarBatch(columns, root.getRowCount()).rowIterator();
        while (rows.hasNext()) {
          out.add(copy.apply(rows.next()).copy());
        }
      }
    } catch (IOException bad) {
      throw new IllegalStateException("what came from Python cannot be read: " + bad.getMessage(), bad);
    }
    return out;
  }
}
