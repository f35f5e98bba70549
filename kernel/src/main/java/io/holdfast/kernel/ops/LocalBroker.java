package io.holdfast.kernel.ops;

import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;

/**
 * Runs a Kafka broker that ends with its owner: {@code LocalBroker server.properties clusterId|- owned|detached}.
 *
 * <p>Kafka is reached by reflection because its jars are not on the class path the kernel is compiled with. A cluster
 * id other than "-" formats the storage first, in this process, which saves the start of a second JVM.
 */
public final class LocalBroker {
  private static final long STOP_MILLIS = 20_000;

  private LocalBroker() {}

  public static void main(String[] args) throws Exception {
    if (args[2].equals("owned")) {
      Thread watch = new Thread(LocalBroker::exitWhenOwnerIsGone, "owner-watch");
      watch.setDaemon(true);
      watch.start();
    }
    if (!args[1].equals("-")) {
      format(args[0], args[1]);
    }
    Class.forName("kafka.Kafka").getMethod("main", String[].class).invoke(null, (Object) new String[] {args[0]});
  }

  private static void format(String properties, String clusterId) throws ReflectiveOperationException {
    String[] arguments = {"format", "--standalone", "--ignore-formatted", "-t", clusterId, "-c", properties};
    try {
      Object status =
          Class.forName("kafka.tools.StorageTool")
              .getMethod("execute", String[].class, PrintStream.class)
              .invoke(null, arguments, System.out);
      if (!Integer.valueOf(0).equals(status)) {
        System.exit(1);
      }
    } catch (InvocationTargetException e) {
      e.getCause().printStackTrace();
      System.exit(1);
    }
  }

  private static void exitWhenOwnerIsGone() {
    try {
      while (System.in.read() != -1) {
        // the owner never writes; the end of the stream is the message
      }
    } catch (IOException e) {
      // a broken pipe says the same
    }
    Thread halt = new Thread(LocalBroker::haltAfterTimeout, "halt");
    halt.setDaemon(true);
    halt.start();
    System.exit(0);
  }

  private static void haltAfterTimeout() {
    try {
      Thread.sleep(STOP_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Runtime.getRuntime().halt(1);
  }
}
