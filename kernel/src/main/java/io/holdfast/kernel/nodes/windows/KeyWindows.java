package io.holdfast.kernel.nodes.windows;

import java.util.TreeMap;

/** The windows of one key that a batch touches, by their start. */
final class KeyWindows {
  final byte[] bytes;
  final Object key;
  final TreeMap<Long, WindowEntry> windows = new TreeMap<>();
  /** Whether all windows of the key are loaded. */
  boolean allLoaded;

  KeyWindows(byte[] bytes, Object key) {
    this.bytes = bytes;
    this.key = key;
  }
}
