import { isDeepStrictEqual } from 'node:util'
import { routes } from '../../../services/api/endpoints/routes.ts'

/**
 * @param path of a question that was answered by 200.
 * @throws unless the body has the shape that the OpenAPI document tells, and no field more.
 */
export function checkDeclared(path: string, body: unknown): void {
  const segments = path.split('/').filter((segment) => segment !== '')
  const endpoint = routes.find((at) => {
    const pattern = at.path.split('/').slice(1)
    return (
      pattern.length === segments.length &&
      pattern.every((part, index) => part.startsWith('{') || part === segments[index])
    )
  })
  if (endpoint === undefined) return
  const { success, data, error } = endpoint.body.safeParse(body)
  if (!success) throw new Error(`${path} is not as declared: ${error.message}`)
  // Reading drops what is not declared.
  if (!isDeepStrictEqual(data, body)) throw new Error(`${path} has a field that is not declared`)
}
