import type { GoldEvidence } from '../../../contract/manifests/queries.ts'
import { KeywordSearch, type IndexedChunk } from '../../evaluation/keyword-search.ts'
import { holdsFact } from '../../evaluation/retrieval-scores.ts'
import type { DraftPassage } from '../../../contract/http/draft.ts'

/** A gold passage that keyword search ranks lower is as hard as one that it does not find. */
const DEEPEST_RANK = 100

/** A passage as keyword search ranks it. */
export interface DraftDifficulty {
  /** Rank, from 1, by which BM25 has found all gold passages of a question among the paragraphs of the corpus; null where it is below 100. */
  rankOf: (question: string, gold: readonly GoldEvidence[]) => number | null
  /** The paragraph that keyword search ranks first, for a person who judges whether it answers the question. */
  nearest: (question: string) => IndexedChunk | null
  close: () => void
}

/** Ranks questions against the paragraphs of the passages that are drafted from. Close it. */
export function draftDifficulty(passages: readonly Pick<DraftPassage, 'document' | 'text'>[]): DraftDifficulty {
  const search = new KeywordSearch()
  search.add(
    passages.flatMap(({ document, text }) =>
      text
        .split(/\n\s*\n/)
        .filter((paragraph) => paragraph.trim() !== '')
        .map((paragraph) => ({ document, text: paragraph })),
    ),
  )
  return {
    rankOf(question, gold) {
      const found = search.best(question, DEEPEST_RANK)
      const ranks = gold.map(({ document, fact = '' }) =>
        found.findIndex((chunk) => chunk.document === document && holdsFact(chunk.text, fact)),
      )
      return gold.length === 0 || ranks.includes(-1) ? null : Math.max(...ranks) + 1
    },
    nearest: (question) => search.best(question, 1)[0] ?? null,
    close: () => search.close(),
  }
}
