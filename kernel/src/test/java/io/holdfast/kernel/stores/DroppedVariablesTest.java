package io.holdfast.kernel.stores;

import io.holdfast.kernel.Checks;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.execution.streaming.state.NoPrefixKeyStateEncoderSpec;
import org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider;
import org.apache.spark.sql.execution.streaming.state.StateStore;
import org.apache.spark.sql.types.StructType;
import scala.Option;

/** Variables that a program does not have any more are dropped, and a later program with the same name finds none of their rows. */
public final class DroppedVariablesTest {
  private static final StructType BYTES = Providers.BYTES;
  private static final byte[] TASK = {0, 0, 0, 7};
  private static final byte[] KEY = "key".getBytes(StandardCharsets.UTF_8);
  private final Checks check = new Checks();
  private final Path home;

  private DroppedVariablesTest() throws IOException {
    home = check.folder();
  }

  public static void main(String[] args) throws IOException {
    DroppedVariablesTest test = new DroppedVariablesTest();
    test.run(0, "first", "second");
    test.check.equal("both are there", "first, second", test.run(1, "first", "second"));
    test.check.equal("one is left", "first", test.run(2, "first"));
    test.check.equal("the other is empty", "first", test.run(3, "first", "second"));
    test.check.equal("and continues", "first, second", test.run(4, "first", "second"));
    test.check.end();
  }

  /** A batch of a program with these variables, which writes into each; returns those that had rows. */
  private String run(long version, String... names) {
    RocksDBStateStoreProvider provider = Providers.of(home, Map.of("changelogCheckpointing.enabled", "true"));
    StateStore store = provider.getStore(version, Option.empty(), false, false);
    StringBuilder found = new StringBuilder();
    SparkVariables.dropOthers(store, Set.of(names));
    for (String name : names) {
      store.createColFamilyIfAbsent(name, BYTES, BYTES, new NoPrefixKeyStateEncoderSpec(BYTES), false, false);
      SparkRows rows = new SparkRows(store, name, null);
      if (rows.get(TASK, KEY) != null) {
        found.append(found.isEmpty() ? "" : ", ").append(name);
      }
      rows.put(TASK, KEY, KEY);
    }
    store.commit();
    provider.close();
    return found.toString();
  }
}
