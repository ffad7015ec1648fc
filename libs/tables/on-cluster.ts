/**
 * A CREATE or ALTER statement of ours as a cluster takes it: made on each of its servers, and the
 * rows on all of them. Where the replicas keep their place, the servers' own
 * `default_replica_path` says.
 */
export function onCluster(statement: string, cluster: string): string {
  if (cluster === '') return statement
  return statement
    .replace(/^(CREATE (?:TABLE|DATABASE) IF NOT EXISTS \S+)/m, `$1 ON CLUSTER \`${cluster}\``)
    .replace(/^(ALTER TABLE \S+)/m, `$1 ON CLUSTER \`${cluster}\``)
    .replace(/\bENGINE = (ReplacingMergeTree|MergeTree)\b/, 'ENGINE = Replicated$1')
}
