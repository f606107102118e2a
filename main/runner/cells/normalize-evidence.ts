import { TRACE_FIELD } from '../../../contract/evidence/trace.ts'
import type { EvidenceCapability } from '../../../contract/common.ts'
import type { CellErrorType, ContextText, RowEvidence, TokenUsage } from '../../../contract/evidence/canonical-row.ts'
import { ReceivedCompletion } from '../../../core/received-completion.ts'
import { describeIssues } from '../../../core/issues.ts'
import { unwritable } from '../../evidence/rows/row-line.ts'
import { contextTokens } from '../../evaluation/handed-over.ts'
import { serviceText } from '../../../core/known-secrets.ts'
import { noAnswerText } from '../../../core/model-remedies.ts'
import { splitThinking } from '../../../core/thinking.ts'
import { parseRenderedEvidence } from './rendered-evidence.ts'

type Normalized =
  | { ok: true; evidence: RowEvidence; contextText: ContextText | null; isCut: boolean; isUnsearched: boolean }
  | { ok: false; type: CellErrorType; message: string }

const refuse = (type: CellErrorType, message: string): Normalized => ({
  ok: false,
  type,
  message: serviceText(message),
})

/** Lists what a row keeps elsewhere than in the approach's metadata. */
const EVIDENCE_KEYS: ReadonlySet<string> = new Set([
  'schema_version',
  'answer',
  'sources',
  'used_passages',
  'derivations',
  'metrics',
  'adaptive',
  'lazy_graph',
  TRACE_FIELD,
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
 * A gateway's response body → evidence. Structured evidence wins over the rendered block. Reasoning stays in the raw content and is no answer. An answer-only approach gets no contexts,
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
  const { finish_reason: ending, message } = completion.choices[0]!
  const raw = message.content ?? ''
  const extension = completion.rag_extension ?? null
  const rendered = extension === null ? parseRenderedEvidence(raw) : null
  const { answer, thinking } = splitThinking(extension?.answer ?? rendered?.answer ?? '')
  if (ending === 'content_filter')
    return refuse('content_filtered', 'the content filter of the service withheld the answer')
  if (answer.trim() === '' && typeof message['refusal'] === 'string')
    return refuse('refused', `the model refused to answer: ${message['refusal']}`)
  if (answer.trim() === '')
    return refuse(
      'invalid_response',
      thinking === '' && ending !== 'length' ? 'the answer is empty' : noAnswerText(ending),
    )
  const sources = extension?.sources ?? rendered?.sources ?? []
  const usedPassages = extension?.used_passages ?? null
  const derivations = extension?.derivations ?? null
  const metadata = extension === null ? undefined : metadataOf(extension)
  const texts = sources.map((source) => source.text ?? source.snippet)
  // A source without any text only names where an answer comes from, also when another approach was delegated to.
  const hasContexts = capability !== 'answer_only' && texts.some((text) => text.trim() !== '')
  const text = hasContexts ? contextText(sources) : null
  const unreadable = answer.split('\uFFFD').length - 1
  const evidence: RowEvidence = {
    answer,
    ...(unreadable === 0 ? {} : { unreadable_characters: unreadable }),
    contexts: hasContexts ? texts : [],
    // The text is in `contexts` at the same index: kept once.
    sources: sources.map(({ text: _text, ...source }) => source),
    ...(usedPassages === null ? {} : { used_passages: usedPassages }),
    ...(derivations === null ? {} : { derivations }),
    token_usage: usageOf(completion.usage),
    server_metrics: extension?.metrics ?? rendered?.metrics ?? null,
    response_id: completion.id,
    response_model: completion.model,
    raw_content: raw,
    transport: extension !== null ? 'structured' : rendered?.found === true ? 'rendered' : null,
    ...(metadata === undefined ? {} : { approach_metadata: metadata }),
  }
  const problem = unwritable(evidence)
  if (problem !== null) return refuse('invalid_response', `the answer cannot be stored: ${problem}`)
  return {
    ok: true,
    contextText: text,
    isCut: ending === 'length',
    // Only an agent has a trajectory.
    isUnsearched: extension?.trajectory?.every(({ error = null }) => error !== null) ?? false,
    // The tokens come first, so that figures are read without the texts.
    evidence: { ...contextTokens(evidence, capability, text ?? undefined), ...evidence },
  }
}
