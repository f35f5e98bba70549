package io.holdfast.kernel.stores;

import io.holdfast.kernel.Checks;
import java.util.Arrays;
import java.util.Random;

/** What lies behind a row is found again; a row with nothing behind it is as it always was. */
public final class RowExtraTest {
  private RowExtraTest() {}

  public static void main(String[] arguments) {
    Checks checks = new Checks();
    Random random = new Random(7);
    for (int words = 1; words < 6; words++) {
      byte[] row = bytes(random, words * 8);
      checks.equal("nothing behind it", row, RowExtra.with(row, null));
      checks.equal("its length", row.length, RowExtra.rowLength(row));
      checks.equal("and nothing is found", null, RowExtra.of(row));
      for (int length = 0; length < 40; length++) {
        byte[] extra = bytes(random, length);
        byte[] stored = RowExtra.with(row, extra);
        String what = words + " words and " + length + " bytes";
        checks.equal(what, Arrays.toString(extra), Arrays.toString(RowExtra.of(stored)));
        checks.equal(what + ": the row", true, Arrays.equals(row, 0, row.length, stored, 0, RowExtra.rowLength(stored)));
        byte[] among = new byte[stored.length + 22];
        System.arraycopy(stored, 0, among, 13, stored.length);
        checks.equal(what + " among others", Arrays.toString(extra), Arrays.toString(RowExtra.of(among, 13, stored.length)));
        checks.equal(what + " among others: the row", row.length, RowExtra.rowLength(among, 13, stored.length));
      }
    }
    checks.end();
  }

  private static byte[] bytes(Random random, int length) {
    byte[] out = new byte[length];
    random.nextBytes(out);
    return out;
  }
}
