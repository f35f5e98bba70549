package io.holdfast.kernel.records;

/** The limits of topics: a record beyond them would fail its transaction, so nodes check before they emit. */
public interface TopicLimits {
  /** Kafka's default limits, with any time. */
  Limit USUAL = new Limit(true, 1_048_588, 32 << 20, true, false, Long.MAX_VALUE, Long.MAX_VALUE);

  /** Where there is no Kafka: the limits of topics that an app creates. */
  TopicLimits WITHOUT_KAFKA = of(16 << 20);

  /** Topics that take so many bytes, however well they could be compressed. */
  static TopicLimits of(int bytes) {
    Limit limit = new Limit(true, bytes, 32 << 20, false, false, Long.MAX_VALUE, Long.MAX_VALUE);
    return topic -> limit;
  }

  /**
   * The limits of one topic.
   *
   * @param exists whether there is such a topic
   * @param bytes how large a batch of one record may be when it arrives
   * @param request how large the record itself may be
   * @param compressed whether a batch is measured as the producer compresses it
   * @param keyed whether every record must have a key, because the topic is compacted
   * @param ahead how many milliseconds a record's time may be ahead of the broker's clock
   * @param behind and how many behind it
   */
  record Limit(boolean exists, int bytes, int request, boolean compressed, boolean keyed, long ahead, long behind) {
    /** The limits of a topic that is not there. */
    public Limit absent() {
      return new Limit(false, bytes, request, compressed, keyed, ahead, behind);
    }

    /** The limits for a record to which so many bytes are added. */
    public Limit less(int added) {
      return new Limit(exists, bytes - added, request - added, compressed, keyed, ahead, behind);
    }
  }

  /** The limits of a topic, as far as they are known. */
  Limit of(String topic);
}
