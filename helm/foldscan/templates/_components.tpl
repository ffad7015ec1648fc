{{/* Components that run, with the command of each; as YAML. */}}
{{- define "foldscan.components" -}}
api: api
{{- if .Values.ingestor.enabled }}
ingestor: ingestor
{{- end }}
{{- if .Values.enricher.enabled }}
enricher: enricher
{{- end }}
{{- if .Values.projector.enabled }}
{{- range $group, $values := .Values.projector.groups }}
{{- if $values.enabled }}
projector-{{ $group }}: projector
{{- end }}
{{- end }}
{{- end }}
{{- end -}}
