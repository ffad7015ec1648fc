/** A document of a token as strangers publish it, and what becomes of it. */
export interface DocumentCase {
  /** Unique. */
  readonly name: string
  /** What the contract returns; null if the case is about `answer`, at whatever web URL it is. */
  readonly uri: string | null
  /** 1 if it is absent. */
  readonly tokenId?: bigint
  /** Where it is, in order, with {@link ipfsGateways} and {@link arweaveGateway}. */
  readonly urls?: readonly string[]
  /** What a server sends; absent if the URI holds the document, or is refused. */
  readonly answer?: Answer
  readonly expected: Expected
  /**
   * Fields of the API's token instance. `metadata` is the expected one where it is absent, other
   * fields are not compared.
   */
  readonly shown?: Shown
}

export interface Answer {
  readonly body: Uint8Array
  readonly contentType: string | null
}

export type Expected =
  | { readonly metadata: Readonly<Record<string, unknown>> }
  /** MIME type of the image or video that the URI is. */
  | { readonly media: string }
  /** The reason. */
  | { readonly refused: string }

export interface Shown {
  readonly metadata?: Readonly<Record<string, unknown>> | null
  readonly image_url?: string | null
  readonly animation_url?: string | null
  readonly external_app_url?: string | null
  readonly media_type?: string | null
}

/** The tests' own; whoever serves the answers puts its own in their place. */
export const ipfsGateways = ['https://gateway.example/ipfs/', 'https://second.example/ipfs/']
export const arweaveGateway = 'https://arweave.example/'

export const answered = (body: string | Uint8Array, contentType: string | null): Answer => ({
  body: typeof body === 'string' ? Buffer.from(body, 'utf8') : body,
  contentType,
})

/** Sent as what it is. */
export const jsonAnswer = (value: unknown): Answer =>
  answered(JSON.stringify(value), 'application/json')
