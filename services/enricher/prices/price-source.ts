import { z } from 'zod'
import { StartupError } from '../../../libs/signals/startup-error.ts'
import { firstIssueOf } from '../../../libs/topics/codec.ts'

/** Names of members and indexes of items, from the outermost on. */
const path = z.array(z.string().min(1).max(200)).min(1).max(10)
/** With `{name}` where something is filled in; `${NAME}` is a variable of the environment. */
const url = z
  .string()
  .max(2_048)
  .regex(/^(?:https?:\/\/[^/]|file:\/\/\/)/, 'no URL of http, https or file:///')

const coin = z.strictObject({ url, price: path })
/** The first coin was mined later. */
const firstDay = '2009-01-01'
const from = z.iso.date().refine((day) => day >= firstDay, `before ${firstDay}`)
const history = z.strictObject({ url, price: path, from })
const tokens = z.strictObject({
  url,
  addressesMax: z.int().min(1).max(200).default(1),
  /** How an address is spelled in `{addresses}` of the URL. */
  addressForm: z.string().max(200).includes('{address}').default('{address}'),
  price: path,
  volume24h: path.optional(),
  marketCap: path.optional(),
  circulatingSupply: path.optional(),
  icon: path.optional(),
})

const priceSource = z
  .strictObject({
    everySeconds: z.int().min(10).max(1_800).default(300),
    requestsPerMinute: z.number().min(0.01).max(1_000).default(10),
    jumpFactor: z.number().min(1.01).max(1_000).default(2),
    coin: coin.optional(),
    history: history.optional(),
    tokens: tokens.optional(),
  })
  .refine(({ coin, history, tokens }) => coin ?? history ?? tokens, {
    error: 'neither coin, nor history, nor tokens',
  })

/**
 * Where prices are fetched, and where in the answers they are: a file of the operator, so that any
 * service that answers JSON will do. `everySeconds` is for each price, `requestsPerMinute` for all.
 */
export type PriceSource = z.output<typeof priceSource>
export type TokensSource = NonNullable<PriceSource['tokens']>

/** What may be filled in. */
const dayNames = ['date', 'day_month_year', 'time'] as const
/** As many as the client of the web takes. */
const urlCharactersMax = 8_192
const someAddress = `0x${'0'.repeat(40)}`

/** @throws StartupError that names the member */
export function readPriceSource(
  text: string,
  environment: Readonly<Record<string, string | undefined>>,
): PriceSource {
  const { data, error } = priceSource.safeParse(jsonOf(text))
  if (data === undefined) throw wrong(firstIssueOf(error, 'file'))
  const { coin, history, tokens, ...rest } = data
  if (coin) check('coin', [coin.url, ...coin.price], [])
  if (history) {
    const texts = [history.url, ...history.price]
    check('history', texts, dayNames)
    if (!dayNames.some((name) => texts.join(' ').includes(`{${name}}`))) {
      throw wrong('history: neither url nor price names the day, as {date} does')
    }
  }
  if (tokens) checkTokens(tokens)
  const filled = <S extends { readonly url: string }>(name: string, one: S): S => ({
    ...one,
    url: withVariables(`${name}.url`, one.url, environment),
  })
  return {
    ...rest,
    ...(coin && { coin: filled('coin', coin) }),
    ...(history && { history: filled('history', history) }),
    ...(tokens && { tokens: filled('tokens', tokens) }),
  }
}

const wrong = (what: string) => new StartupError(`--price-source: ${what}.`)

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw wrong('the file is not JSON')
  }
}

function checkTokens({ url, addressForm, addressesMax, ...paths }: TokensSource): void {
  check('tokens.url', [url], ['addresses'])
  const names = Object.values(paths).flat()
  check('tokens', [addressForm, ...names], ['address'])
  if (!url.includes('{addresses}') && !url.startsWith('file:')) {
    throw wrong('tokens.url: it names no {addresses}')
  }
  if (addressesMax > 1 && !paths.price.join(' ').includes('{address}')) {
    throw wrong('tokens.price: with several addresses it has to name the {address}')
  }
  const form = encodeURIComponent(filledIn(addressForm, { address: someAddress }))
  const length = url.length + addressesMax * (form.length + 1)
  if (length > urlCharactersMax) {
    throw wrong(`tokens.addressesMax: a URL of ${length} characters, above ${urlCharactersMax}`)
  }
}

/** Else what should be filled in would be sent as it is. */
function check(member: string, texts: readonly string[], known: readonly string[]): void {
  for (const [whole, isVariable, name = ''] of texts.join(' ').matchAll(/(\$?)\{([^}]*)\}/g)) {
    const isKnown = isVariable === '' ? known.includes(name) : variableForm.test(name)
    if (!isKnown) throw wrong(`${member}: ${whole} is not known there`)
  }
}

const variableForm = /^[A-Z_][A-Z0-9_]*$/

/** Keys of services stay out of the file. */
function withVariables(
  member: string,
  text: string,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const whole = text.replace(/\$\{(\w+)\}/g, (_, name: string) => {
    const value = environment[name]
    if (value) return encodeURIComponent(value)
    throw wrong(`the variable ${name} is not set`)
  })
  const example = whole.replace(/\{\w+\}/g, '0')
  if (!URL.canParse(example)) throw wrong(`${member} is malformed once its variables are filled in`)
  const { username, password } = new URL(example)
  if (username + password === '') return whole
  throw wrong(`${member} has a user or a password, which the client of the web does not send`)
}

/** Text with what its `{name}` stand for; others stay. */
export const filledIn = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
