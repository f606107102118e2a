import {
  describeIssues,
  ReceivedCompletion,
  type CellErrorType,
  type ContextText,
  type EvidenceCapability,
  type RowEvidence,
  type TokenUsage,
} from '../../contract/index.ts'
import { serviceText } from '../lib/known-secrets.ts'
import { parseRenderedEvidence } from './rendered-evidence.ts'

type Normalized =
  | { ok: true; evidence: RowEvidence; contextText: ContextText | null }
  | { ok: false; type: CellErrorType; message: string }

const refuse = (type: CellErrorType, message: string): Normalized => ({
  ok: false,
  type,
  message: serviceText(message),
})

/** What a row keeps elsewhere than in the approach's metadata. */
const EVIDENCE_KEYS = new Set([
  'schema_version',
  'answer',
  'sources',
  'used_passages',
  'metrics',
  'adaptive',
  'lazy_graph',
])

function metadataOf(extension: NonNullable<ReceivedCompletion['rag_extension']>): RowEvidence['approach_metadata'] {
  const { adaptive, lazy_graph: lazyGraph } = extension
  const rest = Object.entries(extension).filter(([key]) => !EVIDENCE_KEYS.has(key))
  const metadata = { ...lazyGraph, ...(adaptive === undefined ? {} : { adaptive }), ...Object.fromEntries(rest) }
  return Object.keys(metadata).length === 0 ? undefined : (metadata as RowEvidence['approach_metadata'])
}

/** The counts of the row's form; what a service adds to them is left out. */
function usageOf(usage: TokenUsage | null): TokenUsage | null {
  if (usage === null) return null
  const { prompt_tokens, completion_tokens, total_tokens } = usage
  return { prompt_tokens, completion_tokens, total_tokens }
}

const contextText = (sources: readonly { text?: string | null | undefined }[]): ContextText => {
  const full = sources.filter((source) => typeof source.text === 'string').length
  return full === sources.length ? 'full' : full === 0 ? 'snippet' : 'mixed'
}

/**
 * A gateway's response body → evidence. Structured evidence wins over the rendered block. An answer-only approach gets no contexts,
 * whatever its marker is, and no source without text becomes one. Passages that its engine reports as used are kept apart from the contexts.
 */
export function normalizeEvidence(body: unknown, capability: EvidenceCapability): Normalized {
  const version = (body as { rag_extension?: { schema_version?: unknown } } | null)?.rag_extension?.schema_version
  if (version !== undefined && version !== null && version !== 1)
    return refuse('schema_mismatch', `rag_extension.schema_version is ${JSON.stringify(version)}, this runner reads 1`)
  const parsed = ReceivedCompletion.safeParse(body)
  if (!parsed.success) {
    const problems = describeIssues(parsed.error)
    const type = problems.every((problem) => problem.startsWith('rag_extension'))
      ? 'schema_mismatch'
      : 'invalid_response'
    return refuse(type, `not a chat completion: ${problems.slice(0, 3).join('; ')}`)
  }
  const completion = parsed.data
  const raw = completion.choices[0]!.message.content ?? ''
  const extension = completion.rag_extension ?? null
  const rendered = extension === null ? parseRenderedEvidence(raw) : null
  const answer = extension?.answer ?? rendered?.answer ?? ''
  if (answer.trim() === '') return refuse('invalid_response', 'the answer is empty')
  const sources = extension?.sources ?? rendered?.sources ?? []
  const usedPassages = extension?.used_passages ?? null
  const metadata = extension === null ? undefined : metadataOf(extension)
  const texts = sources.map((source) => source.text ?? source.snippet)
  // A source without any text only names where an answer comes from, also when another approach was delegated to.
  const hasContexts = capability !== 'answer_only' && texts.some((text) => text.trim() !== '')
  return {
    ok: true,
    contextText: hasContexts ? contextText(sources) : null,
    evidence: {
      answer,
      contexts: hasContexts ? texts : [],
      // The text is in `contexts` at the same index: kept once.
      sources: sources.map(({ text: _text, ...source }) => source),
      ...(usedPassages === null ? {} : { used_passages: usedPassages }),
      token_usage: usageOf(completion.usage),
      server_metrics: extension?.metrics ?? rendered?.metrics ?? null,
      response_id: completion.id,
      response_model: completion.model,
      raw_content: raw,
      transport: extension !== null ? 'structured' : rendered?.found === true ? 'rendered' : null,
      ...(metadata === undefined ? {} : { approach_metadata: metadata }),
    },
  }
}
