package io.holdfast.kernel.spark;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.apache.spark.sql.streaming.StreamingQuery;

/** Spark's reports on the epochs of a query. */
public final class ProgressReports {
  private ProgressReports() {}

  /** Those on epochs that ran after the given one, as a JSON array; Spark keeps the last few. */
  public static String after(StreamingQuery query, long epoch) {
    return Arrays.stream(query.recentProgress())
        .filter(report -> report.batchId() > epoch && report.durationMs().containsKey("addBatch"))
        .map(report -> report.json())
        .collect(Collectors.joining(",", "[", "]"));
  }
}
