package io.holdfast.kernel.spark;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Hadoop's local disk, on which a file is copied by the operating system itself.
 *
 * <p>Spark copies RocksDB's files to the checkpoint, with ten million keys a gigabyte of them. Hadoop's own copy goes through Java in
 * small pieces with a checksum for each; RocksDB has checksums of its own in these files. A copy survives a loss of power.
 */
public final class LocalDisk extends LocalFileSystem {
  @Override
  public void copyFromLocalFile(boolean move, Path from, Path to) throws IOException {
    java.nio.file.Path source = pathToFile(from).toPath();
    java.nio.file.Path target = pathToFile(to).toPath();
    if (move || !Files.isRegularFile(source) || Files.exists(target)) {
      super.copyFromLocalFile(move, from, to);
      return;
    }
    boolean sync = getConf().getBoolean(DiskSync.SETTING, true);
    if (sync) {
      DiskSync.directory(target.getParent());
    } else {
      Files.createDirectories(target.getParent());
    }
    try (FileChannel in = FileChannel.open(source, StandardOpenOption.READ);
        FileChannel out = FileChannel.open(target, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      long size = in.size();
      for (long done = 0; done < size;) {
        long copied = in.transferTo(done, size - done, out);
        if (copied <= 0) {
          throw new IOException("%s ended after %d of %d bytes".formatted(source, done, size));
        }
        done += copied;
      }
      if (sync) {
        DiskSync.file(target, out);
      }
    }
    if (sync) {
      DiskSync.names(target.getParent());
      DiskSync.copied(target);
    }
  }
}
