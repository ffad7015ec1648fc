{{/* A list or map of the service, else of all pods. Arguments: root, service, key. */}}
{{- define "foldscan.own" -}}
{{- $own := get (default dict .service) .key -}}
{{- with (default (get .root.Values .key) $own) }}
{{ $.key }}:
{{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Volumes of a command: files, /tmp, and what the values add. Arguments: root, command, service. */}}
{{- define "foldscan.volumes" -}}
{{- $files := include "foldscan.files" . | fromYaml -}}
{{- if $files }}
- name: files
  projected:
    defaultMode: 0440
    sources:
      {{- range $key, $file := $files }}
      {{- if $file.existingConfigMap }}
      - configMap:
          name: {{ $file.existingConfigMap }}
      {{- else }}
      - secret:
          name: {{ $file.existingSecret }}
      {{- end }}
          items:
            - key: {{ $file.key }}
              path: {{ kebabcase $key }}
      {{- end }}
{{- end }}
- name: tmp
  emptyDir:
    sizeLimit: 64Mi
{{- with concat .root.Values.extraVolumes (default list (get .service "extraVolumes")) }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "foldscan.volumeMounts" -}}
{{- if include "foldscan.files" . | fromYaml }}
- name: files
  mountPath: /run/foldscan
  readOnly: true
{{- end }}
- name: tmp
  mountPath: /tmp
{{- with concat .root.Values.extraVolumeMounts (default list (get .service "extraVolumeMounts")) }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* What all pods have beside their containers and volumes. Arguments: root, service. */}}
{{- define "foldscan.podSpec" -}}
serviceAccountName: {{ .account | default (include "foldscan.serviceAccountName" .root) }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  {{- toYaml .root.Values.podSecurityContext | nindent 2 }}
{{- with (default .root.Values.priorityClassName (get .service "priorityClassName")) }}
priorityClassName: {{ . }}
{{- end }}
{{- range list "nodeSelector" "tolerations" "affinity" }}
{{- include "foldscan.own" (dict "root" $.root "service" $.service "key" .) }}
{{- end }}
{{- end -}}

{{- define "foldscan.podLabels" -}}
{{ include "foldscan.selectorLabels" . }}
{{- with merge (dict) (default dict (get .service "podLabels")) .root.Values.podLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Restarts the pods when their settings change. Arguments: root, service, command, own. */}}
{{- define "foldscan.podAnnotations" -}}
checksum/settings: {{ include "foldscan.variables" . | sha256sum }}
{{- with .root.Values.secrets.revision }}
foldscan/secrets-revision: {{ . | quote }}
{{- end }}
{{- with merge (dict) (default dict (get .service "podAnnotations")) .root.Values.podAnnotations }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "foldscan.extraEnv" -}}
{{- with concat .root.Values.extraEnv (default list (get .service "extraEnv")) }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Image and security of a container. Argument: the root. */}}
{{- define "foldscan.container" -}}
image: {{ include "foldscan.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  {{- toYaml .Values.containerSecurityContext | nindent 2 }}
{{- end -}}

{{/* The container of a service. Arguments: root, service, command, args, own, readiness, ports. */}}
{{- define "foldscan.service" -}}
{{ include "foldscan.container" .root }}
args: {{ toJson .args }}
envFrom:
  - configMapRef:
      name: {{ include "foldscan.fullname" .root }}-{{ .component }}
env:
  - name: FOLDSCAN_HEALTH_HOST
    value: {{ .root.Values.listenAddress | quote }}
  - name: FOLDSCAN_HEALTH_PORT
    value: "4100"
  {{- with .env }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
  {{- include "foldscan.extraEnv" . | nindent 2 }}
ports:
  {{- with .ports }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
  - name: health
    containerPort: 4100
startupProbe:
  httpGet: { path: /health/live, port: health }
  periodSeconds: 2
  failureThreshold: 60
livenessProbe:
  httpGet: { path: /health/live, port: health }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: { path: {{ printf "/health/%s" .readiness }}, port: health }
  periodSeconds: 5
  timeoutSeconds: 3
  failureThreshold: 2
resources:
  {{- toYaml .resources | nindent 2 }}
{{- end -}}
