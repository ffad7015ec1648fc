import { top } from '../up/running.ts'
import { docker, dockerLong } from './docker.ts'

/** Made by deploy/image/bases.sh, where no registry of images can be reached. */
const localBases = ['foldscan-base/node:local', 'foldscan-base/runtime:local'] as const
const built = 'foldscan:test-kubernetes'

/** Tags of the image in a release, and in its next version. */
export const tags = { repository: 'foldscan-of-test', first: 'first', next: 'next' } as const

/**
 * Tags the image to test, and the one from which it is an upgrade. They are the same by default;
 * FOLDSCAN_FIRST_IMAGE names an earlier one.
 */
export async function tagImages(): Promise<void> {
  const image = await imageToTest()
  const first = process.env.FOLDSCAN_FIRST_IMAGE ?? image
  await docker('tag', first, `${tags.repository}:${tags.first}`)
  await docker('tag', image, `${tags.repository}:${tags.next}`)
}

/** FOLDSCAN_IMAGE, else one that is built from this tree. */
async function imageToTest(): Promise<string> {
  const named = process.env.FOLDSCAN_IMAGE ?? ''
  if (named !== '') {
    await docker('image', 'inspect', named)
    return named
  }
  process.stdout.write('Building the image: some minutes. FOLDSCAN_IMAGE names one that exists.\n')
  const isHere = (image: string) =>
    docker('image', 'inspect', image).then(
      () => true,
      () => false,
    )
  const areHere = (await Promise.all(localBases.map(isHere))).every((is) => is)
  const [node, runtime] = localBases
  const bases = areHere
    ? ['--build-arg', `NODE_IMAGE=${node}`, '--build-arg', `BASE_IMAGE=${runtime}`]
    : []
  const args = ['build', '--file', `${top}/deploy/Dockerfile`, '--network', 'host', '--tag', built]
  await dockerLong([...args, ...bases, top])
  return built
}
