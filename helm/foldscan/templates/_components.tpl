{{/* Components that run, with the command of each; as YAML. */}}
{{- define "foldscan.components" -}}
api: api
{{- if .Values.ingestor.enabled }}
ingestor: ingestor
{{- end }}
{{- if .Values.enricher.enabled }}
enricher: enricher
{{- end }}
{{- range (include "foldscan.projectors" . | fromYaml).projectors }}
{{ .component }}: projector
{{- end }}
{{- end -}}

{{/*
Projectors that run, as YAML: those of the versions that this release folds, and of versions that an
earlier one serves meanwhile, with its image.
*/}}
{{- define "foldscan.projectors" -}}
{{- $projectors := list -}}
{{- if .Values.projector.enabled -}}
{{- $versions := .Files.Get "files/versions.json" | fromJson -}}
{{- range $group, $values := .Values.projector.groups -}}
{{- if $values.enabled -}}
{{- $component := include "foldscan.projector" (dict "group" $group "version" (get $versions $group)) -}}
{{- $projectors = append $projectors (dict "component" $component "group" $group) -}}
{{- end -}}
{{- end -}}
{{- range .Values.projector.previous -}}
{{- $projectors = append $projectors (dict "component" (include "foldscan.projector" .) "group" .group "image" .image) -}}
{{- end -}}
{{- end -}}
{{- dict "projectors" $projectors | toYaml -}}
{{- end -}}

{{/* Name of the component of one version of a group; the first has no number. */}}
{{- define "foldscan.projector" -}}
projector-{{ .group }}{{ if gt (int .version) 1 }}-{{ .version }}{{ end }}
{{- end -}}
