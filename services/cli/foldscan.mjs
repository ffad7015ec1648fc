#!/usr/bin/env node
// Runs the TypeScript sources as they are, in this process: signals reach it without a detour.
import { register } from 'tsx/esm/api'

register()
await import('./main.ts')
