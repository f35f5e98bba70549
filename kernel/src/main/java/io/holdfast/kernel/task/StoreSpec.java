package io.holdfast.kernel.task;

import java.io.Serializable;

/**
 * A state store of the plan.
 *
 * @param name the user's name, or null if it cannot be queried
 * @param state its name in the checkpoint
 * @param every whether every update is emitted, or the last per key and batch
 * @param changelog the topic that follows it, or null
 */
public record StoreSpec(String name, String state, boolean every, String changelog) implements Serializable {
  /** A store beside it for what only the node itself reads. */
  public StoreSpec part(String of) {
    return new StoreSpec(null, state + "~" + of, false, null);
  }
}
