import { APPROACHES, NO_MODEL } from '../../../contract/approaches.ts'
import type { ApproachSummary } from '../../../contract/evidence/aggregate.ts'
import type { RowApproach } from '../../../contract/evidence/canonical-row.ts'
import { PROTOCOL_PARTS, type ProtocolCard, type ProtocolPart } from '../../../contract/evidence/protocol.ts'
import type { Derivation } from '../../../contract/evidence/derivation.ts'
import type { Reproducibility } from '../../../contract/evidence/provenance.ts'
import { countWords, meanWords } from '../../../contract/words.ts'
import { areLikeAmounts } from './context-amounts.ts'

/** An approach with the parameters that its rows were called with. */
export interface CalledApproach {
  summary: ApproachSummary
  parameters: RowApproach['parameters'] | null
  /** Holds what made the artefacts that answered; empty where the rows do not record it. */
  derivations: readonly Derivation[]
}

/** Which parts of their set-up the approaches of a dataset run share: as the rows record it, and as configured where they do not; null without a row or with one approach. */
export function protocolCard(
  called: readonly CalledApproach[],
  reproducibility: Reproducibility | null,
): ProtocolCard | null {
  if (reproducibility === null || called.length < 2) return null
  const lines = called.map((each) => ({ ...each, words: wordsOf(each, reproducibility) }))
  return (Object.keys(PROTOCOL_PARTS) as ProtocolPart[]).map((part) => {
    const values = lines.map(({ summary: { model }, words }) => ({ model, ...words[part] }))
    const isEqual = allEqual(values)
    return { part, equal: amountsEqual(part, called) ?? isEqual, values }
  })
}

interface PartValue {
  value: string | null
  from: 'rows' | 'configuration'
}

/** Null where a value is missing, or the rows of some approaches name in their own words what is only configured for others. */
function allEqual(values: readonly PartValue[]): boolean | null {
  const [first] = values
  if (values.some(({ value }) => value === null)) return null
  if (values.every(({ value }) => value === first!.value)) return true
  return values.every(({ from }) => from === first!.from) ? false : null
}

/** Amounts are never the same to the last token. */
function amountsEqual(part: ProtocolPart, called: readonly CalledApproach[]): boolean | null {
  if (part === 'context') return areLikeAmounts(called.map(({ summary }) => summary.context_tokens?.median ?? null))
  if (part === 'model_calls') return areLikeAmounts(called.map(({ summary }) => summary.operational.llm_calls.mean))
  return null
}

function wordsOf(
  { summary, parameters, derivations }: CalledApproach,
  { ingestion, runtime }: Reproducibility,
): Record<ProtocolPart, PartValue> {
  const { base_model: base, context_tokens: tokens, operational } = summary
  const model = (used: { role: string } | string): string | null => {
    if (typeof used === 'string') return used
    const resolved = runtime.models?.roles[used.role]
    return resolved === undefined ? null : `${resolved.model} (${resolved.backend})`
  }
  const hasBudget = runtime.context_budget !== undefined
  const set = parameters === null ? null : APPROACHES[base].protocol(parameters, { hasBudget })
  const rows = (value: string | null): PartValue => ({ value, from: 'rows' })
  /** What answered counts; what was configured only where no row records it. */
  const recorded = (value: string | null, configured: string | null): PartValue =>
    value === null ? { value: configured, from: 'configuration' } : rows(value)
  const answers = derivations.filter(({ artefact }) => artefact === 'answer')
  const artefacts = artefactsOf(derivations)
  const ofProfile = (what: string): string | null => ingestion && `${what}, profile ${ingestion.profile}`
  return {
    // Only who embeds nothing has no encoder, whatever made the vectors.
    encoder: set?.encoder === NO_MODEL ? rows(NO_MODEL) : recorded(encodersOf(derivations), set && model(set.encoder)),
    chunks: recorded(artefacts && ofProfile(artefacts), set && ofProfile(set.chunks)),
    // The parameters that it depends on are those of the rows.
    candidates: rows(set?.candidates ?? null),
    reranker: recorded(rerankersOf(answers), set && model(set.reranker)),
    context: rows(tokens === null ? null : countWords(tokens.median)),
    answer_model: recorded(namesOf(answers.map((made) => made.model)), set && model(set.answers)),
    prompt: recorded(namesOf(answers.map((made) => made.prompt)), set?.prompt ?? null),
    model_calls: rows(operational.llm_calls.mean === null ? null : meanWords(operational.llm_calls.mean)),
  }
}

/** Different names, each once; null where there is none. */
function namesOf(names: readonly (string | undefined)[]): string | null {
  const different = [...new Set(names)].filter((name) => name !== undefined)
  return different.length === 0 ? null : different.sort().join(' and ')
}

/** An approach that searches only for some questions reranks only for those. */
function rerankersOf(answers: readonly Derivation[]): string | null {
  const names = answers.map(({ reranker }) => reranker)
  return namesOf(names.filter((name) => name !== NO_MODEL)) ?? namesOf(names)
}

/** Models that made the vectors of the artefacts that were read; null where no record names one. */
function encodersOf(made: readonly Derivation[]): string | null {
  return namesOf(made.map(({ embedding }) => embedding))
}

const ARTEFACTS = {
  chunks: 'chunks',
  contexts: 'chunks with contexts',
  graph: 'graph',
  concepts: 'concept index',
  tree: 'chunks and summaries of them',
} as const

/** The artefacts that were read with the models that wrote them, each once; null where the rows record none. */
function artefactsOf(made: readonly Derivation[]): string | null {
  const words = (Object.keys(ARTEFACTS) as (keyof typeof ARTEFACTS)[]).flatMap((artefact) => {
    const own = made.filter((each) => each.artefact === artefact)
    const models = [...new Set(own.flatMap(({ model }) => model ?? []))].sort()
    return own.length === 0 ? [] : [`${ARTEFACTS[artefact]}${models.length === 0 ? '' : ` by ${models.join(' and ')}`}`]
  })
  return words.length === 0 ? null : words.join(', ')
}
