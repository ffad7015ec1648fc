import { describe } from 'vitest'
import { testStore } from '../support/engine.ts'
import { largePagesLaws } from './large-pages-laws.ts'

describe('large pages of the embedded form', () => largePagesLaws(testStore))
