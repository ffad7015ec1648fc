import type { TestProject } from 'vitest/node'
import clusterSetup from '../cluster/global-setup.ts'
import { helmTools } from '../helm/helm-tools.ts'
import { noDocker } from './docker.ts'
import { tagImages } from './image.ts'

/** Image, Helm and servers, once for all specs. @throws in one sentence where one is missing */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const reason = await noDocker()
  if (reason !== null) {
    throw sentence(
      `The pods of the chart are started as containers, and there is no Docker daemon: ${reason}. ` +
        'Start one, or let DOCKER_HOST name it; test/kubernetes/README.md says what is needed.',
    )
  }
  // Tests that somebody asks for by name are not skipped.
  process.env.CI = 'true'
  process.env.STACK_FORM ??= 'local'
  await helmTools()
  await tagImages()
  return await clusterSetup(project)
}

/** Without a stack: it prints nothing on machines without Docker. */
function sentence(text: string): Error {
  const error = new Error(text)
  error.stack = text
  return error
}
