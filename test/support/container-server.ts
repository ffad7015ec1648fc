import { randomUUID } from 'node:crypto'
import { type GenericContainer, getContainerRuntimeClient, type WaitStrategy } from 'testcontainers'
import type { Server } from '../../deploy/stack/server.ts'
import { untilAnswers } from '../../deploy/stack/until-answers.ts'

export interface ContainerServer<Address> extends Server<Address> {
  /** Ends it and takes away the container with its volumes. */
  remove(): Promise<void>
}

export interface ContainerOptions<Address> {
  /** For people: 'Kafka'. */
  readonly name: string
  readonly container: GenericContainer
  readonly address: Address
  /** Throws as long as it does not answer. */
  readonly ask: () => Promise<unknown>
}

const startTimeoutMs = 120_000
const stopTimeoutSeconds = 10
const never = new Promise<string>(() => {})

/** @throws if the image cannot be had or the server does not answer in time */
export async function startContainerServer<Address>(
  options: ContainerOptions<Address>,
): Promise<ContainerServer<Address>> {
  const { address } = options
  const answering = () => untilAnswers({ ...options, startTimeoutMs, gone: never })
  const { container: client } = await getContainerRuntimeClient()
  const label = `foldscan-test=${randomUUID()}`
  const started = await options.container
    .withLabels(Object.fromEntries([label.split('=')]))
    .withWaitStrategy(waitFor(answering))
    .start()
    .catch(async (error: unknown) => {
      const left = await client.dockerode.listContainers({ all: true, filters: { label: [label] } })
      for (const { Id } of left) await client.getById(Id).remove({ force: true, v: true })
      throw error
    })
  const container = client.getById(started.getId())
  const state = async () => (await container.inspect()).State
  const stop = async () => {
    if ((await state()).Paused) await container.unpause()
    if ((await state()).Running) await container.stop({ t: stopTimeoutSeconds })
  }
  return {
    address,
    pid: () => null,
    stop,
    async kill() {
      if (!(await state()).Running) return
      const gone = container.wait()
      await container.kill({ signal: 'SIGKILL' })
      await gone
    },
    async restart() {
      await stop()
      await container.start()
      await answering()
    },
    pause: () => container.pause(),
    resume: () => container.unpause(),
    exited: async () => `status ${(await container.wait()).StatusCode}`,
    remove: () => container.remove({ force: true, v: true }),
  }
}

/** Our own question is the only proof that a server answers. */
function waitFor(answering: () => Promise<void>): WaitStrategy {
  const strategy: WaitStrategy = {
    waitUntilReady: answering,
    withStartupTimeout: () => strategy,
    isStartupTimeoutSet: () => true,
    getStartupTimeout: () => startTimeoutMs,
  }
  return strategy
}
