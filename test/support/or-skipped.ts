const lastWordsMaxChars = 400

/**
 * What tests need and have to fetch or build; null where that is not possible, with the reason on
 * stdout. @throws under CI=true if it is not
 */
export async function orSkipped<T>(what: string, made: () => Promise<T>): Promise<T | null> {
  try {
    return await made()
  } catch (error) {
    const complaint = error instanceof Error ? error.message : String(error)
    const words = complaint.replace(/\s+/g, ' ').slice(-lastWordsMaxChars)
    const reason = `no ${what} to test with: ${words}`
    if (process.env.CI === 'true') throw new Error(reason)
    process.stdout.write(`\nSkipped tests: ${reason}\n\n`)
    return null
  }
}
