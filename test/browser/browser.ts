import { fileURLToPath } from 'node:url'
import { type Browser, chromium } from 'playwright-core'
import { debianFile } from '../support/debian-binary.ts'
import { testedBinary } from '../support/tested-binary.ts'

const fonts = fileURLToPath(new URL('./fonts.conf', import.meta.url))

/**
 * A headless Chromium of the PATH or of Debian; null where there is neither, with the reason on
 * stdout. The caller closes it. @throws under CI=true if there is neither
 */
export async function openBrowser(): Promise<Browser | null> {
  const name = 'chromium-headless-shell'
  if ((await testedBinary(name)) === null) return null
  const { file, environment } = await debianFile(name)
  return chromium.launch({
    executablePath: file,
    env: { ...process.env, ...environment, FONTCONFIG_FILE: fonts },
  })
}
