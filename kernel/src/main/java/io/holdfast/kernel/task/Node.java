package io.holdfast.kernel.task;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** One node of a stage: takes what lies in its inbox, in order, and sends on what comes of it. */
public abstract class Node {
  private final String id;
  private List<StreamRecord> inbox = new ArrayList<>();
  private boolean needsSorting;
  private boolean replayed;
  private boolean everyUpdateWanted;
  private Output[] outs = {};
  /** How it gets ready for a batch; null if it need not. */
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

  /** To be called before it is wired, if it rehearses. */
  final Node rehearsing(Rehearsal how) {
    rehearsal = how;
    return this;
  }

  /** Takes a batch without effect. */
  final void rehearse(List<StreamRecord> batch) {
    run(batch);
    task.forgetOutput();
  }

  final void accept(StreamRecord r, int port) {
    r.port = port;
    inbox.add(r);
  }

  /** Takes a record that had been refused, among the others by its place in the order. */
  final void acceptReplayed(StreamRecord r, int port) {
    accept(r, port);
    replayed = true;
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
   * Takes a batch of which all became as its understudy expected when it rehearsed.
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

  /** All nodes have run: what was only for this batch need not be kept until the next. */
  protected void release() {
    // Most nodes keep nothing.
  }

  protected void process(StreamRecord r) {
    throw new UnsupportedOperationException(getClass().getSimpleName());
  }

  /**
   * Time has moved without a record; comes after the records of a batch.
   *
   * @param time what the sources of this node have reached, in milliseconds
   */
  protected void tick(long time) {
    // Most nodes do not care.
  }

  /**
   * Everything has been read for now: what is over by the clock is done, as when time moves. Time itself goes on only as far as that
   * takes, so that what comes later with times of long ago is not late.
   *
   * @param now what the clock says, in milliseconds
   */
  protected void drain(long now) {
    long before = Long.MIN_VALUE;
    for (long due = lastDue(now); due > before; due = lastDue(now)) {
      tick(due);
      before = due;
    }
  }

  /** The time of the last thing that this node has to do up to a time; Long.MIN_VALUE if there is nothing. */
  protected long lastDue(long time) {
    return Long.MIN_VALUE;
  }

  /**
   * The clock has gone on; comes after the records of a batch and {@link #tick}.
   *
   * @param now what it says, in milliseconds
   */
  protected void wallTick(long now) {
    // Most nodes do not care.
  }

  /** Whether a consumer wants every update of a table. */
  protected final boolean consumersWantEveryUpdate() {
    return everyUpdateWanted;
  }

  /** Whether anybody wants what this node gives. */
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

  /** Sends only to the consumers that want every update of a table, or only to the others. */
  protected final void emit(StreamRecord r, boolean every) {
    for (int i = 0; i < outs.length; i++) {
      if (outs[i].every() == every && (!r.copiesOnly || outs[i].leadsToCopies())) {
        emitTo(i, r);
      }
    }
  }

  /** Sends only to copies of the table, which must hold what it holds: it is no change to others. */
  protected final void emitToCopies(StreamRecord r) {
    StreamRecord marked = r.forCopiesOnly();
    for (int i = 0; i < outs.length; i++) {
      if (outs[i].leadsToCopies()) {
        emitTo(i, marked);
      }
    }
  }

  /** Whether the node is one through which copies of a table hear of what is no change to others. */
  protected boolean leadsToCopies() {
    return false;
  }

  /** Whether the node looks at the value that a change of a table has replaced. */
  protected boolean wantsOld() {
    return true;
  }

  /** Whether a consumer looks at the value that a change of this table has replaced. */
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

  /** The consumer beside it, or null if it lives elsewhere. */
  protected final Node consumer(int i) {
    return outs[i] instanceof Output.Local local ? local.target() : null;
  }
}
