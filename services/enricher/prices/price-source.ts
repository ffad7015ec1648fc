import { z } from 'zod'
import { StartupError } from '../../../libs/signals/startup-error.ts'
import { firstIssueOf } from '../../../libs/topics/codec.ts'

/** Names of members and indexes of items, from the outermost on. */
const path = z.array(z.string().min(1).max(200)).min(1).max(10)
/** With `{...}` where something is put in; `${NAME}` is a variable of the environment. */
const url = z
  .string()
  .max(2_048)
  .regex(/^(?:https?|file):\/\//, 'no URL of http, https or file')

const coin = z.strictObject({ url, price: path })
const history = z.strictObject({ url, price: path, from: z.iso.date() })
const tokens = z.strictObject({
  url,
  addressesMax: z.int().min(1).max(500).default(1),
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
    everySeconds: z.int().min(10).max(86_400).default(300),
    requestsPerMinute: z.int().min(1).max(1_000).default(10),
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

/** @throws StartupError that names the member */
export function readPriceSource(
  text: string,
  environment: Readonly<Record<string, string | undefined>>,
): PriceSource {
  const { data, error } = priceSource.safeParse(jsonOf(text))
  if (data === undefined) throw new StartupError(`--price-source: ${firstIssueOf(error, 'file')}.`)
  const { coin, history, tokens, ...rest } = data
  const filled = <S extends { readonly url: string }>(one: S): S => ({
    ...one,
    url: withVariables(one.url, environment),
  })
  return {
    ...rest,
    ...(coin && { coin: filled(coin) }),
    ...(history && { history: filled(history) }),
    ...(tokens && { tokens: filled(tokens) }),
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new StartupError('--price-source: the file is not JSON.')
  }
}

/** Keys of services stay out of the file. */
function withVariables(
  text: string,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const whole = text.replace(/\$\{([A-Z_][A-Z0-9_]*)\}/g, (_, name: string) => {
    const value = environment[name]
    if (value) return value
    throw new StartupError(`--price-source: the variable ${name} is not set.`)
  })
  if (URL.canParse(whole.replace(/\{\w+\}/g, '0'))) return whole
  throw new StartupError(`--price-source: a URL is malformed once its variables are put in.`)
}

/** Text with what its `{name}` stand for; others stay. */
export const filledIn = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
