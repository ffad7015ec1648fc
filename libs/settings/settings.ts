import { enricherSettings } from './enricher-settings.ts'
import { limitSettings } from './limit-settings.ts'
import { operatorSettings } from './operator-settings.ts'
import { processSettings } from './process-settings.ts'
import { clickhouseSettings, kafkaSettings, redisSettings } from './server-settings.ts'
import type { CommandName, Setting } from './setting.ts'
import { sourceSettings } from './source-settings.ts'

/** Every setting, in the order and under the headings of `deploy/SETTINGS.md`. */
export const sections = {
  Process: processSettings,
  Source: sourceSettings,
  'Off-chain facts': enricherSettings,
  Kafka: kafkaSettings,
  ClickHouse: clickhouseSettings,
  Redis: redisSettings,
  'Limits of requests': limitSettings,
  Operators: operatorSettings,
}

/**
 * Every setting, one row each. `dataDir` is `--data-dir` on the command line and
 * `FOLDSCAN_DATA_DIR` in the environment; the flag wins. `deploy/SETTINGS.md` is printed from here.
 */
export const settings = {
  ...processSettings,
  ...sourceSettings,
  ...enricherSettings,
  ...kafkaSettings,
  ...clickhouseSettings,
  ...redisSettings,
  ...limitSettings,
  ...operatorSettings,
}

type All = typeof settings
type Taker<S> = S extends Setting<unknown, infer C> ? C : never
type Value<S> = S extends Setting<infer V, CommandName> ? V : never

type Values = { readonly [K in keyof All]: Value<All[K]> }
type TakenBy<C extends CommandName> = {
  [K in keyof All]: [C] extends [Taker<All[K]>] ? K : never
}[keyof All]

/** Values of the settings that a command takes; of several commands, that all of them take. */
export type SettingsOf<C extends CommandName> = Pick<Values, TakenBy<C>>

/** Those of the embedded form. */
export type Settings = SettingsOf<'up'>

/** The settings that a command takes, by key. */
export const settingsTakenBy = (command: CommandName): [key: string, setting: Setting<unknown>][] =>
  Object.entries<Setting<unknown>>(settings).filter(([, { row }]) => row.takenBy.includes(command))
