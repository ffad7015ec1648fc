import { runbooks } from '../../signals/runbooks.ts'

/** Why an engine did not start, or went. The message is one sentence for people. */
export class EngineFailure extends Error {
  override readonly name = 'EngineFailure'
}

interface Symptom {
  readonly words: RegExp
  readonly sentence: (folder: string, detail: string) => string
}

/** Messages of the engine and their meaning here; the first match counts. */
const symptoms: readonly Symptom[] = [
  { words: /QUERY_WAS_CANCELLED/, sentence: () => 'the engine was stopped' },
  {
    words: /Cannot lock file|Another server instance/,
    sentence: (folder) => `another engine is using the folder ${folder}; stop it first`,
  },
  {
    words: /no space left on device|NOT_ENOUGH_SPACE|errno: 28\b/i,
    sentence: (folder) => `the disk of ${folder} is full; free some space and start again`,
  },
  {
    words: /permission denied|errno: 13\b|Read-only file system/i,
    sentence: (folder) => `the engine may not write to the folder ${folder}`,
  },
  {
    words: /cannot open shared object|Dynamic linking error|GLIBC/i,
    sentence: (_, detail) => `this machine cannot load the engine's library: ${detail}`,
  },
]

/** True where the engine lost a race for its port, which another try can win. */
export const portWasTaken = (output: string): boolean => /Address already in use/.test(output)

/** The sentence for the last output of the engine before its exit, and the signal that ended it. */
export function engineFailure(
  folder: string,
  output: string,
  signal: string | null = null,
): string {
  const detail = lastException(output)
  for (const { words, sentence } of symptoms) {
    if (words.test(output)) return sentence(folder, detail)
  }
  return detail === ''
    ? `the engine on ${folder} ended without output (${signal ?? 'no signal'})`
    : `the engine cannot open the folder ${folder}, which may be damaged: ${detail}; ` +
        `see ${runbooks.corruptFolder}`
}

const detailMaxChars = 300

function lastException(output: string): string {
  const start = output.lastIndexOf('DB::Exception: ')
  const text = start < 0 ? output : output.slice(start + 'DB::Exception: '.length)
  return text.replace(/\s+/g, ' ').trim().slice(0, detailMaxChars).replace(/\.$/, '')
}
