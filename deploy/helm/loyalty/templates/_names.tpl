{{- define "loyalty.name" -}}
{{ contains "loyalty" .Release.Name | ternary .Release.Name (printf "%s-loyalty" .Release.Name) | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- /* Takes (dict "root" $ "serve" "pos"): pods of internal services have names and labels of their own. */ -}}
{{- define "loyalty.podsName" -}}
{{ include "loyalty.name" .root }}{{ eq .serve "internal" | ternary "-internal" "" }}
{{- end }}

{{- define "loyalty.selector" -}}
app.kubernetes.io/name: loyalty
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .serve }}
{{- end }}

{{- define "loyalty.labels" -}}
app.kubernetes.io/name: loyalty
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- /* How a kubelet asks: it has no certificate for listeners that demand one. */ -}}
{{- define "loyalty.probe" -}}
{{- if and (eq .serve "internal") .root.Values.clientCertificates -}}
tcpSocket: { port: internal }
{{- else -}}
httpGet: { path: {{ .path }}, port: {{ eq .serve "pos" | ternary "http" "internal" }}, scheme: {{ empty .root.Values.secrets.tls | ternary "HTTP" "HTTPS" }} }
{{- end }}
{{- end }}
