import { spawnSync } from 'node:child_process'

const forms = [
  ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'],
  ['unshare', '--map-root-user', '--pid', '--fork', '--kill-child', '--mount-proc'],
]

/**
 * Command line before a program that lets it live among processes of its own, as in a container:
 * it is number 1, and sees nobody else. Null where this system does not allow it.
 *
 * @throws under CI=true instead: a check that is left out there is left out for good
 */
export function ownNamespace(): readonly string[] | null {
  const form = forms.find(([command = '', ...flags]) => {
    return spawnSync(command, [...flags, 'true'], { stdio: 'ignore' }).status === 0
  })
  if (form === undefined && process.env.CI === 'true') {
    throw new Error('this system lets no process have a pid namespace of its own (unshare)')
  }
  return form ?? null
}
