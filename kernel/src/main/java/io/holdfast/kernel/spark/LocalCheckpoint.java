package io.holdfast.kernel.spark;

import io.holdfast.kernel.ops.Faults;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager.CancellableFSDataOutputStream;
import org.apache.spark.sql.execution.streaming.checkpointing.FileContextBasedCheckpointFileManager;

/**
 * Spark's files of a checkpoint, written by this process itself where they lie on a local disk.
 *
 * <p>Hadoop starts a process for each permission it sets and for each link it looks for: several for every file, some dozens
 * of them in a batch.
 */
public final class LocalCheckpoint extends FileContextBasedCheckpointFileManager {
  private final boolean local;

  public LocalCheckpoint(Path path, Configuration conf) {
    super(path, conf);
    local = isLocal() && (path.toUri().getScheme() == null || path.toUri().getScheme().equals("file"));
  }

  @Override
  public CancellableFSDataOutputStream createAtomic(Path path, boolean overwrite) {
    return local ? create(path, overwrite) : super.createAtomic(path, overwrite);
  }

  private static CancellableFSDataOutputStream create(Path path, boolean overwrite) {
    java.nio.file.Path target = java.nio.file.Path.of(path.toUri().getPath());
    // Spark passes over files with names like this one, and deletes them in the end.
    java.nio.file.Path written = target.resolveSibling("." + target.getFileName() + "." + UUID.randomUUID() + ".tmp");
    try {
      Files.createDirectories(target.getParent());
      return new Atomic(new BufferedOutputStream(Files.newOutputStream(written), 1 << 16), written, target, overwrite);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /** A file that appears whole when it is closed, or not at all. */
  private static final class Atomic extends CancellableFSDataOutputStream {
    private final OutputStream stream;
    private final java.nio.file.Path written;
    private final java.nio.file.Path target;
    private final boolean overwrite;
    private boolean done;

    Atomic(OutputStream out, java.nio.file.Path written, java.nio.file.Path target, boolean overwrite) {
      super(out);
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
      stream.close();
      Faults.at("before-" + kind());
      if (overwrite) {
        Files.move(written, target, StandardCopyOption.ATOMIC_MOVE);
      } else {
        publish();
      }
      Faults.at("after-" + kind());
    }

    /** What the file is to the checkpoint: a log of Spark's, named by its directory, or a file of the state. */
    private String kind() {
      String parent = target.getParent().getFileName().toString();
      return parent.equals("offsets") || parent.equals("commits") ? parent : "state";
    }

    /** Of two that write the same file one succeeds; a file system without links has to trust that there is only one. */
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
        // It has the name of a file that was not finished, and nobody will read it.
      }
    }
  }
}
