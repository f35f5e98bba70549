package io.holdfast.kernel.task;

import io.holdfast.kernel.records.HeaderNames;
import io.holdfast.kernel.records.RawHeader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The header that marks replayed records and their results; its value is the number of attempts.
 *
 * <p>A record may come with a header of that name, from another app for example: that is a header like any other, and no mark.
 */
public final class ReplayMark {
  static final String NAME = HeaderNames.REPLAYED;

  private ReplayMark() {}

  static RawHeader of(byte[] attempts) {
    return new RawHeader(NAME, attempts, true);
  }

  /** The value of the mark among the headers, or null if there is none. */
  public static byte[] in(RawHeader[] headers) {
    int at = indexIn(headers);
    return at < 0 ? null : headers[at].value();
  }

  private static int indexIn(RawHeader[] headers) {
    int at = headers == null ? -1 : headers.length - 1;
    while (at >= 0 && !headers[at].mark()) {
      at--;
    }
    return at;
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
    out[n] = of(mark);
    return out;
  }

  /** The headers of the later of two records that make one result, with the mark of the earlier one if it was replayed. */
  public static RawHeader[] carried(RawHeader[] earlier, RawHeader[] later) {
    return on(later, in(earlier));
  }

  /** Headers that user code has chosen after it saw those of a record with its mark; the result has the mark once. */
  public static RawHeader[] chosen(RawHeader[] seen, RawHeader[] headers) {
    byte[] mark = in(seen);
    if (mark == null || headers == null) {
      return on(headers, mark);
    }
    List<RawHeader> out = new ArrayList<>(Arrays.asList(headers));
    for (int i = out.size() - 1; i >= 0; i--) {
      if (out.get(i).name().equals(NAME) && Arrays.equals(out.get(i).value(), mark)) {
        out.remove(i);
        break;
      }
    }
    return on(out.toArray(new RawHeader[0]), mark);
  }

  /** The headers that the record came with. */
  static RawHeader[] without(RawHeader[] headers) {
    return in(headers) == null ? headers : Arrays.stream(headers).filter(h -> !h.mark()).toArray(RawHeader[]::new);
  }
}
