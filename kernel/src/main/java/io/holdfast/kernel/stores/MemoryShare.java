package io.holdfast.kernel.stores;

import java.lang.ref.Cleaner;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.SparkEnv;
import org.apache.spark.unsafe.Platform;

/**
 * Memory outside of the heap for one owner: each owner has an equal share of the total.
 *
 * <p>It is freed when its owner is garbage-collected, so that a task that was abandoned leaks none.
 */
final class MemoryShare {
  private static final String SETTING = "spark.holdfast.stateCache";
  private static final Cleaner CLEANER = Cleaner.create();
  private final Allocation taken;

  /** The memory of all owners. */
  static final class Total {
    private final long most;
    private long used;
    private int owners;

    Total(long most) {
      this.most = most;
    }

    boolean isNothing() {
      return most == 0;
    }

    synchronized long used() {
      return used;
    }
  }

  /** The memory that caches of this process share; Spark must have started when it is first used. */
  private static final class Process {
    private static final Total TOTAL = new Total(SparkEnv.get() == null ? 0 : SparkEnv.get().conf().getSizeAsBytes(SETTING, "0"));
  }

  static Total ofProcess() {
    return Process.TOTAL;
  }

  /** The memory of one owner, without a reference to the owner. */
  private static final class Allocation implements Runnable {
    private final Total total;
    private final Map<Long, Long> sizes = new HashMap<>();
    private long bytes;
    /** Whether the owner counts, because it has requested memory. */
    private boolean counted;

    Allocation(Total total) {
      this.total = total;
    }

    private void count(boolean counts) {
      total.owners += counts == counted ? 0 : counts ? 1 : -1;
      counted = counts;
    }

    private void add(long address, long size) {
      total.used += size;
      bytes += size;
      sizes.put(address, size);
    }

    private void free(long address) {
      long size = sizes.remove(address);
      Platform.freeMemory(address);
      total.used -= size;
      bytes -= size;
    }

    @Override
    public void run() {
      synchronized (total) {
        Long[] all = sizes.keySet().toArray(new Long[0]);
        for (long address : all) {
          free(address);
        }
        count(false);
      }
    }
  }

  MemoryShare(Total total) {
    this.taken = new Allocation(total);
    CLEANER.register(this, taken);
  }

  /** Allocates memory; returns 0 if that would be more than the share. */
  long take(long size) {
    Total total = taken.total;
    synchronized (total) {
      taken.count(true);
      if (taken.bytes + size > total.most / total.owners || total.used + size > total.most) {
        return 0;
      }
      long address = Platform.allocateMemory(size);
      taken.add(address, size);
      return address;
    }
  }

  /** Whether the owner has more than its share, because there are more owners now. */
  boolean isTooMuch() {
    synchronized (taken.total) {
      return taken.bytes > taken.total.most / Math.max(1, taken.total.owners);
    }
  }

  void give(long address) {
    synchronized (taken.total) {
      taken.free(address);
    }
  }
}
