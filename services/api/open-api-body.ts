import { openApi } from '../../libs/presenters/open-api.ts'

/** The OpenAPI document as bytes; it does not change while a process lives. */
export const openApiBody = Buffer.from(JSON.stringify(openApi))
