package io.holdfast.kernel.workers;

import java.io.Serializable;
import java.math.BigInteger;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * A function of the program that runs in Python.
 *
 * @param id how the program calls it
 * @param title how the user knows it: its name, file and line
 * @param code how it is made where it runs, as Python ships it; empty where it runs in the process that wrote it
 * @param key the name under which a worker keeps it; those of different code differ
 */
public record PythonFunction(String id, String title, byte[] code, String key) implements Serializable {
  public PythonFunction(String id, String title, byte[] code) {
    this(id, title, code, id + "@" + digest(code));
  }

  private static String digest(byte[] code) {
    try {
      return new BigInteger(1, MessageDigest.getInstance("SHA-256").digest(code)).toString(36);
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}
