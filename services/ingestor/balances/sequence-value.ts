export const sequenceBytes = 6

/** A sequence of the log, as volumes hold it. */
export function sequenceValue(sequence: number): Buffer {
  const value = Buffer.alloc(sequenceBytes)
  value.writeUIntBE(sequence, 0, sequenceBytes)
  return value
}

export const sequenceIn = (value: Buffer): number => value.readUIntBE(0, sequenceBytes)
