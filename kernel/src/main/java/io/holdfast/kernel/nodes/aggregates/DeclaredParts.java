package io.holdfast.kernel.nodes.aggregates;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** The parts of a state whose types the user has declared: paths of fields, the empty one for the whole. */
record DeclaredParts(Set<String> paths) {
  private static final String STEP = "\0";

  static DeclaredParts of(JsonNode paths) {
    Set<String> out = new TreeSet<>();
    paths.forEach(path -> {
      List<String> names = new ArrayList<>();
      path.forEach(name -> names.add(name.asText()));
      out.add(path(names));
    });
    return new DeclaredParts(out);
  }

  private static String path(List<String> names) {
    StringBuilder out = new StringBuilder();
    names.forEach(name -> out.append(STEP).append(name));
    return out.toString();
  }

  /** A wider type, with the declared parts unchanged. */
  DataType kept(DataType first, DataType wider) {
    return kept("", first, wider);
  }

  private DataType kept(String path, DataType first, DataType wider) {
    if (paths.contains(path)) {
      return first;
    }
    if (!(first instanceof StructType a) || !(wider instanceof StructType b)) {
      return wider;
    }
    StructType out = new StructType();
    for (StructField field : a.fields()) {
      out = out.add(field.name(), kept(path + STEP + field.name(), field.dataType(), b.apply(field.name()).dataType()), true);
    }
    return out;
  }
}
