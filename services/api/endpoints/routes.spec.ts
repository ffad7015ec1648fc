import { expect, test } from 'vitest'
import { endpoints } from '../../../libs/presenters/endpoints.ts'
import { routes } from './routes.ts'

test('answers every endpoint of the document, in its order, and no other', () => {
  expect(routes.map(({ path }) => path)).toEqual(endpoints.map(({ path }) => path))
})
