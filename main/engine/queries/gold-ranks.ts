import type { CellOutcome } from '../../../contract/control/run-index/cell.ts'
import { goldRanks } from '../../evaluation/retrieval-scores.ts'

type CanonicalCell = Extract<CellOutcome, { kind: 'canonical' }>

/** Parts of a row that say where the gold facts are. */
const READ = new Set(['evidence.contexts', 'evidence.sources', 'evidence.used_passages', 'question.gold'])

/** Rank of the first context that holds each gold fact of a cell; null where the cell has no passages, or they are cut or without their sources. */
export function goldRanksOf({ row, cuts }: Pick<CanonicalCell, 'row' | 'cuts'>): (number | null)[] | null {
  const { evidence, question, approach } = row
  if (evidence === null || question.gold.length === 0) return null
  const { contexts, sources, used_passages: used } = evidence
  if (contexts.length === 0 && used === undefined && approach.evidence_capability === 'answer_only') return null
  if (cuts.some(({ path }) => READ.has(path.slice(0, 2).join('.')))) return null
  return goldRanks({ contexts, sources, usedPassages: used ?? null }, question.gold)
}
