import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { chartVariables } from '../../deploy/print/print-settings.ts'
import { settingName } from '../../libs/settings/read-settings.ts'
import { commandNames } from '../../libs/settings/setting.ts'
import { settingsTakenBy } from '../../libs/settings/settings.ts'
import { describeWithHelm, rendered } from './rendered.ts'

const page = readFileSync(new URL('../../deploy/OPERATE.md', import.meta.url), 'utf8')
const variables = z
  .record(z.string(), z.object({ takenBy: z.array(z.string()) }))
  .parse(chartVariables())
const rows = [...page.matchAll(/^\| (`[^|]+`) \| (api|ingestor) \| (.+) \|$/gm)].flatMap(
  ([, names = '', pod = '', lacking = '']) =>
    [...names.matchAll(/`([a-z-]+)`/g)].map(([, family = '']) => ({ family, pod, lacking })),
)

describe('a command that runs in a pod of the chart', () => {
  it.each(rows)('has the settings of $family, but those that the page names', (row) => {
    const commands = commandNames.filter((name) => name.split(' ')[0] === row.family)
    const lacking = commands
      .flatMap(settingsTakenBy)
      .filter(([key]) => variables[key] && !variables[key].takenBy.includes(row.pod))
      .map(([key]) => `\`--${settingName(key)}\``)
    expect(commands.length).toBeGreaterThan(0)
    expect([...new Set(lacking)].join(', ') || '-').toBe(row.lacking)
  })

  it('is one of several', () => expect(rows.length).toBeGreaterThan(5))
})

const podForm = z.looseObject({ containers: z.array(z.looseObject({ name: z.string() })) })
const workloadForm = z.looseObject({
  template: z.looseObject({
    metadata: z.looseObject({ labels: z.unknown() }).optional(),
    spec: podForm,
  }),
})

describeWithHelm('the lines for kubectl', (tools) => {
  const { objects } = rendered(tools)
  const named = (kind: string, name: string) =>
    objects.find((each) => each.kind === kind && each.metadata.name === name)

  it('select the pods of the api', () => {
    const [, labels = '', container = ''] =
      /-l (\S+) \|[\s\S]*? -c (\w+) -- \/usr\/local\/bin\/node/.exec(page) ?? []
    const api = workloadForm.parse(named('Deployment', 'mainnet-foldscan-api')?.spec)
    const wanted = Object.fromEntries(labels.split(',').map((each) => each.split('=')))
    expect(Object.keys(wanted)).toHaveLength(2)
    expect(api.template.metadata?.labels).toMatchObject(wanted)
    expect(containerOf('Deployment', 'mainnet-foldscan-api').name).toBe(container)
  })

  it('put repair in the place of the ingestor, and remove the probes that it has', () => {
    const [, name = '', patch = ''] =
      /patch statefulset (\S+) -p '(\{[\s\S]+?\})'\n/.exec(page) ?? []
    const [patched] = workloadForm.parse(JSON.parse(patch).spec).template.spec.containers
    const own = containerOf('StatefulSet', name)
    expect(patched).toEqual({
      name: own.name,
      args: ['repair', '--from', 'N'],
      ...Object.fromEntries(
        Object.keys(own)
          .filter((key) => key.endsWith('Probe'))
          .map((key) => [key, null]),
      ),
    })
    expect(page).toContain(`rollout undo statefulset ${name}\n`)
    expect(page).toContain(`delete pod ${name}-0 `)
  })

  it('start the program as the image does', () => {
    const dockerfile = readFileSync(new URL('../../deploy/Dockerfile', import.meta.url), 'utf8')
    expect(dockerfile).toContain('ENTRYPOINT ["/usr/local/bin/node", "/app/services/cli/main.js"]')
    expect(page).toContain('in_pod /app/services/cli/main.js "$@"')
  })

  function containerOf(kind: string, name: string) {
    const [container] = workloadForm.parse(named(kind, name)?.spec).template.spec.containers
    return z.looseObject({ name: z.string() }).parse(container)
  }
})
