const pollMs = 10

/** Waits for a condition, never for a time. @throws naming the condition when the bound is hit */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  boundMs = 100_000,
): Promise<void> {
  const deadline = Date.now() + boundMs
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`not within ${boundMs} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
}
