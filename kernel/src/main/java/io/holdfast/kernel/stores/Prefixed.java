package io.holdfast.kernel.stores;

import java.util.List;

/** A part of a store, so that several things can share one without a store of their own each. */
public final class Prefixed implements KeyValueStore {
  private final KeyValueStore store;
  private final byte prefix;

  public Prefixed(KeyValueStore store, char prefix) {
    this.store = store;
    this.prefix = (byte) prefix;
  }

  private byte[] in(byte[] key) {
    byte[] out = new byte[key.length + 1];
    out[0] = prefix;
    System.arraycopy(key, 0, out, 1, key.length);
    return out;
  }

  @Override
  public byte[] get(byte[] key) {
    return store.get(in(key));
  }

  @Override
  public void put(byte[] key, byte[] value) {
    store.put(in(key), value);
  }

  @Override
  public void remove(byte[] key) {
    store.remove(in(key));
  }

  @Override
  public byte[] get(byte[] group, byte[] key) {
    return store.get(in(group), key);
  }

  @Override
  public void put(byte[] group, byte[] key, byte[] value) {
    store.put(in(group), key, value);
  }

  @Override
  public void remove(byte[] group, byte[] key) {
    store.remove(in(group), key);
  }

  @Override
  public List<Pair> scan(byte[] group) {
    return store.scan(in(group));
  }
}
