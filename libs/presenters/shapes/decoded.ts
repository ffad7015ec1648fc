import { z } from 'zod'
import type { ShownValue } from '../abi/values.ts'
import { named } from './named.ts'

const value: z.ZodType<ShownValue> = named(
  'DecodedValue',
  z.lazy(() => z.union([z.string(), z.array(value)])),
)

const parameter = z.object({ name: z.string(), type: z.string(), value })
const call = z.object({ method_call: z.string(), method_id: z.string().regex(/^[0-9a-f]{8}$/) })

/** See `../abi/method.ts`. */
export const decodedInput = named('DecodedInput', call.extend({ parameters: z.array(parameter) }))

/** See `../abi/event.ts`. */
export const decodedEvent = named(
  'DecodedEvent',
  call.extend({
    parameters: z.array(parameter.extend({ indexed: z.boolean(), 'indexed?': z.boolean() })),
  }),
)
