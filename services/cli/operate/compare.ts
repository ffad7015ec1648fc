import { randomInt } from 'node:crypto'
import { StoreMissing, StoreUnavailable } from '../../../libs/ports/store.ts'
import type { SettingsOf } from '../../../libs/settings/settings.ts'
import { events } from '../../../libs/signals/events.ts'
import { StartupError } from '../../../libs/signals/startup-error.ts'
import type { Run } from '../command.ts'
import { reportProgress } from '../serve/report-progress.ts'
import { readingAddress, withTables } from '../serve/servers/clickhouse-access.ts'
import { compareSample } from './compare/compare-sample.ts'
import { comparisonText } from './compare/comparison-text.ts'
import { drawSubjects, type Subject, subjectIn } from './compare/subjects.ts'
import type { Comparison } from './compare/tally.ts'
import { explorer } from './explorer/explorer.ts'
import { explorerUrl } from './explorer/explorer-url.ts'
import { quoted } from './import/imported.ts'
import { print, runTask } from './run-task.ts'

type CompareSettings = SettingsOf<'compare'>

const exitCodes: Readonly<Record<Comparison['status'], number>> = {
  equal: 0,
  incomplete: 1,
  differs: 2,
}

const seedEnd = 2 ** 32

/** `foldscan compare [subjects...]`: prints in which fields two explorers differ. */
export const operateCompare: Run<'compare'> = (settings, { log, words }) =>
  runTask(log, async ({ signal, components }) => {
    const { sample, json } = settings
    const seed = settings.seed ?? randomInt(seedEnd)
    const onWait = (side: string) => (seconds: number) =>
      log.warn({ event: events.service.waiting }, `${side} returned 429: waiting for ${seconds} s`)
    const sides = {
      here: explorer({ url: explorerUrl(settings.url, '--url'), signal, onWait: onWait('here') }),
      there: explorer({
        url: explorerUrl(settings.with, '--with'),
        signal,
        onWait: onWait('there'),
      }),
    }
    const given = words.length > 0 ? words.map(subjectOf) : await drawn(settings, seed)
    let compared = 0
    const onProgress = (subjects: number) => {
      compared = subjects
    }
    reportProgress({
      ...{ log, components },
      progress: () => ({
        position: compared,
        sentence: `compared ${compared} of ${sample} subjects`,
      }),
    })
    const result = await compareSample({ sides, given, sample, seed, signal, onProgress })
    await print(json ? JSON.stringify(result) : comparisonText(result))
    return exitCodes[result.status]
  })

function subjectOf(word: string): Subject {
  const subject = subjectIn(word)
  if (subject !== null) return subject
  throw new StartupError(
    `Neither an address of 40 hex digits nor a transaction hash of 64: ${quoted(word)}.`,
  )
}

/** Half of the sample: what their pages name is the other half. */
async function drawn(settings: CompareSettings, seed: number): Promise<Subject[]> {
  const count = Math.ceil(settings.sample / 2)
  try {
    const subjects = await withTables(readingAddress(settings), (store) =>
      drawSubjects(store, { count, seed }),
    )
    if (subjects.length > 0) return subjects
    throw new StartupError(`The tables have no addresses yet: wait until blocks are indexed.`)
  } catch (error) {
    if (!(error instanceof StoreUnavailable || error instanceof StoreMissing)) throw error
    throw new StartupError(
      `There are no tables at ${settings.clickhouseUrl} to draw subjects from: ` +
        'correct --clickhouse-url, or name addresses and transactions to begin with, ' +
        'as the examples that `foldscan up` prints.',
    )
  }
}
