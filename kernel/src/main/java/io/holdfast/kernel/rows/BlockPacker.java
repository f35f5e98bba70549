package io.holdfast.kernel.rows;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Packs the output records of each task into blocks, unless each must be sent at once or their order across tasks matters; those of one task stay
 * in order.
 */
public final class BlockPacker {
  /** About how large blocks are, as a rule; a record that is larger has one of its own. */
  public static final int USUAL = 32 << 10;
  /** In real-time mode all records of a poll for one task are one block, so that the task can sort them, up to this size. */
  public static final int WHOLE = 8 << 20;
  /** Each record is a payload of its own. */
  public static final int NONE = 0;
  /** The most bytes that may wait for blocks to be filled. */
  private static final int MOST_WAITING = 4 << 20;
  /** By label; tasks have small ones. */
  private Block[] open = {};
  private final int most;
  private List<byte[]> done = new ArrayList<>();
  private byte[] room;
  private long waiting;

  /**
   * @param most how large a block may become; {@link #NONE} if there are to be none
   */
  public BlockPacker(int most) {
    this.most = most;
  }

  /** Makes room for a record without its label and returns its position in {@link #bytes}. */
  public int room(short label, int length) {
    if (most == NONE) {
      room = Block.single(label, length);
      done.add(room);
      return room.length - length;
    }
    if (waiting + length > Math.max(MOST_WAITING, most)) {
      flush();
    }
    Block block = of(label);
    if (!block.isEmpty() && block.sizeWith(length) > most) {
      finish(label, block);
    }
    int before = block.size();
    int at = block.room(length);
    waiting += block.size() - before;
    room = block.bytes;
    return at;
  }

  /** The array of the record for which room was made last. */
  public byte[] bytes() {
    return room;
  }

  private Block of(short label) {
    int at = label & 0xFFFF;
    if (at >= open.length) {
      open = Arrays.copyOf(open, Math.max(at + 1, 2 * open.length));
    }
    if (open[at] == null) {
      open[at] = new Block();
    }
    return open[at];
  }

  private void finish(short label, Block block) {
    waiting -= block.size();
    done.add(block.take(label));
  }

  /** Adds the records of a payload. */
  public void add(byte[] payload) {
    short label = Block.label(payload);
    Block.read(payload, (bytes, at, length) -> add(label, bytes, at, length));
  }

  /** Adds a record out of a payload. */
  public void add(short label, byte[] from, int begin, int length) {
    int at = room(label, length);
    System.arraycopy(from, begin, room, at, length);
  }

  /** Finishes all blocks. */
  public void flush() {
    for (int label = 0; label < open.length; label++) {
      if (open[label] != null && !open[label].isEmpty()) {
        finish((short) label, open[label]);
      }
    }
  }

  /** Returns and removes the finished payloads. */
  public List<byte[]> take() {
    List<byte[]> out = done;
    done = new ArrayList<>();
    return out;
  }

  /** Forgets all. */
  public void clear() {
    flush();
    done.clear();
  }
}
