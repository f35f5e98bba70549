package io.holdfast.kernel.spark;

import io.holdfast.kernel.ops.Faults;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager.CancellableFSDataOutputStream;
import org.apache.spark.sql.execution.streaming.checkpointing.FileContextBasedCheckpointFileManager;

/**
 * Writes Spark's files of a checkpoint without Hadoop, where they are on a local disk.
 *
 * <p>Hadoop starts a process for each permission it sets and for each link it looks for: several for every file, some dozens
 * of them in a batch.
 *
 * <p>A file that is closed is on the disk, with its name. So the offsets of an epoch are there before its first transaction can be
 * committed, its state before its commit says so, and its commit before the next epoch begins.
 */
public final class LocalCheckpoint extends FileContextBasedCheckpointFileManager {
  /** Directories next to a snapshot of RocksDB, with files that it names and that Spark copies without a file manager. */
  private static final List<String> OF_SNAPSHOT = List.of("SSTs", "logs");
  private final java.nio.file.Path root;
  private final boolean local;
  private final boolean sync;

  public LocalCheckpoint(Path path, Configuration conf) {
    super(path, conf);
    local = isLocal() && (path.toUri().getScheme() == null || path.toUri().getScheme().equals("file"));
    sync = conf.getBoolean(DiskSync.SETTING, true);
    root = local ? file(path) : null;
  }

  private static java.nio.file.Path file(Path path) {
    return java.nio.file.Path.of(path.toUri().getPath());
  }

  @Override
  public CancellableFSDataOutputStream createAtomic(Path path, boolean overwrite) {
    return local ? create(file(path), overwrite) : super.createAtomic(path, overwrite);
  }

  @Override
  public void mkdirs(Path path) {
    if (local) {
      makeDirectory(file(path));
    } else {
      super.mkdirs(path);
    }
  }

  @Override
  public Path createCheckpointDirectory() {
    if (local) {
      makeDirectory(root);
    }
    return super.createCheckpointDirectory();
  }

  private void makeDirectory(java.nio.file.Path directory) {
    try {
      if (sync) {
        DiskSync.directory(directory);
      } else {
        Files.createDirectories(directory);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private CancellableFSDataOutputStream create(java.nio.file.Path target, boolean overwrite) {
    // Spark ignores files with names like this one, and deletes them in the end.
    java.nio.file.Path written = target.resolveSibling("." + target.getFileName() + "." + UUID.randomUUID() + ".tmp");
    makeDirectory(target.getParent());
    try {
      return new Atomic(FileChannel.open(written, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), written, target, overwrite);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A file that appears whole when it is closed, or not at all. */
  private final class Atomic extends CancellableFSDataOutputStream {
    private final FileChannel channel;
    private final OutputStream stream;
    private final java.nio.file.Path written;
    private final java.nio.file.Path target;
    private final boolean overwrite;
    private boolean done;

    Atomic(FileChannel channel, java.nio.file.Path written, java.nio.file.Path target, boolean overwrite) {
      this(channel, new BufferedOutputStream(Channels.newOutputStream(channel), 1 << 16), written, target, overwrite);
    }

    private Atomic(FileChannel channel, OutputStream out, java.nio.file.Path written, java.nio.file.Path target, boolean overwrite) {
      super(out);
      this.channel = channel;
      this.stream = out;
      this.written = written;
      this.target = target;
      this.overwrite = overwrite;
    }

    @Override
    public synchronized void close() throws IOException {
      if (done) {
        return;
      }
      done = true;
      stream.flush();
      if (sync) {
        syncBytes();
      }
      stream.close();
      Faults.at("before-" + kind());
      if (overwrite) {
        Files.move(written, target, StandardCopyOption.ATOMIC_MOVE);
      } else {
        publish();
      }
      if (sync) {
        DiskSync.names(target.getParent());
      }
      Faults.at("after-" + kind());
    }

    /** Before the file is renamed: forces its bytes, and the files that a snapshot names. */
    private void syncBytes() throws IOException {
      DiskSync.file(written, channel);
      if (target.toString().endsWith(".zip")) {
        for (String directory : OF_SNAPSHOT) {
          DiskSync.content(target.resolveSibling(directory));
        }
      }
    }

    /** The kind of the file: a log of Spark, named by its directory, or a file of the state. */
    private String kind() {
      String parent = target.getParent().getFileName().toString();
      return parent.equals("offsets") || parent.equals("commits") ? parent : "state";
    }

    /** Of two writers of the same file one succeeds; on a file system without links there must be only one. */
    private void publish() throws IOException {
      try {
        Files.createLink(target, written);
        Files.delete(written);
      } catch (FileAlreadyExistsException e) {
        Files.delete(written);
        throw new org.apache.hadoop.fs.FileAlreadyExistsException(target.toString());
      } catch (UnsupportedOperationException | java.nio.file.FileSystemException noLinks) {
        if (Files.exists(target)) {
          Files.delete(written);
          throw new org.apache.hadoop.fs.FileAlreadyExistsException(target.toString());
        }
        Files.move(written, target, StandardCopyOption.ATOMIC_MOVE);
      }
    }

    @Override
    public synchronized void cancel() {
      if (done) {
        return;
      }
      done = true;
      try {
        stream.close();
        Files.deleteIfExists(written);
      } catch (IOException e) {
        // It has the name of an unfinished file, which is never read.
      }
    }
  }
}
