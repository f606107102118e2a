import type { RagSource, ServerMetrics } from '../../contract/index.ts'

export interface RenderedEvidence {
  found: boolean
  answer: string
  sources: RagSource[]
  metrics: ServerMetrics | null
}

const DETAILS = /\n*<details>\s*<summary>Sources[^<]*<\/summary>([\s\S]*?)<\/details>/
const SOURCE = /^\d+\. \*\*(.+?)\*\* \(score (-?[\d.]+)\)\n\s*> (.*)$/gm
const FOOTER = /\n*_([\d.]+) s · (\d+) chunks? · (\d+) LLM calls? · (\d+) cloud calls?_\s*$/

const ENTITIES: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&amp;': '&' }
const unescape = (text: string): string => text.replace(/&(?:lt|gt|amp);/g, (entity) => ENTITIES[entity]!)

/**
 * Reads evidence back out of the text that a chat window shows, for gateways that drop unknown response fields. Snippets are all
 * there is then: the contexts are as short as they were rendered.
 */
export function parseRenderedEvidence(content: string): RenderedEvidence {
  const footer = FOOTER.exec(content)
  const body = footer === null ? content : content.slice(0, footer.index)
  const details = DETAILS.exec(body)
  const answer = (details === null ? body : body.slice(0, details.index)).trim()
  const sources = [...(details?.[1] ?? '').matchAll(SOURCE)].map(([, title, score, snippet]): RagSource => ({
    title: unescape(title!),
    score: Number(score),
    snippet: unescape(snippet!),
  }))
  const metrics =
    footer === null
      ? null
      : {
          seconds: Number(footer[1]),
          chunks: Number(footer[2]),
          llm_calls: Number(footer[3]),
          cloud_calls: Number(footer[4]),
        }
  return { found: details !== null, answer, sources, metrics }
}
