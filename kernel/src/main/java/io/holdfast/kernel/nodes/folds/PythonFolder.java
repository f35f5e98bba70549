package io.holdfast.kernel.nodes.folds;

import io.holdfast.kernel.nodes.StateLimit;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.RowCodec;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.Task;
import io.holdfast.kernel.workers.PythonFunction;
import java.util.List;
import org.apache.spark.sql.types.DataType;

/**
 * Folds with functions that run in Python, with one call for many records: states are {@link Slot}s, and operations on them are recorded
 * on a {@link Tape} while the node rehearses.
 */
public final class PythonFolder implements Folder {
  private final Tape tape;
  private final boolean rehearsing;

  private PythonFolder(Tape tape, boolean rehearsing) {
    this.tape = tape;
    this.rehearsing = rehearsing;
  }

  /**
   * What a {@link PythonFolder} needs to know.
   *
   * @param function the runner of all its functions in Python
   * @param key the type of the keys, null if no function takes them
   * @param values the types of what is added, per input
   * @param subtracts whether it can retract values
   */
  public record Plan(PythonFunction function, DataType state, DataType key, List<DataType> values, boolean subtracts)
      implements Folder.Plan {
    @Override
    public DataType value() {
      return state;
    }

    @Override
    public boolean rehearses() {
      return true;
    }

    @Override
    public Folder open(NodeSpec node, Task task) {
      Tape tape = task.rehearsal().script(r -> new Tape(this));
      if (!task.isRehearsing()) {
        tape.callBy(task);
      }
      return new PythonFolder(tape, task.isRehearsing());
    }
  }

  /** Python checks the sizes of the states that it makes. */
  @Override
  public Folder within(StateLimit limit) {
    if (!rehearsing) {
      tape.limitTo(limit);
    }
    return this;
  }

  @Override
  public Object add(Object state, StreamRecord r) {
    return made(tape.slot(Slot.ADD, (Slot) state, null, r));
  }

  @Override
  public Object subtract(Object state, StreamRecord r) {
    return made(tape.slot(Slot.SUBTRACT, (Slot) state, null, r));
  }

  @Override
  public Object merge(Object state, Object other, StreamRecord r) {
    return made(tape.slot(Slot.MERGE, (Slot) state, (Slot) other, r));
  }

  /** The state, as far as it is known; a rehearsal assumes the expected outcome. */
  private Object made(Slot slot) {
    if (slot.outcome == Slot.Outcome.UNKNOWN && !rehearsing) {
      tape.make();
    }
    return switch (slot.outcome == Slot.Outcome.UNKNOWN ? tape.expected(slot) : slot.outcome) {
      case FAILED -> throw new PythonFailure(slot.reason == null ? "" : slot.reason);
      case NOTHING -> null;
      default -> slot;
    };
  }

  @Override
  public Object valueOf(Object state) {
    Slot slot = (Slot) state;
    if (!slot.hasValue) {
      tape.want(slot);
      if (rehearsing) {
        return null;
      }
      tape.make();
    }
    return slot.value;
  }

  @Override
  public Object pack(Object state) {
    return valueOf(state);
  }

  @Override
  public Object unpack(Object stored) {
    return stored == null ? null : tape.loaded(stored);
  }

  @Override
  public Object copy(Object state, RowCodec codec) {
    return state;
  }
}
