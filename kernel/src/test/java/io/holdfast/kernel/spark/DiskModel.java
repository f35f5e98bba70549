package io.holdfast.kernel.spark;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** What a disk has after a loss of power: the bytes and the names that were forced to it, and nothing else. */
final class DiskModel implements DiskSync.Listener {
  /** The identity of a file, whatever its name; an inode is used again for another one, which then has another time. */
  private record Inode(Object key, long written) {}

  /** A name in a directory; a directory has no identity here. */
  private record Name(Inode file) {}

  private final Map<Inode, byte[]> bytes = new HashMap<>();
  private final Map<Path, Map<String, Name>> names = new HashMap<>();

  @Override
  public synchronized void file(Path file) throws IOException {
    bytes.put(inode(file), Files.readAllBytes(file));
  }

  @Override
  public synchronized void directory(Path directory) throws IOException {
    Map<String, Name> found = new TreeMap<>();
    try (Stream<Path> all = Files.list(directory)) {
      all.forEach(each -> name(each, found));
    }
    names.put(directory.toAbsolutePath().normalize(), found);
  }

  private static void name(Path path, Map<String, Name> found) {
    try {
      found.put(path.getFileName().toString(), new Name(Files.isDirectory(path) ? null : inode(path)));
    } catch (java.nio.file.NoSuchFileException gone) {
      // Another thread has just renamed or deleted it.
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Inode inode(Path file) throws IOException {
    BasicFileAttributes of = Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    return new Inode(of.fileKey(), of.lastModifiedTime().to(java.util.concurrent.TimeUnit.NANOSECONDS));
  }

  /** Writes what is left of a directory to another place; false if its own name is lost. */
  synchronized boolean restore(Path directory, Path target) throws IOException {
    for (Path each = directory; each.getParent() != null; each = each.getParent()) {
      Map<String, Name> above = names.get(each.getParent());
      if (above == null || !above.containsKey(each.getFileName().toString())) {
        return false;
      }
    }
    copy(directory, target);
    return true;
  }

  private void copy(Path directory, Path target) throws IOException {
    Files.createDirectories(target);
    for (Map.Entry<String, Name> each : names.getOrDefault(directory, Map.of()).entrySet()) {
      Path to = target.resolve(each.getKey());
      if (each.getValue().file == null) {
        copy(directory.resolve(each.getKey()), to);
      } else {
        // A file whose bytes were not forced has its name and nothing in it.
        Files.write(to, bytes.getOrDefault(each.getValue().file, new byte[0]));
      }
    }
  }
}
