// The tree of raptor-rag. In: the plain chunks of a profile with their vectors. Out: a collection that holds them and, above them, summaries of clusters.
//   1. cluster-vectors.ts groups the nodes of a layer by their vectors; chunks are the lowest layer.
//   2. The model of `contextual_blurb` summarises each cluster of two or more. Summaries are kept as they come, so that a build that was stopped, or that follows a
//      change of some documents, pays only for those that are missing.
//   3. Summaries are embedded, and with the nodes that stayed alone they are the next layer, up to five layers or one node.
//   4. The collection is replaced at once, with the record of what made it; equal records mean that nothing is made again.
import { hash } from 'node:crypto'
import type { Derivation } from '../../../../contract/evidence/derivation.ts'
import { tokensOfTexts } from '../../../../contract/evidence/context-budget.ts'
import { canonicalJson } from '../../../../core/canonical-json.ts'
import { renderTreeTask, TREE_PROMPT } from '../../models/prompts/tree-task.ts'
import { withoutThinking } from '../../../../core/thinking.ts'
import { runInTurns } from '../../stores/graph-engine/sliced-work.ts'
import type { StoredChunk } from '../../stores/vector-store/vector-store.ts'
import { mapBounded } from '../bounded.ts'
import {
  embedAll,
  isOwnFault,
  mostFailedOf,
  plainChunks,
  removeDamaged,
  type DerivedBuildDeps,
} from '../derived-collection.ts'
import { RagError } from '../rag-error.ts'
import { recordedPrompt } from '../steps/write-for-search.ts'
import { clusterVectors } from './cluster-vectors.ts'

/** Version of the code that clusters chunks and puts summaries above them; raised when it gives something else for the same chunks. */
export const TREE_CODE = 'tree 1'

const LIMITS = { members: 10, tokens: 3000 }
const MOST_LAYERS = 5
/** Most summaries of a tree, and so most model calls of a build. */
const MOST_SUMMARIES = 2000
const SUMMARY_TOKENS = 200
const SUMMARY_CONCURRENCY = 4
const NAMED_TITLES = 3

interface TreeBuildDeps extends DerivedBuildDeps {
  /** `MOST_SUMMARIES` unless a test sets fewer. */
  mostSummaries?: number
}

/** Outcome of a build. `summaries` counts the model calls that it made; the others came from the cache. */
export interface TreeBuild {
  collection: string
  chunks: number
  layers: number
  summaries: number
  cached_summaries: number
  /** Clusters that have no summary because its call failed, and how the first of them failed. The next build asks again. */
  failed: number
  failure: string | null
  content_digest: string
  /** True when the tree was already built from the same chunks and models: nothing was called or written. */
  reused: boolean
  seconds: number
}

/** A node of the tree: a chunk of a document, or a summary that stands for several. */
interface TreeNode {
  chunk: StoredChunk
  vector: Float32Array
  tokens: number
  /** Titles of the documents below it. */
  titles: readonly string[]
}

/** The document that summaries are listed under begins so: no gold fact is in it. */
export const SUMMARIES = 'summaries of layer '

/**
 * Builds the tree of a profile from its plain chunks. Throws `RagError`: `collection_missing` without chunks, `approach_unavailable` where rules would write, or where
 * the corpus needs more summaries than a build may ask for. Nothing of an existing tree is touched before all summaries and vectors are there.
 */
export async function buildTree(deps: TreeBuildDeps): Promise<TreeBuild> {
  const started = performance.now()
  const { store, models, collections } = deps
  if (models.isBuiltin('contextual_blurb'))
    throw new RagError(
      'approach_unavailable',
      'the summaries of a tree need a language model for contextual_blurb, where rules are chosen',
    )
  const chunks = await plainChunks(deps)
  const derivation: Derivation = {
    artefact: 'tree',
    input: hash('sha256', canonicalJson([chunks, LIMITS, MOST_LAYERS])),
    code: TREE_CODE,
    model: models.writer('contextual_blurb'),
    prompt: recordedPrompt(TREE_PROMPT),
    embedding: models.embeddingSpace(),
  }
  const digest = hash('sha256', canonicalJson(derivation))
  const head = { collection: collections.tree, chunks: chunks.length }
  const seconds = (): number => (performance.now() - started) / 1000
  await removeDamaged(collections.tree, deps)
  const existing = await store.info(collections.tree)
  if (existing?.contentDigest === digest) {
    const none = { layers: 0, summaries: 0, cached_summaries: 0, failed: 0, failure: null }
    return { ...head, ...none, content_digest: digest, reused: true, seconds: seconds() }
  }
  const { nodes, layers, asked, cached, failures } = await layersAbove(await lowestLayer(deps, chunks), deps)
  // A tree without some of its summaries is another one, which the next build completes.
  const missing = failures.map(({ key }) => key).sort()
  const contentDigest = missing.length === 0 ? digest : hash('sha256', `${digest} ${missing.join(' ')}`)
  const dimensions = nodes[0]!.vector.length
  const source = { dimensions, contentDigest, embeddingModel: models.embeddingSpace(), derivation }
  const vectors = nodes.map(({ vector }) => vector)
  await store.replace(
    collections.tree,
    source,
    nodes.map(({ chunk }) => chunk),
    vectors,
  )
  return {
    ...head,
    layers,
    summaries: asked,
    cached_summaries: cached,
    failed: failures.length,
    failure: failures[0]?.message ?? null,
    content_digest: contentDigest,
    reused: false,
    seconds: seconds(),
  }
}

