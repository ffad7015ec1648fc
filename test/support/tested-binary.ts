import { type DebianBinary, type DebianProgram, debianBinary } from './debian-binary.ts'

const lastWordsMaxChars = 300

/**
 * The program of the PATH or of its Debian package; null where there is neither, with the reason on
 * stdout. @throws under CI=true if there is neither
 */
export async function testedBinary(name: DebianProgram): Promise<DebianBinary | null> {
  try {
    return await debianBinary(name)
  } catch (error) {
    const complaint = error instanceof Error ? error.message : String(error)
    const reason = `no ${name} to test with: ${complaint.replace(/\s+/g, ' ').slice(-lastWordsMaxChars)}`
    if (process.env.CI === 'true') throw new Error(reason)
    process.stdout.write(`\nSkipped the tests of ${name}: ${reason}\n\n`)
    return null
  }
}
