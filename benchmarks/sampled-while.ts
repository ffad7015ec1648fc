interface Sampling<Sample> {
  readonly everyMs: number
  readonly sample: () => Sample
}

/**
 * Samples at an interval while the work runs.
 *
 * @throws what the work or a sample threw first: thrown in a timer it would end this process, and
 *   hide why the process that is sampled has ended
 */
export async function sampledWhile<Sample, Result>(
  { everyMs, sample }: Sampling<Sample>,
  work: () => Promise<Result>,
): Promise<{ readonly samples: readonly Sample[]; readonly result: Result }> {
  const samples: Sample[] = []
  const { timer, failed } = atInterval(everyMs, () => samples.push(sample()))
  try {
    return { result: await Promise.race([work(), failed]), samples }
  } finally {
    clearInterval(timer)
  }
}

/** Calls it until the timer is cleared or a call throws: then `failed` rejects. */
function atInterval(everyMs: number, call: () => void) {
  let fail: (reason: unknown) => void = () => {}
  const failed = new Promise<never>((_, reject) => {
    fail = reject
  })
  const timer = setInterval(() => {
    try {
      call()
    } catch (error) {
      clearInterval(timer)
      fail(error)
    }
  }, everyMs)
  return { timer, failed }
}
