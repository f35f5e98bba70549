package io.holdfast.kernel.sink;

import io.holdfast.kernel.errors.KernelError;
import io.holdfast.kernel.source.AdminSession;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.common.errors.AuthorizationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Fences the producers of earlier runs of an app: a transaction that they left open hides all records behind it. */
public final class Fencing {
  private static final Logger LOG = LoggerFactory.getLogger(Fencing.class);
  private Fencing() {}

  /**
   * Fences the producers of all sink partitions that an app ever had, which aborts their transactions.
   *
   * @param markers the topic of the app's markers, the prefix of its transactional ids
   * @param kafka settings of clients
   * @return how many producers there were
   */
  public static int fence(String markers, Map<String, String> kafka) {
    LastWriters.forget(markers);
    Pattern own = Pattern.compile(Pattern.quote(markers) + "-\\d+");
    try (AdminSession session = AdminSession.open(new HashMap<>(kafka))) {
      Admin admin = session.admin();
      List<String> ids = admin.listTransactions().all().get().stream()
          .map(TransactionListing::transactionalId).filter(id -> own.matcher(id).matches()).toList();
      if (!ids.isEmpty()) {
        admin.fenceProducers(ids).all().get();
        LOG.info("markers {}: fenced {} producers of earlier runs, which aborts their open transactions", markers, ids.size());
      }
      return ids.size();
    } catch (ExecutionException failed) {
      throw new KernelError("", "", "the open transactions of an earlier run of the app could not be aborted: "
          + failed.getCause().getMessage() + ". " + remedy(failed.getCause(), markers));
    } catch (InterruptedException stopped) {
      throw new org.apache.kafka.common.errors.InterruptException(stopped);
    }
  }

  private static String remedy(Throwable failure, String markers) {
    return failure instanceof AuthorizationException
        ? "The app must be allowed to describe and to write its transactional ids, " + markers + "-*"
        : "Start the app again when the brokers answer";
  }
}
