package io.holdfast.kernel.nodes;

/** How a state is shown and stored; as it is, unless somebody says otherwise. */
public interface StateForm {
  StateForm PLAIN = new StateForm() {};

  /** The value that others see of a state. */
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
