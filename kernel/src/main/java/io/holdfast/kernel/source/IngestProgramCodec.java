package io.holdfast.kernel.source;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;

/** Encodes ingest programs as text for a source option; caches the decoded ones by digest. */
public final class IngestProgramCodec {
  private static final int KEPT = 16;
  private static final Map<String, IngestFactory> READ = new LinkedHashMap<>(KEPT, 0.75f, true) {
    @Override
    protected boolean removeEldestEntry(Map.Entry<String, IngestFactory> eldest) {
      return size() > KEPT;
    }
  };

  private IngestProgramCodec() {}

  /** The value of the option `program`. */
  public static String encode(IngestFactory factory) {
    return Base64.getEncoder().encodeToString(Serialization.bytes(factory));
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
      return READ.computeIfAbsent(digest, key -> (IngestFactory) Serialization.object(Base64.getDecoder().decode(program)));
    }
  }
}
