import { packed, tokensOfTexts } from '../../../../contract/evidence/context-budget.ts'
import type { RagSource } from '../../../../contract/evidence/rag-extension.ts'
import type { NumberedPassage } from '../../models/prompts/agent-task.ts'
import { rerankPool } from '../../models/tei/reranker.ts'
import type { ApproachServices } from '../approach.ts'
import { snippetOf } from '../response/sources.ts'
import { termStatistics } from '../steps/collection.ts'
import { depthFor } from '../steps/fill-budget.ts'
import { underTitle } from '../steps/hybrid-search.ts'

// The notebook holds what the agent has read, and which part of it is evidence. Tools add passages, each kept once and numbered in the order in which it came.
// All of them are reranked together when the search ends, and the best ones, at most a declared number, become the contexts of the answer.
// The reranker reads the question with the first searches that followed it: a passage of the second hop shares no word with the question,
// but it holds the name that the agent looked for. Later searches are left out, because an agent that has not found its link guesses.

/** A text that a tool found, with its place in the document where the tool knows it. */
export interface FoundPassage {
  document: string
  title: string
  text: string
  place: Pick<RagSource, 'chunk_index' | 'start_char' | 'end_char'>
}

/** A passage chosen as context, with the reranker's score. */
export interface ChosenPassage extends FoundPassage {
  score: number
}

/** The texts that were given to the agent in this request. */
export interface Notebook {
  /** Adds what a tool found: what is new, and the numbers of what was there before. */
  add(found: readonly FoundPassage[]): { added: NumberedPassage[]; repeated: number[]; refused: number }
  passages(): readonly FoundPassage[]
}

/** An empty notebook for at most `limit` passages; a text inside one of the same document is that one. */
export function createNotebook(limit: number): Notebook {
  const kept: FoundPassage[] = []
  const numbered = ({ title, text }: FoundPassage, at: number): NumberedPassage => ({ number: at + 1, title, text })
  return {
    add(found) {
      const added: NumberedPassage[] = []
      const repeated = new Set<number>()
      let refused = 0
      for (const passage of found) {
        const known = kept.findIndex(
          ({ document, text }) => document === passage.document && text.includes(passage.text),
        )
        if (known !== -1) repeated.add(known + 1)
        else if (kept.length >= limit) refused += 1
        else added.push(numbered(passage, kept.push(passage) - 1))
      }
      const fresh = new Set(added.map(({ number }) => number))
      return { added, repeated: [...repeated].filter((number) => !fresh.has(number)), refused }
    },
    passages: () => kept,
  }
}

/** Searches after the question itself that show what a further hop is about. */
const SEARCHES_READ = 3
/** Shorter sentences occur in many passages. */
const QUOTED_CHARS = 30

export interface ContextChoice {
  question: string
  /** Holds what the agent searched for, in order. */
  searches: readonly string[]
  most: number
  /** Passages that it quotes are among the contexts; null before there is an answer. */
  answer: string | null
}

/** The contexts of an answer out of everything that was found, best first. Throws what the reranker throws. */
export async function chooseContexts(
  found: readonly FoundPassage[],
  { most, answer, ...task }: ContextChoice,
  services: RankingServices,
  signal?: AbortSignal,
): Promise<ChosenPassage[]> {
  const ordered = await rankPassages(found, task, services, signal)
  const quoted = answer === null ? [] : ordered.slice(most).filter(({ text }) => quotes(answer, text))
  const chosen = new Set([...ordered.slice(0, Math.max(0, most - quoted.length)), ...quoted.slice(0, most)])
  return ordered.filter((passage) => chosen.has(passage))
}

/**
 * The contexts that fill a budget: what the agent found, best first, and where that is less, what `more` finds after it. A text inside another of the
 * same document is left out.
 */
export async function fillFromFound(
  found: readonly FoundPassage[],
  budget: number,
  task: Pick<ContextChoice, 'question' | 'searches'>,
  more: (limit: number) => Promise<FoundPassage[]>,
  services: RankingServices,
  signal?: AbortSignal,
): Promise<ChosenPassage[]> {
  const tokens = (passages: readonly FoundPassage[]): number => tokensOfTexts(passages.map(({ text }) => text))
  let ordered = await rankPassages(found, task, services, signal)
  for (let limit = depthFor(budget, 1); tokens(ordered) < budget; limit *= 2) {
    const hits = await more(limit)
    const isKnown = (hit: FoundPassage): boolean =>
      found.some(({ document, text }) => document === hit.document && text.includes(hit.text))
    const fresh = hits.filter((hit) => !isKnown(hit))
    ordered = [...ordered.slice(0, found.length), ...(await rankPassages(fresh, task, services, signal))]
    if (hits.length < limit) break
  }
  return packed(
    ordered,
    budget,
    ({ text }) => text,
    (passage, text) => {
      const { start_char: start, end_char: end } = passage.place
      const isPlaced = start !== undefined && end !== undefined
      const place = isPlaced ? { ...passage.place, end_char: Math.min(end, start + text.length) } : passage.place
      return { ...passage, text, place }
    },
  )
}

type RankingServices = Pick<ApproachServices, 'reranker' | 'models' | 'store' | 'collections'>

/** Passages by the reranker, best first, equal scores in their former order. */
async function rankPassages(
  found: readonly FoundPassage[],
  { question, searches }: Pick<ContextChoice, 'question' | 'searches'>,
  services: RankingServices,
  signal?: AbortSignal,
): Promise<ChosenPassage[]> {
  if (found.length === 0) return []
  const query = [...new Set([question, ...searches])].slice(0, SEARCHES_READ + 1).join('\n')
  const statistics = await termStatistics(query, services.collections.plain, services)
  const candidates = found.map(({ document, place }) => ({
    document,
    chunkIndex: place.chunk_index,
    score: 1,
  }))
  const texts = found.map(underTitle)
  const scores = await rerankPool(services.reranker, query, texts, { candidates, statistics }, signal)
  return found
    .map((passage, at) => ({ ...passage, score: scores[at]!, at }))
    .sort((left, right) => right.score - left.score || left.at - right.at)
    .map(({ at: _at, ...passage }) => passage)
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ')

const quotes = (answer: string, text: string): boolean =>
  oneLine(answer)
    .split(/(?<=[.!?]) /)
    .some((sentence) => sentence.length >= QUOTED_CHARS && oneLine(text).includes(sentence))

/** Chosen passages as evidence. */
export const sourcesOfPassages = (chosen: readonly ChosenPassage[]): RagSource[] =>
  chosen.map(({ document, text, place, score }) => ({
    title: document,
    snippet: snippetOf(text),
    score,
    text,
    document,
    ...place,
  }))
