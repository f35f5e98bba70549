package io.holdfast.kernel.workers;

import java.io.Serializable;
import java.math.BigInteger;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * A function of the program that runs in Python.
 *
 * @param id its name in the plan
 * @param title its name for the user, with file and line
 * @param code the pickled function; empty where it runs in the process that defined it
 * @param key its name in a worker; functions with different code have different ones
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
