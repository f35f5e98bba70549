package io.holdfast.kernel.spark;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Makes files of a local disk survive a loss of power: their bytes, their names, and the directories that they lie in.
 *
 * <p>A file that was closed may be empty afterwards, and one that was renamed may have no name: both are true only once its own bytes and the
 * directory with its name were forced to the disk.
 */
final class DiskSync {
  /** The setting of Hadoop's that turns it off. */
  static final String SETTING = "holdfast.fsync";

  /** Is notified of what is forced to the disk. */
  interface Listener {
    void file(Path file) throws IOException;

    void directory(Path directory) throws IOException;
  }

  private static final Listener NOBODY = new Listener() {
    @Override
    public void file(Path file) {}

    @Override
    public void directory(Path directory) {}
  };

  static volatile Listener listener = NOBODY;

  /** Directories whose names, and those of all their parents, are on the disk. */
  private static final Set<Path> NAMED = ConcurrentHashMap.newKeySet();

  /** By directory, the copies of RocksDB's files in it that are on the disk. */
  private static final Map<Path, Set<Path>> COPIED = new ConcurrentHashMap<>();

  private DiskSync() {}

  /** Notes that a copy is on the disk. */
  static void copied(Path file) {
    Path directory = file.toAbsolutePath().normalize().getParent();
    COPIED.computeIfAbsent(directory, d -> ConcurrentHashMap.newKeySet()).add(file.getFileName());
  }

  /** Forces a file that is open for writing. */
  static void file(Path file, FileChannel channel) throws IOException {
    listener.file(file);
    channel.force(true);
  }

  /** Forces a file that other code has written. */
  static void file(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      file(file, channel);
    }
  }

  /** Forces the names that a directory has now. */
  static void names(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      listener.directory(directory);
      channel.force(true);
    } catch (AccessDeniedException foreign) {
      // A directory that we cannot read has no files of ours.
    }
  }

  /** Forces those files of a directory, and their names, that were not forced by this process; each is written once and never changed. */
  static void content(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      return;
    }
    Set<Path> forced = COPIED.computeIfAbsent(directory.toAbsolutePath().normalize(), d -> ConcurrentHashMap.newKeySet());
    Set<Path> there = new HashSet<>();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
        there.add(file.getFileName());
        if (!forced.contains(file.getFileName())) {
          file(file);
          forced.add(file.getFileName());
        }
      }
    }
    forced.retainAll(there);
    named(directory);
    names(directory);
  }

  /** Makes a directory where there is none, and forces its name and those of all above it. */
  static void directory(Path directory) throws IOException {
    Path wanted = directory.toAbsolutePath().normalize();
    // A directory that does not exist any more was deleted, and must be forced again.
    for (Path each = wanted; each != null && !Files.isDirectory(each); each = each.getParent()) {
      NAMED.remove(each);
    }
    Files.createDirectories(wanted);
    named(wanted);
  }

  private static void named(Path directory) throws IOException {
    Deque<Path> fresh = new ArrayDeque<>();
    for (Path each = directory.toAbsolutePath().normalize(); each.getParent() != null && !NAMED.contains(each); each = each.getParent()) {
      fresh.push(each);
    }
    for (Path each : fresh) {
      names(each.getParent());
      NAMED.add(each);
    }
  }
}
