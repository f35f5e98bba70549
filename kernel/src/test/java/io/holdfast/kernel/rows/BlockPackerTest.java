package io.holdfast.kernel.rows;

import io.holdfast.kernel.Checks;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Records come out of blocks as they went in: per label all of them, in order. */
public final class BlockPackerTest {
  private static final int MOST = 1000;

  private BlockPackerTest() {}

  public static void main(String[] args) {
    Checks check = new Checks();
    Random random = new Random(1);
    for (int most : new int[] {BlockPacker.NONE, MOST}) {
      for (int round = 0; round < 300; round++) {
        one(check, random, new BlockPacker(most), most);
      }
    }
    forgotten(check);
    check.end();
  }

  private static void one(Checks check, Random random, BlockPacker blocks, int most) {
    Map<Short, List<String>> wanted = new HashMap<>();
    Map<Short, List<String>> found = new HashMap<>();
    int count = random.nextInt(200);
    for (int i = 0; i < count; i++) {
      short label = (short) (random.nextInt(5) * 9000);
      byte[] record = record(random);
      wanted.computeIfAbsent(label, l -> new ArrayList<>()).add(Arrays.toString(record));
      blocks.add(label, record, 0, record.length);
      if (random.nextInt(50) == 0) {
        blocks.take().forEach(payload -> read(check, payload, most, found));
      }
    }
    blocks.flush();
    for (byte[] payload : blocks.take()) {
      read(check, payload, most, found);
      BlockPacker again = new BlockPacker(BlockPacker.NONE);
      again.add(payload);
      check.equal("label of what is passed on", Block.label(payload), Block.label(again.take().get(0)));
    }
    check.equal("records", wanted, found);
  }

  /** A record as it is behind its label: some are larger than a block may be. */
  private static byte[] record(Random random) {
    byte[] out = new byte[2 + random.nextInt(random.nextInt(20) == 0 ? 3 * MOST : 60)];
    random.nextBytes(out);
    out[0] = 0;
    return out;
  }

  private static void read(Checks check, byte[] payload, int most, Map<Short, List<String>> found) {
    int[] count = new int[1];
    Block.read(payload, (bytes, at, length) -> {
      count[0]++;
      found.computeIfAbsent(Block.label(payload), l -> new ArrayList<>()).add(Arrays.toString(Arrays.copyOfRange(bytes, at, at + length)));
    });
    check.equal("a large record has a block of its own", true, count[0] == 1 || payload.length <= most);
    check.equal("none without blocks", true, most != BlockPacker.NONE || count[0] == 1);
  }

  private static void forgotten(Checks check) {
    BlockPacker blocks = new BlockPacker(MOST);
    blocks.add((short) 1, new byte[] {0, 1}, 0, 2);
    blocks.clear();
    blocks.flush();
    check.equal("cleared", 0, blocks.take().size());
  }
}
