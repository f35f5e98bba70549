package io.holdfast.kernel.expr;

import java.util.List;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** Java collections as the Scala ones that Catalyst's constructors take. */
public final class ScalaCollections {
  private ScalaCollections() {}

  @SafeVarargs
  public static <T> Seq<T> seq(T... items) {
    return seq(List.of(items));
  }

  public static <T> Seq<T> seq(List<? extends T> items) {
    return CollectionConverters.<T>asScala(List.<T>copyOf(items)).toSeq();
  }

  public static <T> List<T> list(scala.collection.Seq<T> items) {
    return CollectionConverters.asJava(items);
  }
}
