package io.holdfast.kernel.task;

import io.holdfast.kernel.source.RawHeader;
import java.util.Arrays;

/** The header of records that came back after they had been refused; it says how often, and stays with what becomes of them. */
public final class ReplayMark {
  static final String NAME = "hf-replayed";

  private ReplayMark() {}

  /** The mark among the headers, or null. */
  public static byte[] in(RawHeader[] headers) {
    for (int i = headers == null ? -1 : headers.length - 1; i >= 0; i--) {
      if (headers[i].name().equals(NAME)) {
        return headers[i].value();
      }
    }
    return null;
  }

  /**
   * The headers with the mark of an earlier record, unless they have one.
   *
   * @param mark null if that one was not replayed
   */
  public static RawHeader[] on(RawHeader[] headers, byte[] mark) {
    if (mark == null || in(headers) != null) {
      return headers;
    }
    int n = headers == null ? 0 : headers.length;
    RawHeader[] out = n == 0 ? new RawHeader[1] : Arrays.copyOf(headers, n + 1);
    out[n] = new RawHeader(NAME, mark);
    return out;
  }

  /** The headers of the later of two records that give one result, which says if the earlier one was replayed. */
  public static RawHeader[] carried(RawHeader[] earlier, RawHeader[] later) {
    return on(later, in(earlier));
  }
}
