package io.holdfast.kernel.records;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Records in the app's own topics that it did not write: they are skipped, and logged once for each topic and reason. */
public final class ForeignRecords {
  private static final Logger LOG = LoggerFactory.getLogger(ForeignRecords.class);
  private static final Set<String> LOGGED = ConcurrentHashMap.newKeySet();

  private ForeignRecords() {}

  public static void log(String topic, int partition, long offset, String reason) {
    if (LOGGED.add(topic + ": " + reason)) {
      LOG.warn("{}, partition {}, offset {}: skipped, not a record of this app: {}; others like it are only counted", topic, partition, offset, reason);
    }
  }
}