/** The chunks as nodes; their vectors are those of the plain collection. */
async function lowestLayer(deps: TreeBuildDeps, chunks: readonly StoredChunk[]): Promise<TreeNode[]> {
  const vectors = await embedAll(
    deps,
    deps.collections.plain,
    chunks.map(({ indexText }) => indexText),
  )
  return chunks.map((chunk, at) => ({
    chunk,
    vector: vectors[at]!,
    tokens: tokensOfTexts([chunk.content]),
    titles: [chunk.title],
  }))
}

/** All nodes of the tree, from the chunks up. Stops below the limit of summaries, or where no cluster has two members. */
async function layersAbove(chunks: readonly TreeNode[], deps: TreeBuildDeps) {
  const { mostSummaries = MOST_SUMMARIES, signal } = deps
  const nodes = [...chunks]
  const count = { asked: 0, cached: 0 }
  const failures: { key: string; message: string }[] = []
  let current: TreeNode[] = [...chunks]
  let layers = 0
  while (layers < MOST_LAYERS && current.length > 1) {
    const clusters = await runInTurns(clusterVectors(current, LIMITS), signal)
    const several = clusters.filter(({ length }) => length > 1)
    const total = count.asked + count.cached + several.length
    if (several.length === 0) break
    if (total > mostSummaries && layers === 0)
      throw new RagError(
        'approach_unavailable',
        `a tree over ${chunks.length} chunks needs at least ${several.length} summaries, and a build asks for at most ${mostSummaries}: use a smaller corpus or larger chunks`,
      )
    if (total > mostSummaries) break
    layers += 1
    const members = several.map((cluster) => cluster.map((at) => current[at]!))
    const made = await summariesOf(members, layers, deps, count, failures, total)
    const alone = clusters.filter(({ length }) => length === 1).map(([at]) => current[at!]!)
    nodes.push(...made)
    current = [...made, ...alone]
  }
  return { nodes, layers, ...count, failures }
}

/** The summaries of one layer as nodes, in the order of their clusters; those that failed are left out. */
async function summariesOf(
  clusters: readonly TreeNode[][],
  layer: number,
  deps: TreeBuildDeps,
  count: { asked: number; cached: number },
  failures: { key: string; message: string }[],
  total: number,
): Promise<TreeNode[]> {
  const { models, cache, signal, logger } = deps
  const writer = models.writer('contextual_blurb')
  const mostFailed = failures.length + mostFailedOf(clusters.length)
  const texts = await mapBounded(clusters, SUMMARY_CONCURRENCY, async (members) => {
    signal?.throwIfAborted()
    const messages = renderTreeTask(members.map(({ chunk }) => ({ title: chunk.title, text: chunk.content })))
    const key = hash('sha256', JSON.stringify([writer, messages]))
    const known = cache.get(key)
    if (known !== null) {
      count.cached += 1
      return known
    }
    try {
      const request = { messages, temperature: 0, max_tokens: SUMMARY_TOKENS }
      const completion = await models.chat('contextual_blurb', request, signal)
      const summary = withoutThinking(completion.choices[0]?.message.content ?? '').trim()
      if (summary === '') throw new RagError('model_answer_invalid', 'the model returned no text for a summary')
      cache.put(key, writer, summary)
      count.asked += 1
      deps.onProgress?.(count.asked + count.cached, total)
      return summary
    } catch (error) {
      if (!isOwnFault(error) || signal?.aborted === true || failures.length >= mostFailed) throw error
      failures.push({ key, message: error.message })
      logger?.warn(`a cluster of layer ${layer} has no summary: ${error.message}`)
      return null
    }
  })
  const written = clusters.flatMap((members, at) => (texts[at] === null ? [] : [{ members, text: texts[at]! }]))
  const vectors = await embedAll(
    deps,
    deps.collections.tree,
    written.map(({ text }) => text),
  )
  return written.map(({ members, text }, at) => nodeOf(members, text, vectors[at]!, layer, at))
}

function nodeOf(
  members: readonly TreeNode[],
  content: string,
  vector: Float32Array,
  layer: number,
  at: number,
): TreeNode {
  const titles = [...new Set(members.flatMap((member) => member.titles))]
  const more = titles.length - NAMED_TITLES
  const named = `${titles.slice(0, NAMED_TITLES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
  const chunk = {
    document: `${SUMMARIES}${layer}`,
    title: `Summary of ${named}`,
    chunkIndex: at,
    startChar: 0,
    endChar: content.length,
    content,
    indexText: content,
  }
  return { chunk, vector, tokens: tokensOfTexts([content]), titles }
}
