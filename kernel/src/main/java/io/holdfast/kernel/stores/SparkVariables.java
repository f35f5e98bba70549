package io.holdfast.kernel.stores;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.execution.streaming.operators.stateful.transformwithstate.statefulprocessor.StatefulProcessorHandleImpl;
import org.apache.spark.sql.execution.streaming.state.ColumnFamilyInfo;
import org.apache.spark.sql.execution.streaming.state.RocksDB;
import org.apache.spark.sql.execution.streaming.state.RocksDBKeyStateEncoder;
import org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider;
import org.apache.spark.sql.execution.streaming.state.RocksDBValueStateEncoder;
import org.apache.spark.sql.execution.streaming.state.StateStore;
import org.apache.spark.sql.streaming.StatefulProcessorHandle;
import org.apache.spark.sql.streaming.TTLConfig;
import scala.Tuple3;

/**
 * Declares state variables to Spark, which is necessary in every batch.
 *
 * <p>To declare a variable Spark resolves encoders and generates code, and discards them if the provider of the store knows the variable from an
 * earlier batch; that was a seventh of the time of a small batch. For such a provider only the column family is created.
 */
final class SparkVariables {
  private static final Map<RocksDBStateStoreProvider, Set<String>> KNOWN = Collections.synchronizedMap(new WeakHashMap<>());
  private static final Field STORE = field(StatefulProcessorHandleImpl.class, "store");
  private static final Method ENCODERS = method(RocksDBStateStoreProvider.class,
      "org$apache$spark$sql$execution$streaming$state$RocksDBStateStoreProvider$$keyValueEncoderMap");
  private static final Method PREFIXED = method(RocksDB.class, "encodeStateRowWithPrefix", byte[].class, String.class);
  private static final Method FAMILIES = method(RocksDB.class, "colFamilyNameToInfoMap");
  private static final String SPARKS_OWN = "default";
  private static final String OF_NO_NODE = "~";
  private static final Field DB = field(RocksDB.class, "db");
  private static final Field PROVIDER = field(RocksDBStateStoreProvider.RocksDBStateStore.class, "$outer");

  private SparkVariables() {}

  /** The store behind the handle; null on the driver, where Spark only collects the variables. */
  static StateStore storeOf(StatefulProcessorHandle handle) {
    return handle instanceof StatefulProcessorHandleImpl ? (StateStore) valueOf(STORE, handle) : null;
  }

  /** The provider that the store is of; null if it is not one of RocksDB's. */
  static RocksDBStateStoreProvider providerOf(StateStore store) {
    return store instanceof RocksDBStateStoreProvider.RocksDBStateStore ? (RocksDBStateStoreProvider) valueOf(PROVIDER, store) : null;
  }

  /** The native database of Spark's RocksDB; null while it is not open. */
  static org.rocksdb.RocksDB dbOf(RocksDB rocks) {
    return (org.rocksdb.RocksDB) valueOf(DB, rocks);
  }

  /** The encoders of keys and values of a variable; null if it is not declared. */
  @SuppressWarnings("unchecked")
  static Tuple3<RocksDBKeyStateEncoder, RocksDBValueStateEncoder, Object> encodersOf(RocksDBStateStoreProvider provider, String name) {
    return ((Map<String, Tuple3<RocksDBKeyStateEncoder, RocksDBValueStateEncoder, Object>>) called(ENCODERS, provider)).get(name);
  }

  /** An encoded key of a variable as RocksDB has it, where all variables share one column family. */
  static byte[] prefixed(RocksDB rocks, byte[] encoded, String name) {
    return (byte[]) called(PREFIXED, rocks, encoded, name);
  }

  static Field field(Class<?> owner, String name) {
    try {
      Field field = owner.getDeclaredField(name);
      field.setAccessible(true);
      return field;
    } catch (ReflectiveOperationException other) {
      throw new IllegalStateException("this is not the Spark that the kernel was made for: " + other, other);
    }
  }

  static Method method(Class<?> owner, String name, Class<?>... parameters) {
    try {
      Method method = owner.getDeclaredMethod(name, parameters);
      method.setAccessible(true);
      return method;
    } catch (ReflectiveOperationException other) {
      throw new IllegalStateException("this is not the Spark that the kernel was made for: " + other, other);
    }
  }

  static Object called(Method method, Object owner, Object... arguments) {
    try {
      return method.invoke(owner, arguments);
    } catch (ReflectiveOperationException other) {
      throw new IllegalStateException(other);
    }
  }

  static Object valueOf(Field field, Object owner) {
    try {
      return field.get(owner);
    } catch (IllegalAccessException other) {
      throw new IllegalStateException(other);
    }
  }

  static void declareValue(StatefulProcessorHandle handle, StateStore store, String name) {
    declare(store, name, () -> handle.getValueState(name, Encoders.BINARY(), TTLConfig.NONE()));
  }

  static void declareMap(StatefulProcessorHandle handle, StateStore store, String name) {
    declare(store, name, () -> handle.getMapState(name, Encoders.BINARY(), Encoders.BINARY(), TTLConfig.NONE()));
  }

  /**
   * Drops the variables that an earlier program had and this one has not; otherwise their rows would stay, and a later program with a variable of
   * such a name would find them. A variable that belongs to no node stays: whether it is used depends on the mode.
   */
  static void dropOthers(StateStore store, Set<String> names) {
    RocksDBStateStoreProvider provider = providerOf(store);
    if (provider == null) {
      return;
    }
    for (Map.Entry<String, ColumnFamilyInfo> family : families(provider.rocksDB()).entrySet()) {
      String name = family.getKey();
      if (!family.getValue().isInternal() && !name.equals(SPARKS_OWN) && !name.startsWith(OF_NO_NODE) && !names.contains(name)) {
        store.removeColFamilyIfExists(name);
        KNOWN.computeIfAbsent(provider, p -> ConcurrentHashMap.newKeySet()).remove(name);
      }
    }
  }

  @SuppressWarnings("unchecked")
  private static Map<String, ColumnFamilyInfo> families(RocksDB rocks) {
    return (Map<String, ColumnFamilyInfo>) called(FAMILIES, rocks);
  }

  private static void declare(StateStore store, String name, Runnable declaration) {
    RocksDBStateStoreProvider provider = providerOf(store);
    if (provider == null) {
      declaration.run();
      return;
    }
    Set<String> known = KNOWN.computeIfAbsent(provider, p -> ConcurrentHashMap.newKeySet());
    if (known.contains(name)) {
      provider.rocksDB().createColFamilyIfAbsent(name, false, false);
    } else {
      declaration.run();
      known.add(name);
    }
  }
}
