package io.holdfast.kernel.nodes;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * An operation of the plan document: its compiler, and its traits, which the wiring and other operators use.
 *
 * <p>It stands with its compiler; `plan/Operators.java` has all of them.
 */
public record Operator(String name, Maker maker, Set<Trait> traits) {
  /** A property of an operation that the wiring and other operators use. */
  public enum Trait {
    /** Its output records have other keys than its input. */
    CHANGES_KEY,
    /** It has state for each key, so its records must come to the task of their key. */
    NEEDS_KEY,
    /** It needs every update of its input tables, whatever these emit. */
    NEEDS_EVERY_UPDATE,
    /** It is the table under it, filtered or mapped. */
    VIEW,
    /** A reader of it reads the table under it. */
    READ_THROUGH
  }

  /** Makes the compiler of one node. */
  public interface Maker {
    NodeCompiler of(JsonNode node, PlanNodes plan);
  }

  public Operator(String name, Maker maker, Trait... traits) {
    this(name, maker, traits.length == 0 ? Set.of() : EnumSet.copyOf(Arrays.asList(traits)));
  }

  /** Operations of one compiler that have no traits. */
  public static List<Operator> all(Maker maker, String... names) {
    return Arrays.stream(names).map(name -> new Operator(name, maker)).toList();
  }

  public boolean has(Trait trait) {
    return traits.contains(trait);
  }
}
