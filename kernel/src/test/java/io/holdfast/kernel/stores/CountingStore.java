package io.holdfast.kernel.stores;

import java.util.List;

/** A store that counts bytes and rows that are read and written. */
final class CountingStore implements KeyValueStore {
  private final KeyValueStore store;
  long read;
  long written;
  int rows;

  CountingStore(KeyValueStore store) {
    this.store = store;
  }

  @Override
  public byte[] get(byte[] key) {
    byte[] found = store.get(key);
    read += found == null ? 0 : found.length;
    rows++;
    return found;
  }

  @Override
  public void put(byte[] key, byte[] value) {
    written += value.length;
    rows++;
    store.put(key, value);
  }

  @Override
  public void remove(byte[] key) {
    rows++;
    store.remove(key);
  }

  @Override
  public byte[] get(byte[] group, byte[] key) {
    byte[] found = store.get(group, key);
    read += found == null ? 0 : found.length;
    rows++;
    return found;
  }

  @Override
  public void put(byte[] group, byte[] key, byte[] value) {
    written += value.length;
    rows++;
    store.put(group, key, value);
  }

  @Override
  public void remove(byte[] group, byte[] key) {
    rows++;
    store.remove(group, key);
  }

  @Override
  public List<Pair> scan(byte[] group) {
    List<Pair> found = store.scan(group);
    found.forEach(pair -> read += pair.value().length);
    rows += found.size();
    return found;
  }
}
