package io.holdfast.kernel.stores;

import java.util.Collection;
import java.util.List;

/** A part of a store with a key space of its own: its keys and groups are prefixed with a letter. */
public final class PrefixedStore implements KeyValueStore {
  private final KeyValueStore store;
  private final byte letter;

  public PrefixedStore(KeyValueStore store, char letter) {
    this.store = store;
    this.letter = (byte) letter;
  }

  private byte[] own(byte[] key) {
    byte[] out = new byte[key.length + 1];
    out[0] = letter;
    System.arraycopy(key, 0, out, 1, key.length);
    return out;
  }

  @Override
  public void fetch(Collection<byte[]> keys) {
    store.fetch(keys.stream().map(this::own).toList());
  }

  @Override
  public byte[] get(byte[] key) {
    return store.get(own(key));
  }

  @Override
  public List<byte[]> getAll(List<byte[]> keys) {
    return store.getAll(keys.stream().map(this::own).toList());
  }

  @Override
  public void put(byte[] key, byte[] value) {
    store.put(own(key), value);
  }

  @Override
  public void remove(byte[] key) {
    store.remove(own(key));
  }

  @Override
  public byte[] get(byte[] group, byte[] key) {
    return store.get(own(group), key);
  }

  @Override
  public void put(byte[] group, byte[] key, byte[] value) {
    store.put(own(group), key, value);
  }

  @Override
  public void remove(byte[] group, byte[] key) {
    store.remove(own(group), key);
  }

  @Override
  public List<Pair> scan(byte[] group) {
    return store.scan(own(group));
  }
}
