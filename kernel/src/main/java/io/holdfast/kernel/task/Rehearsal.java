package io.holdfast.kernel.task;

import io.holdfast.kernel.stores.KeyValueStore;
import io.holdfast.kernel.stores.OverlayStore;
import io.holdfast.kernel.stores.ReadOnceStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Lets a node go through its records without effect before it does so for good, so that what it asks of somebody far away can be asked
 * at once.
 *
 * <p>A second instance of the node takes the records first. What it writes is forgotten, what it sends is heard by nobody, and what it
 * asks for is noted: it goes on as if all went well. If it did not, the next rehearsal knows. When nothing new is asked for, the node
 * itself runs, and finds all answers; if all went well at once, it may go on from where its understudy has come.
 */
public final class Rehearsal {
  private final Function<StoreSpec, KeyValueStore> stores;
  private final Map<StoreSpec, ReadOnceStore> readOnce = new HashMap<>();
  private final List<OverlayStore> overlays = new ArrayList<>();
  private Script script;
  private Task rehearsalTask;
  private Node rehearsalNode;

  /** What the node asks for. */
  public interface Script {
    /**
     * Finds the answers to what was asked.
     *
     * @return whether the node might ask for something else now that they are known
     */
    boolean learn();

    /** Forgets all answers. */
    void forget();
  }

  Rehearsal(Function<StoreSpec, KeyValueStore> stores) {
    this.stores = stores;
  }

  /** Says what to learn between rehearsals; the node and its understudy share it. */
  @SuppressWarnings("unchecked")
  public <S extends Script> S script(Function<Rehearsal, S> maker) {
    if (script == null) {
      script = maker.apply(this);
    }
    return (S) script;
  }

  /** A store of the node itself. */
  KeyValueStore store(StoreSpec spec) {
    return readOnce.computeIfAbsent(spec, s -> new ReadOnceStore(stores.apply(s)));
  }

  /** The same store, as its understudy sees it. */
  KeyValueStore overlaid(StoreSpec spec) {
    OverlayStore overlay = new OverlayStore(store(spec));
    overlays.add(overlay);
    return overlay;
  }

  /** Says who rehearses, and where. */
  void with(Task own, Node node) {
    rehearsalTask = own;
    rehearsalNode = node;
  }

  /** The node is wired to these; its understudy goes on as if it were. */
  void wire(Output[] outs) {
    rehearsalNode.wire(rehearsalTask, Arrays.stream(outs).map(Output.Discard::new).toArray(Output[]::new), false);
  }

  /** Rehearses as often as it takes, then lets the node perform. */
  void run(List<StreamRecord> batch, Node node) {
    if (batch.isEmpty()) {
      node.run(batch);
      return;
    }
    // Others may have read the table since its last batch.
    script.forget();
    readOnce.values().forEach(ReadOnceStore::remember);
    try {
      boolean asExpected = !rehearse(batch);
      boolean again = !asExpected;
      while (again) {
        again = rehearse(batch);
      }
      if (!asExpected || !node.adopt(batch, rehearsalNode)) {
        node.run(batch);
      }
    } finally {
      overlays.forEach(OverlayStore::forget);
      readOnce.values().forEach(ReadOnceStore::forget);
      script.forget();
    }
  }

  /** Tells whether the next rehearsal might be another one. */
  private boolean rehearse(List<StreamRecord> batch) {
    rehearsalNode.rehearse(batch);
    overlays.forEach(OverlayStore::forget);
    return script.learn();
  }
}
