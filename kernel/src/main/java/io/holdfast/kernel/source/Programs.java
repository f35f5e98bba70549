package io.holdfast.kernel.source;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;

/** Ingest programs as text for a source option, and the ones this process has read, by digest. */
public final class Programs {
  private static final int KEPT = 16;
  private static final Map<String, IngestFactory> READ = new LinkedHashMap<>(KEPT, 0.75f, true) {
    @Override
    protected boolean removeEldestEntry(Map.Entry<String, IngestFactory> eldest) {
      return size() > KEPT;
    }
  };

  private Programs() {}

  /** The value of the option `program`. */
  public static String encode(IngestFactory factory) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(factory);
    } catch (IOException e) {
      throw new IllegalArgumentException("the ingest program cannot be serialised: " + e.getMessage(), e);
    }
    return Base64.getEncoder().encodeToString(bytes.toByteArray());
  }

  static String digest(String program) {
    try {
      byte[] text = program.getBytes(StandardCharsets.US_ASCII);
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(text));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  static IngestFactory decode(String program, String digest) {
    synchronized (READ) {
      return READ.computeIfAbsent(digest, key -> read(program));
    }
  }

  private static IngestFactory read(String program) {
    byte[] bytes = Base64.getDecoder().decode(program);
    try (ObjectInputStream in = new ContextInput(new ByteArrayInputStream(bytes))) {
      return (IngestFactory) in.readObject();
    } catch (IOException | ClassNotFoundException e) {
      throw new IllegalArgumentException("the ingest program cannot be read: " + e.getMessage(), e);
    }
  }

  /** Finds classes where Spark has added jars, not only where this class came from. */
  private static final class ContextInput extends ObjectInputStream {
    ContextInput(ByteArrayInputStream in) throws IOException {
      super(in);
    }

    @Override
    protected Class<?> resolveClass(ObjectStreamClass type) throws IOException, ClassNotFoundException {
      try {
        return Class.forName(type.getName(), false, Thread.currentThread().getContextClassLoader());
      } catch (ClassNotFoundException e) {
        return super.resolveClass(type);
      }
    }
  }
}
