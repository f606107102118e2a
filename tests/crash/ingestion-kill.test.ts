import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { createGraphEngine } from '../../providers/platform/stores/graph-engine/create-graph-engine.ts'
import { graphTargetClient } from '../../providers/platform/stores/graph-engine/graph-target.ts'
import { systemClock } from '../../providers/platform/ingestion/clock.ts'
import { hashEmbedding } from '../helpers/hash-embedding.ts'
import { openIngestionSite, writeFiles } from '../helpers/ingestion-fixture.ts'
import type { IngestionSite } from '../helpers/ingestion-fixture.ts'
import { randomFrom } from '../helpers/random.ts'
import { timesOf } from '../helpers/repetitions.ts'
import { scriptedModels } from '../helpers/scripted-models.ts'
import { bundledScript } from './bundled-script.ts'

const DOCUMENTS = 160
const KILLS = timesOf('an ingestion is killed in each of its phases')
/** Later than the lease of a killed process. */
const AHEAD_MS = 60_000
const COLLECTION = 'RagBase_smoke'

/** Moments of a phase in which a process may die, fewer than each run of the phase has. */
const MOMENTS = {
  discover: 100,
  parse: 100,
  chunk: 100,
  embed: 3,
  vector_write: 6,
  graph_upload: 6,
  drain: 25,
} as const

/** Documents of several chunks, each with a fact that links it to the next. */
const documents = (): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: DOCUMENTS }, (_, at) => [
      `doc-${String(at).padStart(3, '0')}.md`,
      `Ada${at}/person > met > Ada${at + 1}/person: Ada${at} met Ada${at + 1} at lock ${at}.\n\n${`Lock ${at} opened in spring. `.repeat(9)}`,
    ]),
  )

async function openSite(): Promise<IngestionSite> {
  const site = await openIngestionSite()
  await writeFiles(path.join(site.corpusRoot, 'smoke'), documents())
  return site
}

/** Runs ingestion in this process until it ends, and reads everything that it has stored. */
async function finishIn(site: IngestionSite, aheadMs: number) {
  const engine = createGraphEngine({
    stateFile: path.join(site.folder, 'graph.sqlite'),
    models: scriptedModels(),
    rerank: null,
    apiKey: null,
  })
  const service = site.service({
    graph: () => graphTargetClient(engine),
    clock: { ...systemClock, now: () => Date.now() + aheadMs },
  })
  service.start()
  const { ingestion_id: id } = await service.submit({ profile: 'smoke' })
  const { status, errors } = await service.settled(id)
  const stored = {
    status,
    errors,
    chunks: await site.store.chunks(COLLECTION),
    hits: await site.store.dense(COLLECTION, hashEmbedding('lock 7'), 1000),
    documents: engine.statusCounts(),
    graph: await engine.graph(1000),
  }
  await engine.close()
  return stored
}

/** Holds what an ingestion stores that is never killed: the same for all tests. */
let stored: Promise<Awaited<ReturnType<typeof finishIn>>> | null = null
const unbroken = (): NonNullable<typeof stored> => (stored ??= openSite().then((site) => finishIn(site, 0)))

describe('an ingestion that is killed again and again at random moments', () => {
  it.each(Object.entries(MOMENTS))(
    'of the phase %s resumes, and loses and doubles nothing',
    async (phase, moments) => {
      const random = randomFrom(phase.length)
      const script = await bundledScript('ingestion-kill-child.ts')
      const site = await openSite()
      for (let kill = 1; kill <= KILLS; kill += 1) {
        const moment = Math.floor(random() * moments)
        const args = [site.folder, phase, String(moment), String(kill * AHEAD_MS)]
        const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'inherit', 'inherit'] })
        const [, signal] = (await once(child, 'exit')) as [number | null, string | null]
        expect(signal).toBe('SIGKILL')
      }
      const resumed = await finishIn(site, (KILLS + 1) * AHEAD_MS)
      expect(resumed).toEqual(await unbroken())
      expect(resumed).toMatchObject({
        status: 'completed',
        errors: [],
        documents: { all: DOCUMENTS, processed: DOCUMENTS },
      })
      expect(resumed.graph).toMatchObject({ total_nodes: DOCUMENTS + 1, total_edges: DOCUMENTS })
    },
    300_000,
  )
})
