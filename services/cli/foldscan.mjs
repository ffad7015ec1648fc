#!/usr/bin/env node
// Runs the TypeScript sources as they are, in this process: signals reach it without a detour.
import './strip-types.mjs'

await import('./main.ts')
