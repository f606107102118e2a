import type { GoldPath } from '../../../contract/control/cells.ts'
import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import type { TraceStep } from '../../../contract/evidence/trace.ts'
import { RERANK_MAX_BATCH } from '../../../contract/http/rerank.ts'
import type { GoldEvidence } from '../../../contract/manifests/queries.ts'
import { isRecord, jsonIn } from '../../../core/json.ts'
import { holdsFact } from '../../evaluation/retrieval-scores.ts'
import type { ArtifactPlace } from '../../evidence/files/artifact-files.ts'
import { storedTraceTexts } from '../../evidence/traces/stored-text.ts'

interface Hit {
  document: string
  chunk: number
}

/** Passages that a reranker read, best first. */
interface Ranking {
  query: string
  texts: string[]
  scores: number[]
}

/** Follows each gold fact that no context holds through the searches and rerankers of the trace; null where their texts are not stored. */
export async function goldPathsOf(
  place: ArtifactPlace,
  row: CanonicalRow,
  goldRanks: readonly (number | null)[] | null,
): Promise<(GoldPath | null)[] | null> {
  const { question, evidence, trace } = row
  if (goldRanks === null || evidence === null || trace === undefined) return null
  if (trace.left_out !== undefined || !goldRanks.includes(null)) return null
  const steps = trace.steps.filter(
    ({ kind, error }) => (kind === 'search' || kind === 'reranker') && error === undefined,
  )
  const digests = steps.flatMap(({ request, response }) => [request?.sha256 ?? [], response?.sha256 ?? []].flat())
  const texts = await storedTraceTexts(place, row, digests)
  const valueOf = (kept: TraceStep['request']): unknown => {
    const value = jsonIn(texts.get(kept?.sha256 ?? '') ?? '')
    return typeof value === 'string' ? jsonIn(value) : value
  }
  const searches: Hit[][] = []
  const rankings: Ranking[] = []
  for (const { kind, request, response } of steps)
    if (kind === 'search') {
      const hits = hitsIn(valueOf(response))
      if (hits === null) return null
      searches.push(hits)
    } else {
      const ranking = rankingIn(valueOf(request), valueOf(response))
      if (ranking === null) return null
      const before = rankings.at(-1)
      if (before?.query !== ranking.query || before.texts.length % RERANK_MAX_BATCH !== 0) rankings.push(ranking)
      else {
        before.texts.push(...ranking.texts)
        before.scores.push(...ranking.scores)
      }
    }
  if (searches.length === 0) return null
  const handed = new Set(evidence.sources.map((source) => keyOf(source.document, source.chunk_index)))
  return question.gold.map((gold, at) => (goldRanks[at] === null ? pathOf(gold, searches, rankings, handed) : null))
}

const keyOf = (document: string | undefined, chunk: number | undefined): string => JSON.stringify([document, chunk])

function pathOf(
  gold: GoldEvidence,
  searches: readonly Hit[][],
  rankings: readonly Ranking[],
  handed: ReadonlySet<string>,
): GoldPath {
  const own = searches.map((hits) =>
    hits.flatMap(({ document, chunk }, at) =>
      document === gold.document && !handed.has(keyOf(document, chunk)) ? [{ rank: at + 1, of: hits.length }] : [],
    ),
  )
  const best = own.flat().toSorted((a, b) => a.rank - b.rank)[0]
  const reranked = rankings.at(-1)?.texts.length ?? null
  const bare = { search: best ?? null, reranker: null, reranked }
  const { fact } = gold
  const places = fact === undefined ? [] : rankings.map((each) => placeIn(each, fact))
  const reranker = places.findLast((place) => place !== null)
  if (reranker !== undefined) {
    // Which of several passages of the document holds the fact is unknown.
    const search = own.every((hits) => hits.length <= 1) ? bare.search : null
    const stage = places.at(-1) === null ? 'not_reranked' : 'not_handed_over'
    return { ...bare, stage, is_seen: true, search, reranker }
  }
  if (best === undefined) return { ...bare, stage: 'not_retrieved', is_seen: false }
  if (fact === undefined || rankings.length === 0)
    return { ...bare, stage: 'not_handed_over', is_seen: fact === undefined }
  const isAllRead = own.every((hits, at) => hits.length === 0 || (rankings[at]?.texts.length ?? 0) >= hits[0]!.of)
  return isAllRead
    ? { ...bare, stage: 'not_retrieved', is_seen: false, search: null }
    : { ...bare, stage: 'not_reranked', is_seen: false }
}

/** The place of the best passage that holds a fact, equal scores in their former order. */
function placeIn({ texts, scores }: Ranking, fact: string): GoldPath['reranker'] {
  const order = scores.map((score, at) => ({ score, at })).toSorted((a, b) => b.score - a.score || a.at - b.at)
  const rank = order.findIndex(({ at }) => holdsFact(texts[at]!, fact)) + 1
  return rank === 0 ? null : { rank, of: texts.length }
}

function hitsIn(value: unknown): Hit[] | null {
  if (!Array.isArray(value)) return null
  const hits = value.flatMap((hit: unknown): Hit[] =>
    isRecord(hit) && typeof hit['document'] === 'string' && typeof hit['chunk'] === 'number'
      ? [{ document: hit['document'], chunk: hit['chunk'] }]
      : [],
  )
  return hits.length === value.length ? hits : null
}

/** Scores are a list in the order of the texts, or name their texts as a service for reranking does. */
function rankingIn(request: unknown, response: unknown): Ranking | null {
  if (!isRecord(request) || !Array.isArray(request['texts']) || !Array.isArray(response)) return null
  const texts = request['texts'].map(String)
  const scores = texts.map((_, at): unknown => {
    const named: unknown = response.find((each) => isRecord(each) && each['index'] === at) ?? response[at]
    return isRecord(named) ? named['score'] : named
  })
  if (!scores.every((score) => typeof score === 'number')) return null
  return { query: String(request['query']), texts, scores }
}
