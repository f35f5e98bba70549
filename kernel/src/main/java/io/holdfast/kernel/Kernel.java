package io.holdfast.kernel;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.holdfast.kernel.plan.LruCache;
import io.holdfast.kernel.plan.Plan;
import io.holdfast.kernel.plan.PlanCompiler;
import io.holdfast.kernel.serde.TypeJson;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.StoreSpec;

/** What Python calls in the kernel without running an app. */
public final class Kernel {
  private static final ObjectMapper JSON = new ObjectMapper();

  private static final LruCache<String> CHECKED = new LruCache<>();

  private Kernel() {}

  /** Compiles the plan; returns the types of every node and store as JSON. */
  public static String check(String planJson) {
    return CHECKED.get(planJson, text -> types(PlanCompiler.compile(text)));
  }

  private static String types(Plan plan) {
    ObjectNode out = JSON.createObjectNode();
    ObjectNode nodes = out.putObject("nodes");
    ObjectNode stores = out.putObject("stores");
    for (NodeSpec spec : plan.nodes().values()) {
      ObjectNode node = nodes.putObject(spec.id);
      node.set("key", TypeJson.toJson(spec.key));
      node.set("value", TypeJson.toJson(spec.value));
      if (spec.remembered != null) {
        node.set("remembered", TypeJson.toJson(spec.remembered));
      }
      StoreSpec store = spec.store();
      if (store != null && store.name() != null) {
        ObjectNode entry = stores.putObject(store.name());
        entry.set("key", TypeJson.toJson(spec.storeKey()));
        entry.set("value", TypeJson.toJson(spec.storeValue()));
        entry.put("changelog", store.changelog());
        entry.put("node", spec.id);
      }
    }
    return out.toString();
  }
}
