package io.holdfast.kernel.source;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** Settings of an app's Kafka clients, which may have passwords: Spark shows and logs options, so options only name the app. */
public final class ClientSettings {
  /** The option that names the app whose settings are meant. */
  public static final String OPTION = "clients";

  private static final Map<String, Map<String, String>> KNOWN = new ConcurrentHashMap<>();

  private ClientSettings() {}

  /** Registers the settings of an app in the process of the driver. */
  public static void register(String app, Map<String, String> settings) {
    KNOWN.put(app, Map.copyOf(settings));
  }

  /** The options with the settings of the app that they name, each as `kafka.` and its name. */
  public static CaseInsensitiveStringMap resolve(CaseInsensitiveStringMap options) {
    String app = options.get(OPTION);
    if (app == null) {
      return options;
    }
    Map<String, String> all = new HashMap<>(options.asCaseSensitiveMap());
    all.keySet().removeIf(OPTION::equalsIgnoreCase);
    KNOWN.getOrDefault(app, Map.of()).forEach((name, value) -> all.put("kafka." + name, value));
    return new CaseInsensitiveStringMap(all);
  }
}
