package io.holdfast.kernel.source;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.holdfast.kernel.errors.KernelError;
import java.io.BufferedReader;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** Reads the offsets and the query's identity from a checkpoint of Spark. */
final class CheckpointOffsets {
  /** A file of offsets begins with its version and the settings of the epoch; a line for each source follows. */
  private static final int HEADER_LINES = 2;
  private static final String OFFSETS = "offsets";
  /** The remedy that is always possible, whatever is wrong with a checkpoint. */
  static final String BEGIN_AGAIN =
      "or, to begin again with all that the topics still have, remove the app's directory of state: everything is then written once more";
  private final Path checkpoint;
  private final Configuration hadoop;

  CheckpointOffsets(String checkpoint, Configuration hadoop) {
    this.checkpoint = new Path(checkpoint);
    this.hadoop = hadoop;
  }

  /** The end offset of each source in an epoch that has begun. */
  List<String> of(long epoch) {
    Path file = new Path(new Path(checkpoint, OFFSETS), String.valueOf(epoch));
    try (BufferedReader lines = new BufferedReader(new InputStreamReader(files().open(file), StandardCharsets.UTF_8))) {
      List<String> ends = lines.lines().skip(HEADER_LINES).toList();
      if (ends.isEmpty()) {
        throw new KernelError("", "", "the checkpoint is damaged: " + file + " is not whole. Put the checkpoint back from a copy, of any age; " + BEGIN_AGAIN);
      }
      return ends;
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  /** The identity of the query, which goes with every copy of the checkpoint; null before its first start. */
  String query() {
    try (InputStream file = files().open(new Path(checkpoint, "metadata"))) {
      return new ObjectMapper().readTree(file).path("id").asText(null);
    } catch (FileNotFoundException none) {
      return null;
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  /** The last epoch that was begun; -1 if there is none. */
  long last() {
    long last = -1;
    try {
      for (FileStatus file : files().listStatus(new Path(checkpoint, OFFSETS))) {
        String name = file.getPath().getName();
        last = name.matches("\\d{1,18}") ? Math.max(last, Long.parseLong(name)) : last;
      }
    } catch (FileNotFoundException none) {
      return -1;
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
    return last;
  }

  private FileSystem files() throws IOException {
    return checkpoint.getFileSystem(hadoop);
  }
}
