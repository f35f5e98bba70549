package io.holdfast.kernel.workers;

import java.util.concurrent.Callable;
import java.util.concurrent.SynchronousQueue;
import java.util.function.UnaryOperator;

/**
 * Runs Python functions in the process of a test, which takes one call after the other and answers it.
 *
 * <p>The batch runs on a thread of its own, and the functions on that of the test, so that breakpoints and prints work.
 */
public final class InProcessCalls implements PythonCalls {
  private final SynchronousQueue<Object> questions = new SynchronousQueue<>();
  private final SynchronousQueue<Object> answers = new SynchronousQueue<>();
  private volatile UnaryOperator<byte[]> asked;

  /** A call that waits for its answer. */
  public record Question(String function, byte[] arguments) {}

  private record BatchResult(String result, Throwable failure) {}

  /** Begins the batch; {@link #next} returns its calls. */
  public void begin(Callable<String> batch) {
    Thread thread = new Thread(() -> {
      BatchResult done;
      try {
        done = new BatchResult(batch.call(), null);
      } catch (Throwable failure) {
        done = new BatchResult(null, failure);
      }
      hand(questions, done);
    }, "holdfast-batch");
    thread.setDaemon(true);
    thread.start();
  }

  /** The next call, or the batch's result as text. */
  public Object next() throws Throwable {
    Object question = questions.take();
    if (!(question instanceof BatchResult done)) {
      return question;
    }
    if (done.failure != null) {
      throw done.failure;
    }
    return done.result;
  }

  public void answer(byte[] bytes) {
    hand(answers, bytes);
  }

  /** Answers a question of the function that runs now; the batch waits meanwhile. */
  public byte[] ask(byte[] question) {
    return asked.apply(question);
  }

  @Override
  public byte[] call(PythonFunction function, byte[] arguments, UnaryOperator<byte[]> asking) {
    asked = asking;
    hand(questions, new Question(function.id(), arguments));
    try {
      return (byte[]) answers.take();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void hand(SynchronousQueue<Object> to, Object item) {
    try {
      to.put(item);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
