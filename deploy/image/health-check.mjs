// The health check of the image: exit code 0 while the service of this container lives; with the
// argument `ready`, while it is ready. Docker keeps what it prints.
// Reads the address from the environment, as the service does; flags of the command are not seen.
import { processSettings } from './libs/settings/process-settings.js'

const { healthPort, healthHost } = processSettings
const { FOLDSCAN_HEALTH_PORT: port = healthPort.row.default } = process.env
const { FOLDSCAN_HEALTH_HOST: host = healthHost.row.default } = process.env
const [, , question = 'live'] = process.argv
const everyAddress = ['0.0.0.0', '::']
const address = everyAddress.includes(host) ? '127.0.0.1' : host
const url = `http://${address}:${port}/health/${question}`

try {
  const response = await fetch(url)
  process.stdout.write(`${response.status} ${url} ${await response.text()}\n`)
  process.exitCode = response.status === 200 ? 0 : 1
} catch (error) {
  process.stdout.write(`no response from ${url}: ${error.cause?.message ?? error.message}\n`)
  process.exitCode = 1
}
