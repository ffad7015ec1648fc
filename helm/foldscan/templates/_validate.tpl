{{/* What a schema cannot say in a sentence. */}}
{{- define "foldscan.validate" -}}
{{- $s := .Values.settings -}}
{{- $secrets := .Values.secrets -}}
{{- range $service, $values := dict "ingestor" .Values.ingestor "enricher" .Values.enricher -}}
{{- if and $values.enabled (not $s.source) (not $secrets.source) (not (default dict $values.settings).source) -}}
{{- fail (printf "The %s has no node: set secrets.source (a URL with a key), settings.source or %s.settings.source." $service $service) -}}
{{- end -}}
{{- end -}}
{{- if not $secrets.allowPasswordless -}}
{{- range list "clickhousePassword" "clickhouseReadPassword" -}}
{{- if not (get $secrets .) -}}
{{- fail (printf "secrets.%s is missing: name the key of a Secret, or set secrets.allowPasswordless." .) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $mechanism := default "none" $s.kafkaSaslMechanism -}}
{{- if .Values.strimzi.enabled -}}
{{- if or $s.kafkaUser $secrets.kafkaPassword (ne $mechanism "none") -}}
{{- fail "strimzi.enabled makes a Kafka user of its own: leave out settings.kafkaUser, settings.kafkaSaslMechanism and secrets.kafkaPassword." -}}
{{- end -}}
{{- else if eq $mechanism "none" -}}
{{- if or $s.kafkaUser $secrets.kafkaPassword -}}
{{- fail "settings.kafkaUser and secrets.kafkaPassword have no effect without settings.kafkaSaslMechanism." -}}
{{- end -}}
{{- else if not (and $s.kafkaUser $secrets.kafkaPassword) -}}
{{- fail (printf "settings.kafkaSaslMechanism %s needs settings.kafkaUser and secrets.kafkaPassword." $mechanism) -}}
{{- end -}}
{{- if and .Values.certificates.kafkaCaFile (not $s.kafkaTls) -}}
{{- fail "certificates.kafkaCaFile has no effect without settings.kafkaTls." -}}
{{- end -}}
{{- if and $s.redisUrl $secrets.redisUrl -}}
{{- fail "settings.redisUrl and secrets.redisUrl are both set: keep one." -}}
{{- end -}}
{{- range $key, $file := .Values.certificates -}}
{{- if eq (not $file.existingSecret) (not $file.existingConfigMap) -}}
{{- fail (printf "certificates.%s needs either existingSecret or existingConfigMap." $key) -}}
{{- end -}}
{{- end -}}
{{- if .Values.api.autoscaling.enabled -}}
{{- with .Values.api.autoscaling -}}
{{- if gt (int .minReplicas) (int .maxReplicas) -}}
{{- fail (printf "api.autoscaling.minReplicas %d is above maxReplicas %d." (int .minReplicas) (int .maxReplicas)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- with .Values.api -}}
{{- $pods := ternary (int .autoscaling.maxReplicas) (int .replicas) .autoscaling.enabled -}}
{{- /* maxSurge of the Deployment; 16: `maxConnections` of a process. */ -}}
{{- $most := add $pods (div (add $pods 3) 4) -}}
{{- $queries := mul $most 16 -}}
{{- if gt (int $queries) (int .clickhouseQueriesMax) -}}
{{- fail (printf "%d pods of the api (%d during an upgrade) ask ClickHouse %d queries at once, above api.clickhouseQueriesMax %d: lower their number, or raise max_concurrent_queries of ClickHouse and this value." $pods (int $most) (int $queries) (int .clickhouseQueriesMax)) -}}
{{- end -}}
{{- end -}}
{{- $claims := dict -}}
{{- $services := dict "ingestor" .Values.ingestor "enricher" .Values.enricher -}}
{{- range $group, $values := .Values.projector.groups -}}
{{- $_ := set $services (printf "projector.groups.%s" $group) $values -}}
{{- end -}}
{{- $versions := .Files.Get "files/versions.json" | fromJson -}}
{{- range .Values.projector.previous -}}
{{- if eq (int .version) (int (get $versions .group)) -}}
{{- fail (printf "projector.previous has version %d of %s, which this release folds itself." (int .version) .group) -}}
{{- end -}}
{{- if (get $.Values.projector.groups .group).volume.existingClaim -}}
{{- fail (printf "projector.previous: two versions of %s cannot have the volume projector.groups.%s.volume.existingClaim." .group .group) -}}
{{- end -}}
{{- end -}}
{{- range $service, $values := $services -}}
{{- with $values.volume.existingClaim -}}
{{- if hasKey $claims . -}}
{{- fail (printf "%s and %s have the same volume %s: each needs one of its own." (get $claims .) $service .) -}}
{{- end -}}
{{- $_ := set $claims . $service -}}
{{- end -}}
{{- end -}}
{{- if and .Values.httpRoute.enabled (not .Values.httpRoute.parentRefs) -}}
{{- fail "httpRoute.parentRefs is empty: name the Gateway." -}}
{{- end -}}
{{- with .Values.altinity -}}
{{- if and .enabled (gt (int .replicas) 1) (not .keeperHosts) -}}
{{- fail (printf "altinity.replicas %d needs altinity.keeperHosts: replicated tables are kept in step there." (int .replicas)) -}}
{{- end -}}
{{- if and .enabled (eq (int .replicas) 2) -}}
{{- fail "altinity.replicas 2: inserts wait for a majority, which is both, so losing either stops indexing; use 3, or 1." -}}
{{- end -}}
{{- end -}}
{{- end -}}
