package io.holdfast.kernel.source;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.unsafe.types.UTF8String;

/** Reads the rows of Spark's Kafka source: key, value, topic, partition, offset, timestamp, timestampType, headers. */
final class KafkaRow {
    private static final int KEY = 0;
    private static final int VALUE = 1;
    private static final int TOPIC = 2;
    private static final int PARTITION = 3;
    private static final int OFFSET = 4;
    private static final int TIMESTAMP = 5;
    private static final int HEADERS = 7;

    private UTF8String topic;
    private String topicName;

    RawRecord read(InternalRow row) {
        return new RawRecord(topic(row.getUTF8String(TOPIC)), row.getInt(PARTITION), row.getLong(OFFSET),
            Math.floorDiv(row.getLong(TIMESTAMP), 1000L), row.isNullAt(KEY) ? null : row.getBinary(KEY),
            row.isNullAt(VALUE) ? null : row.getBinary(VALUE), row.isNullAt(HEADERS) ? null : headers(row.getArray(HEADERS)));
    }

    private String topic(UTF8String name) {
        if (!name.equals(topic)) {
            topic = name.copy();
            topicName = name.toString();
        }
        return topicName;
    }

    private static RawHeader[] headers(ArrayData array) {
        RawHeader[] headers = new RawHeader[array.numElements()];
        for (int i = 0; i < headers.length; i++) {
            InternalRow header = array.getStruct(i, 2);
            headers[i] = new RawHeader(header.getUTF8String(0).toString(), header.isNullAt(1) ? null : header.getBinary(1));
        }
        return headers.length == 0 ? null : headers;
    }
}
