/** A check that objects of the chart fail on purpose. */
export interface AcceptedFinding {
  readonly tool: 'kube-score' | 'checkov'
  readonly check: string
  /** Kind and name of the objects. */
  readonly objects: RegExp
  readonly reason: string
}

/** Also why kube-score, whose check is of all resources, is told to ignore such limits. */
const cpu =
  'One thread does the work of a process: a limit throttles it in the middle of a request, and protects nobody.'
const pull =
  'Tags of releases never move, and image.digest pins one; a node that has the image needs no registry.'

/** Everything that kube-score and checkov may find. */
export const acceptedFindings: readonly AcceptedFinding[] = [
  { tool: 'checkov', check: 'CKV_K8S_11', objects: /./, reason: cpu },
  { tool: 'kube-score', check: 'container-image-pull-policy', objects: /./, reason: pull },
  { tool: 'checkov', check: 'CKV_K8S_15', objects: /./, reason: pull },
  {
    tool: 'checkov',
    check: 'CKV_K8S_43',
    objects: /./,
    reason:
      'The value image.digest sets it; a chart cannot know the digest in the registry of its user.',
  },
  {
    tool: 'kube-score',
    check: 'pod-probes-identical',
    objects: /^StatefulSet /,
    reason:
      'No Service sends requests to workers; workerReadiness: ready makes them wait for the first fold.',
  },
  {
    tool: 'kube-score',
    check: 'deployment-has-host-podantiaffinity',
    objects: /^Deployment /,
    reason:
      'The topologySpreadConstraints spread pods over zones and nodes, which anti-affinity does worse.',
  },
  {
    tool: 'checkov',
    check: 'CKV_K8S_8',
    objects: /^Pod .*-test-/,
    reason: 'Pods of `helm test` end by themselves within seconds: there is nothing to probe.',
  },
  {
    tool: 'checkov',
    check: 'CKV_K8S_9',
    objects: /^Pod .*-test-/,
    reason: 'Pods of `helm test` end by themselves within seconds: no Service sends them requests.',
  },
]
