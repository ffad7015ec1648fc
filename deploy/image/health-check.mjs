// The health check of the image: exit code 0 while the service of this container lives.
// Reads the address from the environment, as the service does; flags of the command are not seen.
import { processSettings } from './libs/settings/process-settings.js'

const { FOLDSCAN_HEALTH_PORT: port = processSettings.healthPort.default } = process.env
const { FOLDSCAN_HEALTH_HOST: host = processSettings.healthHost.default } = process.env
const everyAddress = ['0.0.0.0', '::']
const address = everyAddress.includes(host) ? '127.0.0.1' : host

try {
  const { status } = await fetch(`http://${address}:${port}/health/live`)
  process.exitCode = status === 200 ? 0 : 1
} catch {
  process.exitCode = 1
}
