{{/*
A service with a volume, one process. Arguments: root, component, command, args, own, service,
resources, wave, name of the ConfigMap's component as `configuration`.
*/}}
{{- define "foldscan.worker" -}}
{{- $name := printf "%s-%s" (include "foldscan.fullname" .root) .component }}
{{- $volume := .service.volume }}
{{- $copies := default dict (get .service "copies") }}
---
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: {{ $name }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "foldscan.labels" . | nindent 4 }}
  annotations:
    {{- include "foldscan.wave" .wave | nindent 4 }}
spec:
  replicas: {{ .service.replicas }}
  serviceName: {{ $name }}
  revisionHistoryLimit: 5
  persistentVolumeClaimRetentionPolicy:
    whenDeleted: Retain
    whenScaled: Retain
  selector:
    matchLabels:
      {{- include "foldscan.selectorLabels" . | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "foldscan.podLabels" . | nindent 8 }}
      annotations:
        {{- include "foldscan.podAnnotations" . | nindent 8 }}
    spec:
      {{- include "foldscan.podSpec" . | nindent 6 }}
      terminationGracePeriodSeconds: {{ .root.Values.terminationGracePeriodSeconds }}
      {{- include "foldscan.own" (dict "root" .root "service" .service "key" "topologySpreadConstraints") | nindent 6 }}
      containers:
        - name: {{ .command }}
          {{- $env := list (dict "name" "FOLDSCAN_DATA_DIR" "value" "/data") }}
          {{- if $copies.volume }}
          {{- $env = append $env (dict "name" "FOLDSCAN_COPIES" "value" "/copies") }}
          {{- $env = append $env (dict "name" "FOLDSCAN_COPY_EVERY_HOURS" "value" (toString $copies.everyHours)) }}
          {{- end }}
          {{- include "foldscan.service" (merge (dict "component" .configuration "env" $env "readiness" .root.Values.workerReadiness) .) | nindent 10 }}
          volumeMounts:
            - name: data
              mountPath: /data
            {{- if $copies.volume }}
            - name: copies
              mountPath: /copies
            {{- end }}
            {{- include "foldscan.volumeMounts" . | nindent 12 }}
      volumes:
        {{- with $volume.existingClaim }}
        - name: data
          persistentVolumeClaim:
            claimName: {{ . }}
        {{- end }}
        {{- with $copies.volume }}
        - name: copies
          {{- toYaml . | nindent 10 }}
        {{- end }}
        {{- include "foldscan.volumes" . | nindent 8 }}
  {{- if not $volume.existingClaim }}
  volumeClaimTemplates:
    - apiVersion: v1
      kind: PersistentVolumeClaim
      metadata:
        name: data
        labels:
          {{- include "foldscan.selectorLabels" . | nindent 10 }}
        {{- with $volume.annotations }}
        annotations:
          {{- toYaml . | nindent 10 }}
        {{- end }}
      spec:
        accessModes: [{{ $volume.accessMode }}]
        {{- with $volume.storageClassName }}
        storageClassName: {{ . }}
        {{- end }}
        resources:
          requests:
            storage: {{ $volume.size }}
  {{- end }}
{{- end -}}
