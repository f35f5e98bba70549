package io.holdfast.kernel.source;

import io.holdfast.kernel.Checks;
import io.holdfast.kernel.errors.FencedException;
import io.holdfast.kernel.errors.KernelError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** The record of where epochs end, with a real broker, whose address is the argument. */
public final class EpochLogTest {
  private static final Checks CHECK = new Checks();
  private static final String RUN = Long.toString(System.nanoTime(), 36);
  private static final String IN = "in-" + RUN;
  private static final String EPOCHS = "epochs-" + RUN;
  private static final String PROGRAM = "program";
  private static final String QUERY = "11111111-2222-3333-4444-555555555555";
  private final Map<String, String> kafka;
  private static final int WIDTH = 4;
  private int checkpoints;

  private EpochLogTest(String brokers) {
    kafka = Map.of("bootstrap.servers", brokers);
  }

  public static void main(String[] args) throws Exception {
    EpochLogTest test = new EpochLogTest(args[0]);
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", args[0]))) {
      admin.createTopics(List.of(new NewTopic(IN, 1, (short) 1), new NewTopic(EPOCHS, 1, (short) 1))).all().get();
    }
    test.sendRecords(1_000);
    test.anOlderCopyFollows();
    test.fewAreInMemory();
    test.anInstanceThatWasGivenUp();
    test.theLogIsAsLongAsTheInputIsKept();
    test.whatCannotBeRepeated();
    test.programsThatChange();
    test.aCopyOfADrain();
    test.aCopyFromBeforeTheFirstEpoch();
    CHECK.end();
  }

  private void anOlderCopyFollows() throws Exception {
    Path checkpoint = checkpoint();
    CHECK.equal("a new app repeats nothing", 0, open("first", checkpoint));
    for (int epoch = 0; epoch < 600; epoch++) {
      begin("first", checkpoint, epoch, epoch + 1);
    }
    CHECK.equal("nor one that continues", 0, open("first", checkpoint));
    CHECK.equal("an epoch that was begun may be repeated", true, EpochLog.of("first").begin(QUERY, 599, WIDTH).repeated());

    CHECK.equal("how far it read", Map.of(IN, Map.of(0, 600L)), EpochLog.of("first").readEnds(599));
    CHECK.equal("of an epoch that is not recorded it is not known", Map.of(), EpochLog.of("first").readEnds(601));

    Path older = checkpoint();
    for (int epoch = 0; epoch <= 40; epoch++) {
      put(older, epoch, epoch + 1);
    }
    CHECK.equal("an older copy repeats what came since", 559, open("first", older));
    EpochLog log = EpochLog.of("first");
    CHECK.equal("its next batch ends where that epoch did", end(42), log.endAfter(end(41)));
    CHECK.equal("requested again", end(42), log.endAfter(end(41)));
    put(older, 41, 42);
    CHECK.equal("the epoch is a repeated one", true, log.begin(QUERY, 41, WIDTH).repeated());
    CHECK.equal("others follow it", true, log.isFollowed(41));
    CHECK.equal("which are to be repeated", true, EpochLog.isRepeating("first"));
    CHECK.equal("and so on", end(43), log.endAfter(end(42)));
    CHECK.equal("an offset that no batch began at is refused", true, isRefused(() -> log.endAfter(end(900))));
    put(older, 42, 50);
    CHECK.equal("an epoch that ends elsewhere is refused", true, isRefused(() -> log.begin(QUERY, 42, WIDTH)));
    for (int epoch = 42; epoch < 600; epoch++) {
      put(older, epoch, epoch + 1);
      log.begin(QUERY, epoch, WIDTH);
    }
    CHECK.equal("what comes next is new", null, log.endAfter(end(600)));
    CHECK.equal("nothing is left to be repeated", false, EpochLog.isRepeating("first"));
    CHECK.equal("none follows the last", false, log.isFollowed(599));
    put(older, 600, 700);
    CHECK.equal("and is recorded", false, log.begin(QUERY, 600, WIDTH).repeated());
  }

  private void fewAreInMemory() {
    EpochTopic topic = new EpochTopic(EPOCHS, kafka);
    RecordedEpochs epochs = topic.from(QUERY, 40, 100).epochs();
    CHECK.equal("the first ones are", 100, epochs.inMemory());
    boolean same = true;
    for (int epoch = 41; epoch < 600; epoch++) {
      same &= EpochEnds.same(end(epoch + 1), epochs.get(epoch, topic).ends().get(0)) && epochs.inMemory() <= 100;
      epochs.dropBefore(epoch);
    }
    CHECK.equal("the others are read when it is their turn", true, same);
    CHECK.equal("one that is not there is not", null, epochs.get(601, topic));
  }

  private void anInstanceThatWasGivenUp() throws Exception {
    Path checkpoint = checkpoint();
    for (int epoch = 0; epoch <= 600; epoch++) {
      put(checkpoint, epoch, epoch == 600 ? 700 : epoch + 1);
    }
    open("given-up", checkpoint);
    Path other = checkpoint();
    for (int epoch = 0; epoch <= 600; epoch++) {
      put(other, epoch, epoch == 600 ? 700 : epoch + 1);
    }
    open("in-charge", other);
    begin("in-charge", other, 601, 710);
    CHECK.equal("it begins no other epoch", true, isFenced(() -> begin("given-up", checkpoint, 601, 720)));
    begin("in-charge", other, 602, 740);
    Path copy = checkpoint();
    put(copy, 600, 700);
    CHECK.equal("what it wrote after the other had started is ignored", 2, open("later", copy));
    CHECK.equal("epoch 601 is the other's", end(710), EpochLog.of("later").endAfter(end(700)));
  }

  private void whatCannotBeRepeated() throws Exception {
    Path copy = checkpoint();
    put(copy, 600, 700);
    CHECK.equal("batches of DataFrames", true,
        isRefused(() -> EpochLog.open("later", PROGRAM, EPOCHS, kafka, copy.toUri().toString(), false)));
    open("in-charge", copy);
    put(copy, 601, 710);
    EpochLog.of("in-charge").begin(QUERY, 601, WIDTH);
    put(copy, 602, 740);
    EpochLog.of("in-charge").begin(QUERY, 602, WIDTH);
    begin("in-charge", copy, 604, 760);
    Path older = checkpoint();
    put(older, 601, 710);
    CHECK.equal("epochs of which one is not recorded", true, isRefused(() -> open("later", older)));
    open("in-charge", copy);
    begin("in-charge", copy, 605, 2_000);
    Path newer = checkpoint();
    put(newer, 604, 760);
    long before = producers();
    CHECK.equal("epochs whose input is deleted", true, isRefused(() -> open("refused", newer)));
    CHECK.equal("a start that is refused leaves nothing open", before, producers());
  }

  private void programsThatChange() throws Exception {
    Path checkpoint = checkpoint();
    put(checkpoint, 605, 2_000);
    open("changing", checkpoint);
    Path copy = checkpoint();
    put(copy, 605, 2_000);
    begin("changing", checkpoint, 606, 760);
    begin("changing", checkpoint, 607, 770);
    open("changing", "another", checkpoint);
    CHECK.equal("an epoch that was begun may be another program's now", true, EpochLog.of("changing").begin(QUERY, 607, WIDTH).repeated());
    begin("changing", checkpoint, 608, 780);
    CHECK.equal("an epoch of another program is not repeated", true, isRefused(() -> open("changing", "another", copy)));
    CHECK.equal("its own ones are", 3, open("changing", copy));
    EpochLog log = EpochLog.of("changing");
    put(copy, 606, 760);
    log.begin(QUERY, 606, WIDTH);
    CHECK.equal("up to the first of the other one", true, isRefused(() -> log.endAfter(end(760))));
    CHECK.equal("which continues there", 2, open("changing", "another", copy));
    CHECK.equal("and so on", end(770), EpochLog.of("changing").endAfter(end(760)));
    put(copy, 606, 761);
    CHECK.equal("a checkpoint of other epochs is refused", true, isRefused(() -> open("changing", "another", copy)));
  }

  private void aCopyOfADrain() throws Exception {
    Path copy = checkpoint();
    put(copy, 608, 780);
    Files.writeString(copy.resolve("offsets").resolve("609"), "v1\n{}\n" + end(780).replaceFirst("}$", ",\"#clock\":{\"now\":5}}"));
    open("drained", copy);
    EpochLog.of("drained").begin(QUERY, 609, WIDTH);
    begin("drained", copy, 610, 790);
    Files.delete(copy.resolve("offsets").resolve("610"));
    CHECK.equal("it continues", 1, open("drained", copy));
    CHECK.equal("also without ticks", end(790), EpochLog.of("drained").endAfter(end(780)));
  }

  private void aCopyFromBeforeTheFirstEpoch() throws Exception {
    String app = "first-" + RUN;
    try (Admin admin = Admin.create(new HashMap<String, Object>(kafka))) {
      admin.createTopics(List.of(new NewTopic(app, 1, (short) 1))).all().get();
    }
    Path checkpoint = checkpoint();
    EpochLog.open(app, PROGRAM, app, kafka, checkpoint.toUri().toString(), true);
    begin(app, checkpoint, 0, 0);
    begin(app, checkpoint, 1, 5);
    Path copy = checkpoint();
    CHECK.equal("a checkpoint from before the app began again is refused", true,
        isRefused(() -> EpochLog.open(app, PROGRAM, app, kafka, another().toUri().toString(), true)));
    CHECK.equal("all are repeated", 2, EpochLog.open(app, PROGRAM, app, kafka, copy.toUri().toString(), true));
    CHECK.equal("with as many partitions", WIDTH, EpochLog.width(app));
    CHECK.equal("also a first one that read nothing", end(0), EpochLog.of(app).endAfter(end(0)));
    begin(app, copy, 0, 0);
    CHECK.equal("then the next", end(5), EpochLog.of(app).endAfter(end(0)));
    begin(app, copy, 1, 5);
    CHECK.equal("after the last one may begin anywhere, as real time has ended", null, EpochLog.of(app).endAfter(end(9)));
    CHECK.equal("an epoch that was begun has as many partitions as it had", true, isRefused(() -> EpochLog.of(app).begin(QUERY, 1, WIDTH + 1)));
  }

  private void theLogIsAsLongAsTheInputIsKept() throws Exception {
    EpochTopic topic = new EpochTopic(EPOCHS, kafka);
    CHECK.equal("as long as all input is there", 0L, new EpochRetention(topic, 10).apply());
    try (Admin admin = Admin.create(new HashMap<String, Object>(kafka))) {
      admin.deleteRecords(Map.of(new TopicPartition(IN, 0), RecordsToDelete.beforeOffset(301))).all().get();
    }
    CHECK.equal("a short log is not truncated", 0L, new EpochRetention(topic, 10_000).apply());
    // The first record says that a run has begun, then comes epoch 0, which ended at 1.
    CHECK.equal("epochs that ended before the first record are deleted", 301L, new EpochRetention(topic, 10).apply());
    Path copy = checkpoint();
    put(copy, 300, 301);
    open("later", copy);
    CHECK.equal("a checkpoint that ends there still continues", end(302), EpochLog.of("later").endAfter(end(301)));
  }

  /** A step that writes files, too. */
  private interface Step {
    void run() throws IOException;
  }

  private static boolean isFenced(Step step) throws IOException {
    try {
      step.run();
      return false;
    } catch (FencedException fenced) {
      return true;
    }
  }

  private static long producers() {
    return Thread.getAllStackTraces().keySet().stream().filter(each -> each.getName().startsWith("kafka-producer-network-thread")).count();
  }

  private static boolean isRefused(Runnable step) {
    try {
      step.run();
      return false;
    } catch (KernelError refused) {
      return refused.getMessage().contains("To go on") || refused.getMessage().contains("Start the app once");
    }
  }

  private Path checkpoint() throws IOException {
    Path folder = CHECK.folder().resolve("checkpoint-" + checkpoints++);
    Files.createDirectories(folder.resolve("offsets"));
    Files.writeString(folder.resolve("metadata"), "{\"id\":\"" + QUERY + "\"}");
    return folder;
  }

  private Path another() {
    try {
      Path folder = checkpoint();
      Files.writeString(folder.resolve("metadata"), "{\"id\":\"another\"}");
      return folder;
    } catch (IOException failed) {
      throw new java.io.UncheckedIOException(failed);
    }
  }

  private static void put(Path checkpoint, int epoch, int end) throws IOException {
    Files.writeString(checkpoint.resolve("offsets").resolve(String.valueOf(epoch)), "v1\n{}\n" + end(end));
  }

  private static void begin(String app, Path checkpoint, int epoch, int end) throws IOException {
    put(checkpoint, epoch, end);
    EpochLog.of(app).begin(QUERY, epoch, WIDTH);
  }

  private static String end(int end) {
    return "{\"" + IN + "\":{\"0\":" + end + "}}";
  }

  private int open(String app, Path checkpoint) {
    return open(app, PROGRAM, checkpoint);
  }

  private int open(String app, String program, Path checkpoint) {
    return EpochLog.open(app, program, EPOCHS, kafka, checkpoint.toUri().toString(), true);
  }

  private void sendRecords(int count) {
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(new HashMap<String, Object>(kafka), new ByteArraySerializer(), new ByteArraySerializer())) {
      for (int i = 0; i < count; i++) {
        producer.send(new ProducerRecord<>(IN, new byte[] {1}));
      }
    }
  }
}
