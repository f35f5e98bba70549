package io.holdfast.kernel.source;

import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;

/**
 * An admin client whose end is bounded.
 *
 * <p>Kafka's own {@code close()} waits for calls without end: one that times out at that moment leaves its thread asleep for an hour.
 */
public final class AdminSession implements AutoCloseable {
  private static final Duration CLOSING = Duration.ofSeconds(1);

  private final Admin admin;

  private AdminSession(Admin admin) {
    this.admin = admin;
  }

  public static AdminSession open(Map<String, Object> settings) {
    return new AdminSession(Admin.create(settings));
  }

  public Admin admin() {
    return admin;
  }

  @Override
  public void close() {
    admin.close(CLOSING);
  }
}
