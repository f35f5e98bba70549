package io.holdfast.kernel.plan;

import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.Program;
import java.io.Serializable;
import java.util.List;
import java.util.Map;

/**
 * A whole app, resolved: what is done where records are read, and the program of each stage.
 *
 * @param topics what is read from Kafka
 * @param tables those of the topics that are tables
 * @param idle after how many milliseconds of silence a topic's time moves on by the clock, for topics that tasks hear of; 0: never
 * @param wall whether tasks ask for the clock's time
 * @param frames the nodes that read a DataFrame
 */
public record Plan(
    String app, List<String> topics, List<String> frames, List<String> tables, Map<String, Long> idle, boolean wall, IngestProgram ingest,
    List<Program> stages, Map<String, NodeSpec> nodes)
    implements Serializable {}
