package io.holdfast.kernel.stores;

import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;

/** A store that stays while the state behind it is replaced. */
public final class ForwardingStore implements KeyValueStore {
  private final Supplier<KeyValueStore> current;

  public ForwardingStore(Supplier<KeyValueStore> current) {
    this.current = current;
  }

  @Override
  public void fetch(Collection<byte[]> keys) {
    current.get().fetch(keys);
  }

  @Override
  public byte[] get(byte[] key) {
    return current.get().get(key);
  }

  @Override
  public List<byte[]> getAll(List<byte[]> keys) {
    return current.get().getAll(keys);
  }

  @Override
  public void put(byte[] key, byte[] value) {
    current.get().put(key, value);
  }

  @Override
  public void putAll(List<byte[]> keys, List<byte[]> values) {
    current.get().putAll(keys, values);
  }

  @Override
  public void remove(byte[] key) {
    current.get().remove(key);
  }

  @Override
  public byte[] get(byte[] group, byte[] key) {
    return current.get().get(group, key);
  }

  @Override
  public void put(byte[] group, byte[] key, byte[] value) {
    current.get().put(group, key, value);
  }

  @Override
  public void remove(byte[] group, byte[] key) {
    current.get().remove(group, key);
  }

  @Override
  public List<Pair> scan(byte[] group) {
    return current.get().scan(group);
  }
}
