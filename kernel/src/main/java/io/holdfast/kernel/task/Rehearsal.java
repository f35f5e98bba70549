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
 * Runs a node on its batch without effect first, so that all its calls to Python can be made at once.
 *
 * <p>A second instance of the node processes the records first. Its writes and its output are discarded, and its calls are recorded, on the
 * assumption that none fails. If one does fail, the next rehearsal takes that into account. When a rehearsal makes no new call, the node itself
 * runs, and all answers are there. If no call failed in the first rehearsal, the node may take over the result of the rehearsing instance.
 */
public final class Rehearsal {
  private final Function<StoreSpec, KeyValueStore> stores;
  private final Map<StoreSpec, ReadOnceStore> readOnce = new HashMap<>();
  private final List<OverlayStore> overlays = new ArrayList<>();
  private Script script;
  private Task rehearsalTask;
  private Node rehearsalNode;

  /** The calls of the node. */
  public interface Script {
    /**
     * Makes the calls that were recorded.
     *
     * @return whether the node might make other calls now that the answers are known
     */
    boolean learn();

    /** Forgets all answers. */
    void forget();
  }

  Rehearsal(Function<StoreSpec, KeyValueStore> stores) {
    this.stores = stores;
  }

  /** The calls that the node and its rehearsing instance share. */
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

  /** The same store, as the rehearsing instance sees it. */
  KeyValueStore overlaid(StoreSpec spec) {
    OverlayStore overlay = new OverlayStore(store(spec));
    overlays.add(overlay);
    return overlay;
  }

  /** Sets the instance that rehearses, and its task. */
  void with(Task own, Node node) {
    rehearsalTask = own;
    rehearsalNode = node;
  }

  /** Wires the rehearsing instance to outputs that discard, in place of the node's own. */
  void wire(Output[] outs) {
    rehearsalNode.wire(rehearsalTask, Arrays.stream(outs).map(Output.Discard::new).toArray(Output[]::new), false);
  }

  /** Rehearses as often as it takes, then runs the node. */
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

  /** Returns whether the next rehearsal may make other calls. */
  private boolean rehearse(List<StreamRecord> batch) {
    rehearsalNode.rehearse(batch);
    overlays.forEach(OverlayStore::forget);
    return script.learn();
  }
}
