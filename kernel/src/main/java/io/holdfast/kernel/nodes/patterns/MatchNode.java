package io.holdfast.kernel.nodes.patterns;

import io.holdfast.kernel.nodes.StreamTime;
import io.holdfast.kernel.stores.Bytes;
import io.holdfast.kernel.stores.KeyValueStore;
import io.holdfast.kernel.stores.TimeIndex;
import io.holdfast.kernel.task.FailureReasons;
import io.holdfast.kernel.task.Node;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.Order;
import io.holdfast.kernel.task.RowCodec;
import io.holdfast.kernel.task.StoreSpec;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.Task;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;

/** Finds a pattern in the records of each key; a timer completes or drops partial matches at their deadline, also of keys that are idle. */
public final class MatchNode extends Node {
  private final Pattern pattern;
  private final Matcher matcher;
  private final KeyValueStore store;
  private final RowCodec keys;
  private final KeyMatches.Codec codec;
  private final StreamTime time;
  private final TimeIndex timers;
  private final Map<Bytes, KeyMatches> batch = new HashMap<>();
  private int emitted;

  public MatchNode(NodeSpec spec, Task task, Pattern pattern, StoreSpec store) {
    super(spec.id);
    this.pattern = pattern;
    this.matcher = new Matcher(pattern, task);
    this.store = task.store(store);
    this.keys = task.codec(spec.key);
    this.codec = new KeyMatches.Codec(pattern);
    KeyValueStore times = task.store(store.part("time"));
    this.time = new StreamTime(times);
    this.timers = TimeIndex.forWait(times, pattern.within());
  }

  @Override
  protected void run(List<StreamRecord> records) {
    if (records.isEmpty()) {
      return;
    }
    begin();
    for (int i = 0; i < records.size(); i++) {
      StreamRecord r = records.get(i);
      if (r.key == null) {
        task.deadLetter(this, r, "the key is null; a pattern needs one");
      } else if (r.value == null) {
        task.skip(this, r);
      } else {
        take(r);
      }
    }
    end();
  }

  @Override
  protected void tick(long reached) {
    begin();
    emitted = 0;
    settle(time.observe(reached), task.tickOrder());
    end();
  }

  @Override
  protected long lastDue(long limit) {
    if (!pattern.waits()) {
      return Long.MIN_VALUE;
    }
    begin();
    return TimeIndex.later(timers.lastUpTo(limit - 1, due -> matches(due.entry()).due == due.time()), 1);
  }

  private void begin() {
    batch.clear();
    time.load();
    timers.load();
  }

  private void end() {
    for (KeyMatches of : batch.values()) {
      if (of.changed && of.open.isEmpty()) {
        store.remove(of.key);
      } else if (of.changed) {
        store.put(of.key, codec.encode(of));
      }
    }
    time.save();
    timers.flush();
  }

  private void take(StreamRecord r) {
    emitted = 0;
    long now = time.observe(r.timestamp);
    settle(now, r.order);
    long deadline = r.timestamp + pattern.within();
    if (deadline < now) {
      task.late(this, r, null, r.timestamp, deadline, now);
      return;
    }
    KeyMatches of = matches(task.keyBytes(r, keys));
    if (!pattern.waits()) {
      // The timers of their keys are rarely due.
      of.become(matcher.settle(of.open, now - 1));
    }
    try {
      Matcher.Outcome outcome = matcher.take(of.open, r, of.number);
      of.become(outcome);
      outcome.done().forEach(done -> emit(done, r.key, r.order));
    } catch (Exception failure) {
      task.deadLetter(this, r, FailureReasons.of(failure));
    }
    setTimer(of);
  }

  /** Handles the timers that are due before now, caused by the record or tick with this position in the order. */
  private void settle(long now, byte[] order) {
    // One by one: a key may have another timer that is due after one of another key.
    for (TimeIndex.Due due = timers.pollOne(now - 1); due != null; due = timers.pollOne(now - 1)) {
      settle(due, order);
    }
  }

  private void settle(TimeIndex.Due due, byte[] order) {
    KeyMatches of = matches(due.entry());
    if (of.due != due.time()) {
      return;
    }
    of.due = KeyMatches.NEVER;
    of.changed = true;
    Matcher.Outcome outcome = matcher.settle(of.open, due.time());
    of.become(outcome);
    for (PartialMatch done : outcome.done()) {
      emit(done, keys.decode(of.key), order);
    }
    setTimer(of);
  }

  /** Sets the next timer of a key: at the first deadline if matches complete then; otherwise at the last, to drop them. */
  private void setTimer(KeyMatches of) {
    if (of.open.isEmpty()) {
      of.due = KeyMatches.NEVER;
      return;
    }
    boolean waits = pattern.waits();
    if (!waits && of.due != KeyMatches.NEVER) {
      return;
    }
    long next = waits ? Long.MAX_VALUE : Long.MIN_VALUE;
    for (PartialMatch match : of.open) {
      long deadline = match.deadline(pattern);
      next = waits ? Math.min(next, deadline) : Math.max(next, deadline);
    }
    if (next != of.due) {
      of.due = next;
      of.changed = true;
      timers.add(next, of.key);
    }
  }

  private KeyMatches matches(byte[] key) {
    return batch.computeIfAbsent(new Bytes(key), k -> {
      byte[] stored = store.get(key);
      return stored == null ? new KeyMatches(key) : codec.decode(key, stored);
    });
  }

  private byte[] nextOrder(byte[] order) {
    return Order.emission(order, emitted++);
  }

  private void emit(PartialMatch done, Object key, byte[] order) {
    Object value = new GenericInternalRow(done.taken());
    emit(new StreamRecord(nextOrder(order), done.time(pattern), key, value, null, done.headers()));
  }
}
