import { type DebianBinary, type DebianProgram, debianBinary } from './debian-binary.ts'
import { orSkipped } from './or-skipped.ts'

/** The program of the PATH or of its Debian package. Else as `orSkipped`. */
export const testedBinary = (name: DebianProgram): Promise<DebianBinary | null> =>
  orSkipped(name, () => debianBinary(name))
