import type { Cache } from '../../../libs/ports/cache.ts'
import type { HttpResponse } from '../../../libs/ports/http.ts'
import { anAddress } from '../../../libs/presenters/testing/rows.ts'
import { type LogFields, silentLog } from '../../../libs/signals/log.ts'
import type { PageLoadLimits } from '../pages/page-loads.ts'
import { testApi } from './test-api.ts'

export const tokensOf = (number: number) => `/api/v2/addresses/${anAddress(0xa000 + number)}/tokens`
export const statusesOf = (responses: readonly HttpResponse[]) =>
  responses.map(({ status }) => status)
export const times = <T>(count: number, of: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => of(at))

/** An API whose pages load until the test lets them; `begun` counts the loads that run. */
export function slowApi(loads: Partial<PageLoadLimits> = {}, cache?: Cache) {
  const lines: { level: string; fields: LogFields; sentence: string }[] = []
  const line = (level: string) => (fields: LogFields, sentence: string) =>
    void lines.push({ level, fields, sentence })
  const log = { ...silentLog, warn: line('warn'), error: line('error') }
  const gates: (() => void)[] = []
  let isSlow = true
  const balancesOfAddress = () =>
    new Promise<never[]>((resolve) => {
      if (!isSlow) resolve([])
      gates.push(() => resolve([]))
    })
  const api = testApi({ balancesOfAddress }, { loads, log, ...(cache !== undefined && { cache }) })
  const release = () => {
    isSlow = false
    for (const open of gates) open()
  }
  return { ...api, lines, release, begun: () => gates.length }
}

/** A client that can leave. */
export function leavingClient() {
  const listeners: (() => void)[] = []
  return {
    onGone: (listener: () => void) => void listeners.push(listener),
    leave: () => {
      for (const listener of listeners) listener()
    },
  }
}
