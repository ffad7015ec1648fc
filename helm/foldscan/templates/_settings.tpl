{{/* Settings of all services: those of the values, and what the operators' objects decide. */}}
{{- define "foldscan.sharedSettings" -}}
{{- $settings := deepCopy .Values.settings -}}
{{- $name := include "foldscan.fullname" . -}}
{{- with .Values.strimzi -}}
{{- if .enabled -}}
{{- $replicas := min 3 (int .replicas) -}}
{{- $_ := set $settings "kafkaBrokers" (list (printf "%s-kafka-bootstrap:9093" $name)) -}}
{{- $_ := set $settings "kafkaTls" true -}}
{{- $_ := set $settings "kafkaSaslMechanism" "scram-sha-512" -}}
{{- $_ := set $settings "kafkaUser" $name -}}
{{- $_ := set $settings "kafkaReplicationFactor" $replicas -}}
{{- end -}}
{{- end -}}
{{- with .Values.altinity -}}
{{- if .enabled -}}
{{- $_ := set $settings "clickhouseUrl" (printf "http://clickhouse-%s:8123" $name) -}}
{{- if gt (int .replicas) 1 -}}
{{- $_ := set $settings "clickhouseCluster" "foldscan" -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toYaml $settings -}}
{{- end -}}

{{/*
By key, {existingSecret or existingConfigMap, key}: files that the pods of a command need. Arguments:
root, command, own.
*/}}
{{- define "foldscan.files" -}}
{{- $root := .root -}}
{{- $known := $root.Files.Get "files/settings.json" | fromJson -}}
{{- $secrets := deepCopy (omit $root.Values.secrets "existingSecret" "revision" "allowPasswordless") -}}
{{- $files := deepCopy $root.Values.certificates -}}
{{- $name := include "foldscan.fullname" $root -}}
{{- range list "source" "auditSource" -}}
{{- if or (get $root.Values.settings .) (get (default dict $.own) .) -}}
{{- $_ := unset $secrets . -}}
{{- end -}}
{{- end -}}
{{- if $root.Values.strimzi.enabled -}}
{{- $_ := set $secrets "kafkaPassword" (dict "existingSecret" $name "key" "password") -}}
{{- $_ := set $files "kafkaCaFile" (dict "existingSecret" (printf "%s-cluster-ca-cert" $name) "key" "ca.crt") -}}
{{- end -}}
{{- range $key, $secret := $secrets -}}
{{- if $secret -}}
{{- $from := default $root.Values.secrets.existingSecret $secret.existingSecret -}}
{{- $_ := set $files $key (dict "existingSecret" $from "key" $secret.key) -}}
{{- end -}}
{{- end -}}
{{- $taken := dict -}}
{{- range $key, $file := $files -}}
{{- if and $file (has $.command (get $known $key).takenBy) -}}
{{- $_ := set $taken $key $file -}}
{{- end -}}
{{- end -}}
{{- toYaml $taken -}}
{{- end -}}

{{/* A value as its variable has it. */}}
{{- define "foldscan.text" -}}
{{- if kindIs "slice" . -}}
{{- join "," . -}}
{{- else if kindIs "float64" . -}}
{{- int64 . -}}
{{- else -}}
{{- . -}}
{{- end -}}
{{- end -}}

{{/*
Variables of a command, without any secret: what it takes of the shared settings, its own settings,
and the files that hold the rest. Arguments: root, command, own.
*/}}
{{- define "foldscan.variables" -}}
{{- $known := .root.Files.Get "files/settings.json" | fromJson -}}
{{- $settings := include "foldscan.sharedSettings" .root | fromYaml -}}
{{- $settings = mergeOverwrite $settings (deepCopy (default dict .own)) -}}
{{- $variables := dict -}}
{{- range $key, $value := $settings -}}
{{- $row := get $known $key -}}
{{- if and (has $.command $row.takenBy) (not (kindIs "invalid" $value)) -}}
{{- $_ := set $variables $row.variable (include "foldscan.text" $value) -}}
{{- end -}}
{{- end -}}
{{- range $key, $file := include "foldscan.files" . | fromYaml -}}
{{- $row := get $known $key -}}
{{- $_ := set $variables $row.file (printf "/run/foldscan/%s" (kebabcase $key)) -}}
{{- end -}}
{{- toYaml $variables -}}
{{- end -}}
