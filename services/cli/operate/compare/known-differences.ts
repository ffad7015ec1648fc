import type { Difference } from './differences.ts'

/** Fields in which explorers may differ without either being wrong: counted, not reported. */
export interface KnownDifference {
  /** Row of libs/presenters/CONTRACT.md. */
  readonly decision: number
  readonly why: string
  /** Of fields, as `items[].token.name`. */
  readonly fields: RegExp
  /** What such a pair of values is. */
  readonly when: keyof typeof relations
}

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === false ||
  (Array.isArray(value) && !value.length)

type Pair = Pick<Difference, 'here' | 'there'>

const relations = {
  any: () => true,
  'only here': ({ there }: Pair) => there === undefined,
  'empty here': ({ here }: Pair) => isEmpty(here),
  'empty there': ({ there }: Pair) => isEmpty(there),
  'same text': ({ here, there }: Pair) => !isEmpty(here) && String(here) === String(there),
} as const

/** Names of fields at the end of a path. */
const named = (...names: string[]) => new RegExp(`(?:^|\\.)(?:${names.join('|')})$`)
const addressField = String.raw`(?:from|to|address|address_hash|owner|created_contract|smart_contract|implementations\[\])`

export const knownDifferences: readonly KnownDifference[] = [
  {
    decision: 7,
    why: 'gas_limit is an integer, or a string with --published-types',
    ...{ fields: named('gas_limit'), when: 'same text' },
  },
  {
    decision: 8,
    why: 'holders_count is a string, a number in endpoint 3',
    ...{ fields: named('holders_count'), when: 'same text' },
  },
  {
    decision: 9,
    why: 'log_index is an integer',
    ...{ fields: named('log_index'), when: 'same text' },
  },
  {
    decision: 10,
    why: 'logs and holders have the address under two names, parameters `indexed` too',
    fields: /^items\[\]\.address(?:_hash)?(?:\.|$)|\.parameters\[\]\.indexed\??$/,
    when: 'only here',
  },
  {
    decision: 11,
    why: 'names, labels, proxies and verification of addresses are off-chain facts to import',
    fields: new RegExp(
      String.raw`(?:^|\.)${addressField}\.(?:name|implementation_name|ens_domain_name|metadata|` +
        String.raw`is_scam|is_verified|proxy_type|reputation|implementations(?:\[\].*)?|public_tags(?:\[\].*)?)$`,
    ),
    when: 'empty here',
  },
  {
    decision: 11,
    why: 'address objects have more fields here',
    fields: named('is_scam', 'reputation', 'proxy_type', 'implementations', 'implementation_name'),
    when: 'only here',
  },
  {
    decision: 12,
    why: 'the first transfers of each transaction are in its list',
    fields: /(?:^|\.)token_transfers(?:_overflow|\[\].*)?$/,
    when: 'empty there',
  },
  {
    decision: 13,
    why: 'actions are derived from logs of known protocols',
    ...{ fields: /(?:^|\.)actions(?:\[\].*)?$/, when: 'any' },
  },
  {
    decision: 14,
    why: 'the total of an ERC-721 has a value and decimals here',
    ...{ fields: named(String.raw`total\.value`, String.raw`total\.decimals`), when: 'only here' },
  },
  {
    decision: 16,
    why: 'the summary is null for what failed or is unknown',
    ...{ fields: /^data\.summaries(?:\[\].*)?$/, when: 'empty here' },
  },
  {
    decision: 26,
    why: 'counts and rates in embedded tokens may be 30 s old; endpoint 10 is compared exactly',
    fields:
      /(?:^|\.)token\.(?:holders_count|total_supply|exchange_rate|volume_24h|circulating_market_cap)$/,
    when: 'any',
  },
  {
    decision: 36,
    why: 'holders are not counted where a history is incomplete or a balance unknown',
    ...{ fields: named('holders_count'), when: 'empty here' },
  },
  {
    decision: 38,
    why: 'instances: owner and metadata are null where they are not known',
    fields:
      /(?:^|\.)(?:owner|holder_address_hash|token_instance|metadata|image_url|animation_url|external_app_url|media_url|media_type|thumbnails)(?:\..*)?$/,
    when: 'empty here',
  },
  {
    decision: 39,
    why: 'rates, caps and volumes are null until they are imported',
    fields: named(
      ...['exchange_rate', 'historic_exchange_rate', 'volume_24h', 'circulating_market_cap'],
      ...['circulating_supply', 'fiat_value', 'icon_url'],
    ),
    when: 'empty here',
  },
  {
    decision: 45,
    why: 'the method of a creation, and of input of less than 4 bytes, is null',
    ...{ fields: named('method'), when: 'empty here' },
  },
  {
    decision: 51,
    why: 'the duration is that since the parent block',
    ...{ fields: /(?:^|\.)confirmation_duration(?:\[\])?$/, when: 'any' },
  },
  {
    decision: 55,
    why: 'a supply that the log contradicts is null',
    ...{ fields: named('total_supply'), when: 'empty here' },
  },
  {
    decision: 66,
    why: 'calls and logs are decoded by the ABIs and signatures that were imported',
    fields: /(?:^|\.)(?:decoded|decoded_input)$/,
    when: 'empty here',
  },
  {
    decision: 68,
    why: 'the status of an authorization is null where the blocks do not prove it',
    ...{ fields: /\.authorization_list\[\]\./, when: 'empty here' },
  },
]

/** Null for a difference that has to be reported. */
export const knownOf = (difference: Difference): KnownDifference | null =>
  knownDifferences.find(
    ({ fields, when }) => fields.test(difference.field) && relations[when](difference),
  ) ?? null

/** Fields that another head changes in a transaction, a log or a transfer of an old block. */
export const movesWithHead = named(
  ...['confirmations', 'exchange_rate', 'holders_count', 'total_supply', 'is_contract'],
  ...['volume_24h', 'circulating_market_cap'],
)
