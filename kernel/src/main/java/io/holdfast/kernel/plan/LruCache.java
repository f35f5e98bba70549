package io.holdfast.kernel.plan;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/** A cache of results for recent texts. */
public final class LruCache<V> {
  private static final int MOST = 64;
  private final Map<String, V> known = Collections.synchronizedMap(new LinkedHashMap<>(MOST, 0.75f, true) {
    @Override
    protected boolean removeEldestEntry(Map.Entry<String, V> eldest) {
      return size() > MOST;
    }
  });

  public V get(String text, Function<String, V> work) {
    V found = known.get(text);
    if (found == null) {
      found = work.apply(text);
      known.put(text, found);
    }
    return found;
  }
}
