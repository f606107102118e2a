import type { RagSource, ServerMetrics } from '../../../../contract/index.ts'

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** One line of text that cannot end the block it stands in, whatever a document says. */
function inert(text: string): string {
  return text
    .replace(/[&<>]/g, (character) => ENTITIES[character]!)
    .replace(/\s+/g, ' ')
    .trim()
}

const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`

function sourceBlock(sources: readonly RagSource[]): string[] {
  if (sources.length === 0) return []
  const entries = sources.map(({ title, snippet, score }, index) => {
    const shown = score === null ? '' : ` (score ${score.toFixed(4)})`
    return `${index + 1}. **${inert(title)}**${shown}\n   > ${inert(snippet)}`
  })
  return [`<details>\n<summary>Sources (${sources.length})</summary>\n\n${entries.join('\n\n')}\n\n</details>`]
}

function metricsFooter(metrics: ServerMetrics): string {
  const parts = [
    `${metrics.seconds.toFixed(2)} s`,
    counted(metrics.chunks, 'chunk', 'chunks'),
    counted(metrics.llm_calls, 'LLM call', 'LLM calls'),
    counted(metrics.cloud_calls, 'cloud call', 'cloud calls'),
  ]
  return `_${parts.join(' · ')}_`
}

/** What a chat window shows: answer, folded sources, one line of cost. The structured evidence beside it is the truth. */
export function renderContent(answer: string, sources: readonly RagSource[], metrics: ServerMetrics): string {
  return [answer, ...sourceBlock(sources), metricsFooter(metrics)].join('\n\n')
}
