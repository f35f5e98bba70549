package io.holdfast.kernel.source;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;

/** Serializes plans and programs, which are sent to executors or opened more than once. */
public final class Serialization {
  private Serialization() {}

  public static byte[] bytes(Object o) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(o);
    } catch (IOException e) {
      throw new IllegalStateException("the program cannot be sent to executors: " + e.getMessage(), e);
    }
    return bytes.toByteArray();
  }

  public static Object object(byte[] bytes) {
    // Spark may have added jars with the classes, besides the one of this class.
    ClassLoader context = Thread.currentThread().getContextClassLoader();
    ClassLoader loader = context == null ? Serialization.class.getClassLoader() : context;
    try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes)) {
      @Override
      protected Class<?> resolveClass(ObjectStreamClass desc) throws IOException, ClassNotFoundException {
        try {
          return Class.forName(desc.getName(), false, loader);
        } catch (ClassNotFoundException primitive) {
          return super.resolveClass(desc);
        }
      }
    }) {
      return in.readObject();
    } catch (IOException | ClassNotFoundException e) {
      throw new IllegalStateException("the program did not arrive whole: " + e.getMessage(), e);
    }
  }
}
