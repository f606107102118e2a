import type { EvidenceCapability } from '../../contract/common.ts'
import type { CanonicalRow, ContextText, RowEvidence } from '../../contract/evidence/canonical-row.ts'
import type { Derivation } from '../../contract/evidence/derivation.ts'
import { TOKEN_ESTIMATE, tokensOfTexts } from '../../contract/evidence/context-budget.ts'
import { holdsWholeTexts, type FigureRow, type HandedOver } from '../evidence/rows/interned-rows.ts'
import { budgetCurve, rankedTexts } from './retrieval-scores.ts'

/** Rows of earlier versions do not record their tokens: they are counted from the texts that the row stores. */
const FROM_STORED_TEXTS = `${TOKEN_ESTIMATE}, of the stored texts`

/** Tokens of the texts that a row holds; null where an engine answered from texts that it does not report, or reports the start of only. */
function storedTokens(
  { contexts, sources, used_passages: used }: RowEvidence,
  capability: EvidenceCapability,
  contextText: ContextText | undefined,
): number | null {
  if (!holdsWholeTexts({ context_text: contextText })) return null
  if (contexts.length === 0 && used?.some(({ text }) => text === undefined) === true) return null
  const texts = rankedTexts({ contexts, sources, usedPassages: used ?? null }).map(({ text }) => text)
  const isUnknown = texts.length === 0 && used === undefined && (capability === 'answer_only' || sources.length > 0)
  return isUnknown ? null : tokensOfTexts(texts)
}

/** Returns how much text an answer was written from: as its platform reports it, else estimated from the texts that it sent. */
export function contextTokens(
  evidence: RowEvidence,
  capability: EvidenceCapability,
  contextText: ContextText | undefined,
): Required<Pick<RowEvidence, 'context_tokens' | 'context_tokens_by'>> {
  const { context_tokens: reported, context_tokens_by: by } = evidence.server_metrics ?? {}
  if (reported !== undefined) return { context_tokens: reported, context_tokens_by: by ?? 'the platform' }
  const context_tokens = storedTokens(evidence, capability, contextText)
  return { context_tokens, context_tokens_by: context_tokens === null ? null : TOKEN_ESTIMATE }
}

const NONE: readonly Derivation[] = []

/** The records of what answered a row; empty where it has none. */
export const derivationsIn = (row: FigureRow & Partial<Pick<CanonicalRow, 'evidence'>>): readonly Derivation[] =>
  row.derivations ?? row.evidence?.derivations ?? NONE

/** Returns what a row records of the text handed over, or what its stored texts give; null for a cell without an answer. */
export function handedOver(row: FigureRow & Partial<Pick<CanonicalRow, 'evidence'>>): HandedOver | null {
  if (row.handed !== undefined) return row.handed
  const { evidence, approach, metrics } = row
  if (evidence === undefined || evidence === null) return null
  const isRecorded = evidence.context_tokens !== undefined
  const tokens = isRecorded
    ? evidence.context_tokens!
    : storedTokens(evidence, approach.evidence_capability, metrics.context_text)
  const { contexts, sources, used_passages } = evidence
  const ranked = { contexts, sources, usedPassages: used_passages ?? null }
  return {
    tokens,
    by: isRecorded ? (evidence.context_tokens_by ?? null) : tokens === null ? null : FROM_STORED_TEXTS,
    curve:
      tokens === null || !holdsWholeTexts(metrics)
        ? null
        : (metrics.retrieval.budget_curve ?? curveOfTexts(row, ranked)),
  }
}

/** Of a row of earlier versions; null where nothing of its contexts was scored. */
function curveOfTexts(
  { metrics: { retrieval }, question }: Pick<FigureRow, 'metrics' | 'question'>,
  ranked: Parameters<typeof budgetCurve>[0],
): number[] | null {
  if (retrieval.all_contexts === undefined && retrieval.status !== 'ok') return null
  return budgetCurve(ranked, question.gold)
}
