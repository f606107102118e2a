import { pathToFileURL } from 'node:url'
import { GraphQueryRequest } from '../../contract/http/graph-engine.ts'
import { createByteVectorTable, toByteVector } from '../../providers/platform/stores/vectors/dense-vectors.ts'
import { textsToEmbed } from '../../providers/platform/stores/graph-engine/graph/knowledge-graph.ts'
import { pictureOf } from '../../providers/platform/stores/graph-engine/graph/picture.ts'
import { DEFAULT_LIMITS } from '../../providers/platform/stores/graph-engine/graph-engine.ts'
import { retrieveContext } from '../../providers/platform/stores/graph-engine/query/run-query.ts'
import type { ExtractedChunk } from '../../providers/platform/stores/graph-engine/stored-graph.ts'
import { createKnowledgeGraph, mergeExtractions } from '../helpers/knowledge-graph.ts'
import { scriptedModels } from '../helpers/scripted-models.ts'
import { randomFrom } from '../helpers/random.ts'
import { median } from './figure.ts'

export interface GraphEngineBench {
  entities: number
  relations: number
  chunks: number
  mergeMs: number
  /** Finding a context, without model calls: median, slowest, and the first query on the graph. */
  query: { p50Ms: number; maxMs: number; firstMs: number }
  pictureMs: number
  /** Memory that graph and vectors take. */
  graphMb: number
}

const DIMENSIONS = 768
const QUERIES = 30
const PER_CHUNK = 5

/** Hybrid queries over a random graph of `size` entities with vectors of 768 dimensions, compared one by one. */
async function benchGraphEngine(size = 50_000): Promise<GraphEngineBench> {
  const random = randomFrom(7)
  const vector = () => Float32Array.from({ length: DIMENSIONS }, () => (random() - 0.5) / 8)
  const chunks = worldOf(size, random)
  const beforeBytes = memoryBytes()
  const startMs = performance.now()
  const merged = mergeExtractions(chunks, DEFAULT_LIMITS.descriptionsKept)
  const mergeMs = performance.now() - startMs
  const texts = textsToEmbed(merged)
  const table = ({ count }: { count: number }) => {
    const rows = createByteVectorTable(count, DIMENSIONS)
    for (let row = 0; row < count; row += 1) rows.set(row, toByteVector(vector()))
    return rows
  }
  const vectors = { entities: table(texts.entities), relations: table(texts.relations), chunks: table(texts.chunks) }
  const graph = createKnowledgeGraph(merged, vectors)
  const graphMb = (memoryBytes() - beforeBytes) / 2 ** 20
  const models = scriptedModels({ embed: (texts) => texts.map(vector) })
  const tools = { graph: () => Promise.resolve(graph), models, rerank: null, limits: DEFAULT_LIMITS }
  const times: number[] = []
  for (let query = 0; query <= QUERIES; query += 1) {
    const [a, b] = [nameOf(pick(random, size)), nameOf(pick(random, size))]
    const text = `Which group was led by the person who founded what ${a} and ${b} had joined?`
    const request = GraphQueryRequest.parse({ query: text, mode: 'hybrid', top_k: 10, chunk_top_k: 5 })
    const askedMs = performance.now()
    await retrieveContext(request, tools)
    times.push(performance.now() - askedMs)
  }
  const [firstMs, ...rest] = times
  const drawnMs = performance.now()
  pictureOf(graph, 500)
  return {
    entities: graph.entities.length,
    relations: graph.relations.length,
    chunks: chunks.length,
    mergeMs,
    query: { p50Ms: median(rest), maxMs: Math.max(...rest), firstMs: firstMs! },
    pictureMs: performance.now() - drawnMs,
    graphMb,
  }
}

const pick = (random: () => number, size: number): number => Math.floor(size * random() ** 2)

const SYLLABLES = 'ba ke li mo nu pra sti tor ven wal xi yor zan dre fal gor hin jas'.split(' ')

/** A name of two invented words, another for each number. */
function nameOf(index: number): string {
  const word = (from: number) => {
    const letters = [from % 18, Math.floor(from / 18) % 18, Math.floor(from / 324) % 18]
      .map((at) => SYLLABLES[at]!)
      .join('')
    return letters.charAt(0).toUpperCase() + letters.slice(1)
  }
  return `${word(index)} ${word(index * 7 + 13 + Math.floor(index / 5832))}`
}

/** Chunks that each name a few entities and their relations; some entities are in many. */
function worldOf(size: number, random: () => number): ExtractedChunk[] {
  const verbs = ['founded', 'led', 'joined', 'sold', 'built', 'left', 'taught', 'financed']
  return Array.from({ length: Math.ceil(size / PER_CHUNK) }, (_, at): ExtractedChunk => {
    const own = Array.from({ length: PER_CHUNK }, (_, offset) => nameOf(at * PER_CHUNK + offset))
    const relations = own.flatMap((source, from) =>
      [own[(from + 1) % PER_CHUNK]!, nameOf(pick(random, size))].map((target) => {
        const verb = verbs[Math.floor(random() * verbs.length)]!
        return {
          source,
          target,
          keywords: [verb],
          description: `${source} ${verb} ${target} in the year ${at}.`,
          weight: 5,
        }
      }),
    )
    const entities = own.map((name) => ({ name, type: 'organization', description: `${name} is a group of its own.` }))
    const content = relations.map(({ description }) => description).join(' ')
    const id = `d${at}`
    const shared = { id, documentId: id, filePath: id, title: id, index: 0, tokens: 100, content }
    return { ...shared, extraction: { entities, relations } }
  })
}

function memoryBytes(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { entities, relations, chunks, mergeMs, query, pictureMs, graphMb } = await benchGraphEngine(
    Number(process.argv[2] ?? 50_000),
  )
  console.log(
    `graph of ${entities} entities, ${relations} relations, ${chunks} chunks: query p50 ${query.p50Ms.toFixed(0)} ms, ` +
      `slowest ${query.maxMs.toFixed(0)} ms, first ${query.firstMs.toFixed(0)} ms; merged in ${mergeMs.toFixed(0)} ms; ` +
      `picture of 500 in ${pictureMs.toFixed(0)} ms; ${graphMb.toFixed(0)} MB`,
  )
}
