package io.holdfast.kernel.expr;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import scala.collection.immutable.Seq;

/** The names an expression may use, in the order of the row it is evaluated on: the slots, then the record's metadata. */
public final class Scope {
  /** Metadata columns that every scope ends with; a user's names cannot collide with them. */
  public static final String META = "__";
  public static final List<String> META_NAMES = List.of("timestamp", "topic", "partition", "offset", "headers");
  private static final List<DataType> META_TYPES = List.of(
      DataTypes.TimestampType, DataTypes.StringType, DataTypes.IntegerType, DataTypes.LongType,
      DataTypes.createMapType(DataTypes.StringType, DataTypes.BinaryType));

  private final List<String> names = new ArrayList<>();
  private final List<Attribute> attributes = new ArrayList<>();
  private final int slots;

  private Scope(Object... namesAndTypes) {
    for (int i = 0; i < namesAndTypes.length; i += 2) {
      add((String) namesAndTypes[i], (DataType) namesAndTypes[i + 1]);
    }
    slots = names.size();
    for (int i = 0; i < META_NAMES.size(); i++) {
      add(META + META_NAMES.get(i), META_TYPES.get(i));
    }
  }

  /** A scope of the given slots: name, type, name, type ... */
  public static Scope of(Object... namesAndTypes) {
    return new Scope(namesAndTypes);
  }

  private void add(String name, DataType type) {
    names.add(name);
    attributes.add(new AttributeReference(
        name, type.asNullable(), true, Metadata.empty(), NamedExpression.newExprId(), ScalaCollections.seq()));
  }

  public boolean has(String name) {
    return names.contains(name);
  }

  /** How many slots there are before the metadata. */
  public int slots() {
    return slots;
  }

  public int width() {
    return names.size();
  }

  public Seq<Attribute> attributes() {
    return ScalaCollections.seq(attributes);
  }
}
