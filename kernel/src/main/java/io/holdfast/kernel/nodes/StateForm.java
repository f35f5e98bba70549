package io.holdfast.kernel.nodes;

/** The value and the stored form of a state; by default both are the state itself. */
public interface StateForm {
  StateForm PLAIN = new StateForm() {};

  /** The value of a state, as consumers see it. */
  default Object valueOf(Object state) {
    return state;
  }

  /** The stored form of a state. */
  default Object pack(Object state) {
    return state;
  }

  /** The state out of its stored form. */
  default Object unpack(Object stored) {
    return stored;
  }
}
