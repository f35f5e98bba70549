package io.holdfast.kernel.task;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** One node of a stage: processes the records in its inbox, in order, and emits the results. */
public abstract class Node {
  private final String id;
  private List<StreamRecord> inbox = new ArrayList<>();
  private boolean needsSorting;
  private boolean replayed;
  private boolean everyUpdateWanted;
  private Output[] outs = {};
  /** Runs before each batch; null if the node needs no rehearsal. */
  private Rehearsal rehearsal;
  protected Task task;

  protected Node(String id) {
    this.id = id;
  }

  public final String id() {
    return id;
  }

  final void wire(Task owner, Output[] consumers, boolean severalInputs) {
    task = owner;
    outs = consumers;
    everyUpdateWanted = Arrays.stream(consumers).anyMatch(Output::every);
    needsSorting = severalInputs;
    if (rehearsal != null) {
      rehearsal.wire(consumers);
    }
  }

  /** Must be called before the node is wired, if it rehearses. */
  final Node rehearsing(Rehearsal how) {
    rehearsal = how;
    return this;
  }

  /** Runs a batch without effect. */
  final void rehearse(List<StreamRecord> batch) {
    run(batch);
    task.forgetOutput();
  }

  final void accept(StreamRecord r, int port) {
    r.port = port;
    inbox.add(r);
  }

  /** Takes a replayed record; its position in the order decides when it is processed. */
  final void acceptReplayed(StreamRecord r, int port) {
    accept(r, port);
    replayed = true;
  }

  /** What has come since it last ran. */
  final List<StreamRecord> waiting() {
    return inbox;
  }

  /** Runs the node on what has come since the last call. */
  final void runBatch() {
    if ((needsSorting || replayed) && inbox.size() > 1) {
      inbox.sort((a, b) -> Order.compare(a.order, b.order));
    }
    replayed = false;
    List<StreamRecord> batch = inbox;
    if (rehearsal == null) {
      run(batch);
    } else {
      rehearsal.run(batch, this);
    }
    if (batch.size() > 10_000) {
      inbox = new ArrayList<>();
    } else {
      batch.clear();
    }
  }

  /**
   * Takes over the result of the rehearsal, in which no record failed.
   *
   * @return false if it must run itself
   */
  protected boolean adopt(List<StreamRecord> batch, Node rehearsed) {
    return false;
  }

  /** Takes a batch in order. The default takes records one by one. */
  protected void run(List<StreamRecord> batch) {
    for (int i = 0; i < batch.size(); i++) {
      StreamRecord r = batch.get(i);
      try {
        process(r);
      } catch (Exception failure) {
        // Generated code throws checked exceptions, too, without saying so.
        task.deadLetter(this, r, FailureReasons.of(failure));
      }
    }
  }

  /** All nodes have run: drops what is needed for this batch only. */
  protected void release() {
    // Most nodes have nothing to drop.
  }

  protected void process(StreamRecord r) {
    throw new UnsupportedOperationException(getClass().getSimpleName());
  }

  /**
   * Time has advanced without a record; called after the records of a batch.
   *
   * @param time what the sources of this node have reached, in milliseconds
   */
  protected void tick(long time) {
    // Most nodes do nothing.
  }

  /**
   * Everything has been read for now: what has closed or expired by the wall clock is emitted, as when time advances. Stream time itself
   * advances only as far as that takes, so that records with older times that come later are not late.
   *
   * @param now the wall-clock time in milliseconds
   */
  protected void drain(long now) {
    long before = Long.MIN_VALUE;
    for (long due = lastDue(now); due > before; due = lastDue(now)) {
      tick(due);
      before = due;
    }
  }

  /** The time of the last closing, expiry or timer of this node up to a time; Long.MIN_VALUE if there is none. */
  protected long lastDue(long time) {
    return Long.MIN_VALUE;
  }

  /**
   * The wall clock has advanced; called after the records of a batch and {@link #tick}.
   *
   * @param now the wall-clock time in milliseconds
   */
  protected void wallTick(long now) {
    // Most nodes do nothing.
  }

  /** Whether a consumer wants every update of a table. */
  protected final boolean consumersWantEveryUpdate() {
    return everyUpdateWanted;
  }

  /** Whether the node has any consumer. */
  protected final boolean hasConsumers() {
    return outs.length > 0;
  }

  protected final void emit(StreamRecord r) {
    if (r.copiesOnly) {
      emitToCopies(r);
      return;
    }
    if (outs.length == 1) {
      outs[0].send(r);
      return;
    }
    for (int i = 0; i < outs.length; i++) {
      outs[i].send(r.at(Order.child(r.order, i)));
    }
  }

  /** Emits only to the consumers that want every update of a table, or only to the others. */
  protected final void emit(StreamRecord r, boolean every) {
    for (int i = 0; i < outs.length; i++) {
      if (outs[i].every() == every && (!r.copiesOnly || outs[i].leadsToCopies())) {
        emitTo(i, r);
      }
    }
  }

  /** Emits only to copies of the table, which must have the same entries; to other consumers this is no change. */
  protected final void emitToCopies(StreamRecord r) {
    StreamRecord marked = r.forCopiesOnly();
    for (int i = 0; i < outs.length; i++) {
      if (outs[i].leadsToCopies()) {
        emitTo(i, marked);
      }
    }
  }

  /** Whether the node forwards to copies of a table what is no change to other consumers. */
  protected boolean leadsToCopies() {
    return false;
  }

  /** Whether the node uses the old value of a table's change. */
  protected boolean wantsOld() {
    return true;
  }

  /** Whether a consumer uses the old value of this table's changes. */
  protected final boolean consumersWantOld() {
    for (Output out : outs) {
      if (out.wantsOld()) {
        return true;
      }
    }
    return false;
  }

  /** Sends to one consumer only. */
  protected final void emitTo(int consumer, StreamRecord r) {
    outs[consumer].send(outs.length == 1 ? r : r.at(Order.child(r.order, consumer)));
  }

  protected final int consumers() {
    return outs.length;
  }

  /** The consumer in the same task, or null if it is in a later stage. */
  protected final Node consumer(int i) {
    return outs[i] instanceof Output.Local local ? local.target() : null;
  }
}
