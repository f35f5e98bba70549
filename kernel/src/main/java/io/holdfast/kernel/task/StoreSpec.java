package io.holdfast.kernel.task;

import java.io.Serializable;

/**
 * A state store of the plan.
 *
 * @param name the user's name, or null if it cannot be queried
 * @param state its name in the checkpoint
 * @param every whether every update is emitted, or the last per key and batch
 * @param changelog the topic of its changelog, or null
 * @param ttl after how many milliseconds without an update an entry expires; 0 if never
 */
public record StoreSpec(String name, String state, boolean every, String changelog, long ttl) implements Serializable {
  /** The part of a versioned table's store that has the earlier versions. */
  public static final String VERSIONS = "versions";

  /** One whose entries do not expire. */
  public StoreSpec(String name, String state, boolean every, String changelog) {
    this(name, state, every, changelog, 0);
  }

  /** A further store that only the node itself reads. */
  public StoreSpec part(String of) {
    return new StoreSpec(null, state + "~" + of, false, null);
  }
}
