package io.holdfast.kernel.stores;

/** State of the task whose turn it is: bytes by key. */
public interface KeyValueStore {
  byte[] get(byte[] key);

  void put(byte[] key, byte[] value);

  void remove(byte[] key);
}
