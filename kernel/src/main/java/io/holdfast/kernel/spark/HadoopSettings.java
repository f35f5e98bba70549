package io.holdfast.kernel.spark;

import java.lang.reflect.Field;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;

/** Hadoop's settings, which Spark sends to the tasks of every stateful stage of every batch. */
final class HadoopSettings {
  private HadoopSettings() {}

  /**
   * Drops the record of which file each of the thousand settings came from.
   *
   * <p>It is not used, but compressed with gzip, setting by setting, whenever the settings are sent: 5 ms for each stage.
   */
  static void forgetOrigins(Configuration settings) {
    settings.size(); // reads the files, if that has not been done
    try {
      Field origins = Configuration.class.getDeclaredField("updatingResource");
      origins.setAccessible(true);
      if (origins.get(settings) instanceof Map<?, ?> known) {
        known.clear();
      }
    } catch (ReflectiveOperationException | RuntimeException another) {
      // Another Hadoop: batches take a little longer.
    }
  }
}
