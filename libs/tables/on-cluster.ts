/**
 * Turns a CREATE or ALTER statement into its cluster form: it runs on each server, and the rows are
 * replicated to all of them. The path of the replicas is the servers' own `default_replica_path`.
 */
export function onCluster(statement: string, cluster: string): string {
  if (cluster === '') return statement
  return statement
    .replace(/^(CREATE (?:TABLE|DATABASE) IF NOT EXISTS \S+)/m, `$1 ON CLUSTER \`${cluster}\``)
    .replace(/^(ALTER TABLE \S+)/m, `$1 ON CLUSTER \`${cluster}\``)
    .replace(/\bENGINE = (ReplacingMergeTree|MergeTree)\b/, 'ENGINE = Replicated$1')
}
