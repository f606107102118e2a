export type MetricType = 'counter' | 'gauge' | 'histogram'

export interface Sample {
  /** After the family's name, such as `_bucket`. */
  suffix?: string
  labels: Readonly<Record<string, string>>
  value: number
}

/** A metric with all its samples. */
export interface MetricFamily {
  name: string
  help: string
  type: MetricType
  samples: readonly Sample[]
}

export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** Families in Prometheus' text format 0.0.4. */
export function metricsText(families: readonly MetricFamily[]): string {
  return families.map(familyText).join('')
}

function familyText({ name, help, type, samples }: MetricFamily): string {
  const lines = samples.map(
    ({ suffix = '', labels, value }) => `${name}${suffix}${labelText(labels)} ${valueText(value)}\n`,
  )
  return `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function escapeHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
}

function escapeLabel(text: string): string {
  return escapeHelp(text).replaceAll('"', '\\"')
}

function valueText(value: number): string {
  if (value === Infinity) return '+Inf'
  return value === -Infinity ? '-Inf' : String(value)
}
