package io.holdfast.kernel.expr;

import org.apache.spark.unsafe.types.CalendarInterval;

/** How much a function may make of a number in a record, called by generated code: more would end the process for want of memory. */
public final class Lengths {
  private static final long MOST_BYTES = 64L << 20;
  private static final long DAY = 86_400_000_000L;
  private static final int SHORTEST_MONTH = 28;

  private Lengths() {}

  /** So many times something of so many bytes. */
  public static int times(int count, int bytes) {
    if ((long) count * Math.max(1, bytes) > MOST_BYTES) {
      throw refusal(count);
    }
    return count;
  }

  /** The last number of a sequence of whole numbers. */
  public static long last(long start, long stop, long step) {
    double count = step == 0 ? 0 : ((double) stop - start) / step + 1;
    if (count * Long.BYTES > MOST_BYTES) {
      throw refusal((long) count);
    }
    return stop;
  }

  /** The step of a sequence that has none. */
  public static long direction(long start, long stop) {
    return start <= stop ? 1 : -1;
  }

  /** The last time of a sequence of times; a step is in microseconds, days and months. */
  public static long lastTime(long start, long stop, CalendarInterval step) {
    requireTimes((double) stop - start, micros(step));
    return stop;
  }

  /** The same with a step in microseconds. */
  public static long lastTime(long start, long stop, long step) {
    requireTimes((double) stop - start, step);
    return stop;
  }

  /** The same with a step in months. */
  public static long lastTime(long start, long stop, int step) {
    requireTimes((double) stop - start, (double) step * SHORTEST_MONTH * DAY);
    return stop;
  }

  /** The last day of a sequence of days. */
  public static int lastDay(int start, int stop, CalendarInterval step) {
    requireTimes(((double) stop - start) * DAY, micros(step));
    return stop;
  }

  /** The same with a step in microseconds. */
  public static int lastDay(int start, int stop, long step) {
    requireTimes(((double) stop - start) * DAY, step);
    return stop;
  }

  /** The same with a step in months. */
  public static int lastDay(int start, int stop, int step) {
    requireTimes(((double) stop - start) * DAY, (double) step * SHORTEST_MONTH * DAY);
    return stop;
  }

  /** The same by days, up or down. */
  public static long lastTime(long start, long stop) {
    requireTimes(Math.abs((double) stop - start), DAY);
    return stop;
  }

  /** The same by days, up or down. */
  public static int lastDay(int start, int stop) {
    requireTimes(Math.abs((double) stop - start), 1);
    return stop;
  }

  private static double micros(CalendarInterval step) {
    return ((double) step.months * SHORTEST_MONTH + step.days) * DAY + step.microseconds;
  }

  private static void requireTimes(double span, double step) {
    double count = step == 0 ? 0 : span / step + 1;
    if (count * Long.BYTES > MOST_BYTES) {
      throw refusal((long) count);
    }
  }

  private static IllegalArgumentException refusal(long count) {
    return new IllegalArgumentException("the record asks for " + count + " of something, more than the " + (MOST_BYTES >> 20)
        + " MB that an expression may make of one record; bound the number, as F.least(n, F.lit(1000)) does");
  }
}
