import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { z } from 'zod'
import { type AcceptedFinding, acceptedFindings } from './accepted-findings.ts'
import { findingTools } from './finding-tools.ts'
import { describeWithHelmAnd, type KubernetesObject, rendered, valueFiles } from './rendered.ts'

/** A check that an object fails. */
type Finding = Pick<AcceptedFinding, 'tool' | 'check'> & { readonly object: string }

const scoreForm = z.array(
  z.object({
    type_meta: z.object({ kind: z.string() }),
    object_meta: z.object({ name: z.string() }),
    checks: z.array(
      z.object({ check: z.object({ id: z.string() }), grade: z.number(), skipped: z.boolean() }),
    ),
  }),
)
/** Grades are 10 (all right), 7 (almost), 5 (warning) and 1 (critical). */
const gradeMin = 7

const failed = z.object({ check_id: z.string(), resource: z.string() })
const checkovForm = z.object({
  results: z.object({ failed_checks: z.array(failed) }),
  summary: z.object({ passed: z.number(), parsing_errors: z.number() }),
})

/** As Kubernetes reads it: `on` without quotes is a boolean. */
const yaml = { version: '1.1' } as const

const judges = await findingTools()
const title = 'what kube-score and checkov find in the chart'

describeWithHelmAnd(judges, title, (tools, { kubeScore, checkovPath }) => {
  const folder = mkdtempSync(join(tmpdir(), 'foldscan-findings-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  function outputOf(
    command: string,
    args: readonly string[],
    env: NodeJS.ProcessEnv = {},
  ): unknown {
    const options = { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 } as const
    const { stdout, stderr, error } = spawnSync(command, args, {
      ...options,
      env: { ...process.env, ...env },
    })
    if (error !== undefined) throw error
    if (stdout === '') throw new Error(`${command} reported nothing: ${stderr.slice(-400)}`)
    return JSON.parse(stdout)
  }

  function scored(file: string): Finding[] {
    const flags = ['--kubernetes-version', 'v1.31', '--ignore-container-cpu-limit', '-o', 'json']
    const args = ['score', ...flags, file]
    return scoreForm.parse(outputOf(kubeScore, args)).flatMap((one) =>
      one.checks
        .filter(({ grade, skipped }) => !skipped && grade < gradeMin)
        .map(({ check }) => ({
          tool: 'kube-score' as const,
          check: check.id,
          object: `${one.type_meta.kind} ${one.object_meta.name}`,
        })),
    )
  }

  function checked(file: string): Finding[] {
    const quiet = ['--quiet', '--compact', '--skip-download', '-o', 'json']
    const args = ['-m', 'checkov.main', '-f', file, '--framework', 'kubernetes', ...quiet]
    const said = outputOf('python3', args, { PYTHONPATH: checkovPath })
    const { results, summary } = checkovForm.parse(said)
    expect(summary.parsing_errors).toBe(0)
    expect(summary.passed).toBeGreaterThan(500)
    return results.failed_checks.map(({ check_id: check, resource }) => {
      const [kind = '', , name = ''] = resource.split('.')
      return { tool: 'checkov', check, object: `${kind} ${name}` }
    })
  }

  function findingsIn(name: string, objects: readonly KubernetesObject[]): Finding[] {
    const file = join(folder, `${name || 'defaults'}.yaml`)
    writeFileSync(file, objects.map((one) => stringify(one, yaml)).join('---\n'))
    return [...scored(file), ...checked(file)]
  }

  const accepts = ({ tool, check, object }: Finding) =>
    acceptedFindings.some(
      (one) => one.tool === tool && one.check === check && one.objects.test(object),
    )

  const looked = ['defaults', 'values-production.yaml', 'autoscaling.yaml'].map((name) => {
    const files = valueFiles.get(name) ?? []
    return { name, findings: findingsIn(name, rendered(tools, { files }).objects) }
  })

  it.each(looked)('is accepted with a reason, each of them: $name', ({ findings }) => {
    expect(findings.filter((one) => !accepts(one))).toEqual([])
  })

  it('is all that is accepted', () => {
    const found = looked.flatMap(({ findings }) => findings)
    const unused = acceptedFindings.filter(
      ({ tool, check }) => !found.some((one) => one.tool === tool && one.check === check),
    )
    expect(unused).toEqual([])
    for (const { reason } of acceptedFindings) expect(reason).toMatch(/^[A-Z][^\n]{20,160}\.$/)
  })

  it('would be seen if it were new', () => {
    const values = { containerSecurityContext: { readOnlyRootFilesystem: false } }
    const findings = findingsIn('lax', rendered(tools, { values }).objects)
    const tooLax = findings.filter((one) => !accepts(one))
    expect(new Set(tooLax.map(({ tool, check }) => `${tool} ${check}`))).toEqual(
      new Set([
        'kube-score container-security-context-readonlyrootfilesystem',
        'checkov CKV_K8S_22',
      ]),
    )
  })
})
