package io.holdfast.kernel.spark;

import io.holdfast.kernel.Checks;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;

/** A copy is the same file, wherever it goes and whatever was there. */
public final class LocalDiskTest {
  private static final int[] SIZES = {0, 1, 511, 512, 70_000, 5_000_000};

  private LocalDiskTest() {}

  public static void main(String[] args) throws Exception {
    Checks check = new Checks();
    Path home = check.folder();
    Configuration settings = new Configuration();
    settings.set("fs.file.impl", LocalDisk.class.getName());
    FileSystem disk = FileSystem.newInstance(URI.create("file:///"), settings);
    check.equal("class", LocalDisk.class, disk.getClass());
    Random random = new Random(1);
    for (int size : SIZES) {
      byte[] bytes = new byte[size];
      random.nextBytes(bytes);
      Path source = Files.write(home.resolve("from-" + size), bytes);
      Path target = home.resolve("new/place/to-" + size);
      copy(disk, source, target);
      check.equal(size + " bytes", true, Arrays.equals(bytes, Files.readAllBytes(target)));
      Files.write(source, new byte[] {1, 2, 3});
      check.equal(size + " bytes, of its own", true, Arrays.equals(bytes, Files.readAllBytes(target)));
      copy(disk, source, target);
      check.equal("over " + size + " bytes", "[1, 2, 3]", Arrays.toString(Files.readAllBytes(target)));
    }
    Files.write(Files.createDirectory(home.resolve("folder")).resolve("file"), new byte[] {4});
    copy(disk, home.resolve("folder"), home.resolve("copy"));
    check.equal("folder", "[4]", Arrays.toString(Files.readAllBytes(home.resolve("copy/file"))));
    check.failsWith("nothing there", java.io.FileNotFoundException.class, "absent", () -> {
      copy(disk, home.resolve("absent"), home.resolve("never"));
      return "copied";
    });
    check.end();
  }

  private static void copy(FileSystem disk, Path from, Path to) throws java.io.IOException {
    disk.copyFromLocalFile(new org.apache.hadoop.fs.Path(from.toUri()), new org.apache.hadoop.fs.Path(to.toUri()));
  }
}
