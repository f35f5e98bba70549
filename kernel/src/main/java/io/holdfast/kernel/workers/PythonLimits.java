package io.holdfast.kernel.workers;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.Serializable;

/**
 * The limits of a worker, beyond which it is ended.
 *
 * @param timeoutMs how long one call may take
 * @param memoryBytes by how much its memory may grow after the first call of its functions
 * @param calls how many calls it answers, 0 for any number
 */
public record PythonLimits(long timeoutMs, long memoryBytes, long calls) implements Serializable {
  public static PythonLimits of(JsonNode json) {
    return new PythonLimits(
        json.path("timeout_ms").asLong(300_000), json.path("memory_bytes").asLong(1L << 30), json.path("calls").asLong(0));
  }
}
