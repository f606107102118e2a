import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { MODEL_BACKENDS, type ModelChoice } from '../../contract/manifests/model-backends.ts'
import { ModelRole } from '../../contract/manifests/models.ts'
import { createModelHost } from '../../providers/platform/models/create-model-host.ts'
import { extractChunk } from '../../providers/platform/stores/graph-engine/extract-chunk.ts'
import { normalName } from '../../providers/platform/stores/graph-engine/resolution/names.ts'
import { startLightragModel, type LightragModel } from './lightrag-model.ts'
import { pythonPeer } from './python-peer.ts'

// The same model of rules extracts the same records for a real LightRAG, in delimited lines, and for the graph engine of this project, in JSON: what each of them
// keeps of entities, relations and keywords.

const peer = await pythonPeer('lightrag')
if (peer.reason !== null) console.log(`○ ${peer.reason}`)
beforeEach(({ skip }) => skip(peer.reason !== null, peer.reason ?? ''))

const RECORDS = 50
/** So that neither program cuts a record. */
const MOST_CHARS = 4000
const SCRIPT = fileURLToPath(new URL('lightrag-extraction.py', import.meta.url))

interface Graph {
  entities: Set<string>
  /** Keywords by the pair of their entities, which has no direction. */
  relations: Map<string, Set<string>>
}

const pairOf = (source: string, target: string): string =>
  [normalName(source), normalName(target)].toSorted().join(' – ')
const emptyGraph = (): Graph => ({ entities: new Set(), relations: new Map() })
function addRelation({ relations }: Graph, source: string, target: string, keywords: readonly string[]): void {
  const pair = pairOf(source, target)
  const known = relations.get(pair) ?? new Set<string>()
  for (const word of keywords) known.add(word.trim().toLowerCase())
  relations.set(pair, known)
}

let folder = ''
let model: LightragModel
let records: string[]
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lightrag-extraction-'))
  model = await startLightragModel()
  const corpus = new URL('../../corpus/graph_native/', import.meta.url)
  const names = (await readdir(corpus, { recursive: true })).filter((name) => name.endsWith('.md')).toSorted()
  const texts = await Promise.all(names.slice(0, RECORDS).map((name) => readFile(new URL(name, corpus), 'utf8')))
  records = texts.map((text) => text.trim().slice(0, MOST_CHARS))
})
afterAll(async () => {
  await model.close()
  await rm(folder, { recursive: true, force: true })
})

async function byLightrag(): Promise<Graph> {
  const file = join(folder, 'records.json')
  await writeFile(file, JSON.stringify(records))
  const { stdout } = await promisify(execFile)(join(peer.bin!, 'python'), [SCRIPT, file, folder, model.url], {
    cwd: folder,
    maxBuffer: 64 * 1024 * 1024,
  })
  const found = JSON.parse(stdout.trim().split('\n').at(-1)!) as {
    entities: string[]
    relations: { source: string; target: string; keywords: string }[]
  }
  const graph = emptyGraph()
  for (const name of found.entities) graph.entities.add(normalName(name))
  for (const { source, target, keywords } of found.relations)
    addRelation(graph, source, target, keywords.split(/,|<SEP>/))
  return graph
}

async function byThisProject(): Promise<Graph> {
  const choice = MODEL_BACKENDS.openai.settings.parse({ backend: 'openai', model: 'rules', base_url: model.url })
  const roles = Object.fromEntries(ModelRole.options.map((role) => [role, choice])) as Record<ModelRole, ModelChoice>
  const host = createModelHost(
    { name: 'rules', roles },
    { secret: () => undefined, onnxCacheDir: folder, loadBuiltin: () => Promise.reject(new Error('not asked')) },
  )
  const graph = emptyGraph()
  try {
    for (const content of records) {
      const { entities, relations } = await extractChunk({ title: '', content }, host, undefined)
      for (const { name } of entities) graph.entities.add(normalName(name))
      for (const { source, target, keywords } of relations) addRelation(graph, source, target, keywords)
    }
  } finally {
    await host.close()
  }
  return graph
}

const without = <Item>(items: Iterable<Item>, others: { has(item: Item): boolean }): Item[] =>
  [...items].filter((item) => !others.has(item))

it('keeps of the same replies to the same 50 records what LightRAG keeps: entities, relations and their keywords', async () => {
  const [theirs, ours] = [await byLightrag(), await byThisProject()]
  const lost = [...theirs.relations].flatMap(([pair, words]) =>
    without(words, ours.relations.get(pair) ?? new Set<string>()).map((word) => `${pair}: ${word}`),
  )
  const count = ({ entities, relations }: Graph) => ({
    entities: entities.size,
    relations: relations.size,
    keywords: [...relations.values()].reduce((sum, words) => sum + words.size, 0),
  })
  console.log(JSON.stringify({ records: records.length, lightrag: count(theirs), ours: count(ours) }))
  expect(records).toHaveLength(RECORDS)
  expect({
    entities: without(theirs.entities, ours.entities),
    relations: without(theirs.relations.keys(), ours.relations),
    keywords: lost.filter((word) => !word.endsWith(': related')),
  }).toEqual({ entities: [], relations: [], keywords: [] })
})
