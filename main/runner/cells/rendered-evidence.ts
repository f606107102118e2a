import type { RagSource, ServerMetrics } from '../../../contract/evidence/rag-extension.ts'

interface RenderedEvidence {
  found: boolean
  answer: string
  sources: RagSource[]
  metrics: ServerMetrics | null
}

const SUMMARY = '<summary>Sources'
const SOURCE = /^\d+\. \*\*(.+?)\*\*(?: \(score (-?[\d.]+)\))?\n\s*> (.*)$/gm
const FOOTER = /^_(\d+(?:\.\d+)?) s · (\d+) chunks? · (\d+) LLM calls? · (\d+) cloud calls?_$/
/** A longer last line is not a footer. */
const MAX_FOOTER = 200

const ENTITIES: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&amp;': '&' }
const unescape = (text: string): string => text.replace(/&(?:lt|gt|amp);/g, (entity) => ENTITIES[entity]!)

/**
 * Reads evidence back out of the text that a chat window shows, for gateways that drop unknown response fields. Snippets are all
 * there is then: the contexts are as short as they were rendered. Takes time in proportion to the text: a model can answer with
 * megabytes of line ends, and a regular expression that is tried at each of them would block the process for hours.
 */
export function parseRenderedEvidence(content: string): RenderedEvidence {
  const { body, metrics } = splitFooter(content)
  const block = sourceBlock(body)
  const answer = (block === null ? body : body.slice(0, block.start)).trim()
  const sources = [...(block?.text ?? '').matchAll(SOURCE)].map(([, title, score, snippet]): RagSource => ({
    title: unescape(title!),
    score: score === undefined ? null : Number(score),
    snippet: unescape(snippet!),
  }))
  return { found: block !== null, answer, sources, metrics }
}

/** The line of metrics at the very end, and the text before it. */
function splitFooter(content: string): { body: string; metrics: ServerMetrics | null } {
  const text = content.trimEnd()
  const start = text.lastIndexOf('_', text.length - 2)
  const footer = start === -1 || text.length - start > MAX_FOOTER ? null : FOOTER.exec(text.slice(start))
  if (footer === null) return { body: content, metrics: null }
  const [seconds, chunks, llmCalls, cloudCalls] = footer.slice(1).map(Number)
  return {
    body: text.slice(0, start),
    metrics: { seconds: seconds!, chunks: chunks!, llm_calls: llmCalls!, cloud_calls: cloudCalls! },
  }
}

/** The last folded block of sources: a block quoted by the answer is before the one that the plugin adds. */
function sourceBlock(body: string): { start: number; text: string } | null {
  const lastEnd = body.lastIndexOf('</details>')
  if (lastEnd === -1) return null
  for (let start = body.lastIndexOf('<details>', lastEnd); start !== -1;) {
    const from = summaryEnd(body, start + '<details>'.length)
    if (from !== null && from <= lastEnd) return { start, text: body.slice(from, body.indexOf('</details>', from)) }
    start = start === 0 ? -1 : body.lastIndexOf('<details>', start - 1)
  }
  return null
}

/** Returns where the summary of a block of sources ends; null when `at` does not begin one. */
function summaryEnd(body: string, at: number): number | null {
  let start = at
  while (/\s/.test(body.charAt(start))) start += 1
  if (!body.startsWith(SUMMARY, start)) return null
  const end = body.indexOf('<', start + SUMMARY.length)
  return end !== -1 && body.startsWith('</summary>', end) ? end + '</summary>'.length : null
}
