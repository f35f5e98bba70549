package io.holdfast.kernel.nodes;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * An operation of the plan document: who compiles it, and what the wiring and other operators have to know of it.
 *
 * <p>It stands with its compiler; `plan/Operators.java` has all of them.
 */
public record Operator(String name, Maker maker, Set<Trait> traits) {
  /** What others have to know of an operation. */
  public enum Trait {
    /** Its records have other keys than those that came to it. */
    CHANGES_KEY,
    /** It keeps something for each key, so its records come to the task of their key. */
    NEEDS_KEY,
    /** It needs every update of the tables that it is made of, whatever these emit. */
    NEEDS_EVERY_UPDATE,
    /** It is the table under it, filtered or mapped. */
    VIEW,
    /** What reads it reads the table under it. */
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
