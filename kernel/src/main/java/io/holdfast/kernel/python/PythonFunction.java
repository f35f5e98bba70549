package io.holdfast.kernel.python;

import java.io.Serializable;

/**
 * A function of the program that runs in Python.
 *
 * @param id how the program calls it
 * @param code the function as Python ships it; empty where it runs in the process that wrote it
 */
public record PythonFunction(String id, byte[] code) implements Serializable {}
