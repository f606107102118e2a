import path from 'node:path'
import Database from 'better-sqlite3'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Derivation } from '../../../contract/evidence/derivation.ts'
import type { ChatCompletion } from '../../../contract/http/chat.ts'
import type { IngestionProfile } from '../../../contract/manifests/consumer.ts'
import { toolCall } from '../../../tests/helpers/fake-model-host.ts'
import { openIngestionSite, writeFiles, type IngestionSite } from '../../../tests/helpers/ingestion-fixture.ts'
import { testProfile } from '../../../tests/helpers/ingestion-profile.ts'
import { consumer, pluginOver } from '../../../tests/helpers/rag-fixture.ts'
import { scriptedModels } from '../../../tests/helpers/scripted-models.ts'
import { createGraphEngine } from '../stores/graph-engine/create-graph-engine.ts'
import { graphTargetClient } from '../stores/graph-engine/graph-target.ts'
import { embeddedGraphQueries } from '../rag/graph/embedded-graph-queries.ts'

const FACTS: Readonly<Record<string, string>> = {
  'yard.md': '# Yard\n\nAnn/person > founded > Blue Yard/organization: Ann founded the Blue Yard.',
  'boat.md': '# Boat\n\nBlue Yard/organization > built > Osprey/vessel: The Blue Yard built the Osprey.',
  'crew.md': '# Crew\n\nBo/person > sailed > Osprey/vessel: Bo sailed the Osprey with Ann.',
}

/** Describes what a platform is configured with, one value changed at a time. */
interface Ingredients {
  embedding: string
  extraction: string
  contexts: string
  profile: Partial<IngestionProfile>
}
const BASE: Ingredients = { embedding: 'embed-1', extraction: 'extract-1', contexts: 'blurb-1', profile: {} }

let site: IngestionSite
beforeEach(async () => {
  site = await openIngestionSite()
  await writeFiles(path.join(site.corpusRoot, 'harbour'), FACTS)
})

const graphFile = () => path.join(site.folder, 'graph.sqlite')

/** A model host of these models, whose agent searches the chunks and the graph before it answers. */
function modelsOf({ embedding, extraction, contexts }: Ingredients) {
  const models = scriptedModels({ embedModel: embedding })
  const embedded: string[] = []
  const writers: Partial<Record<string, string>> = { graph_extract: extraction, contextual_blurb: contexts }
  return {
    ...models,
    embedded,
    writer: (role: Parameters<typeof models.writer>[0]) => writers[role] ?? models.writer(role),
    embed: async (...call: Parameters<typeof models.embed>) => {
      if (call[2] === 'document') embedded.push(...call[1])
      return models.embed(...call)
    },
    async chat(...call: Parameters<typeof models.chat>): Promise<ChatCompletion> {
      const completion = await models.chat(...call)
      if (call[0] !== 'agentic' || call[1].messages.some(({ role }) => role === 'tool')) return completion
      const tool_calls = ['vector_search', 'graph_query'].map((tool) => toolCall(tool, { query: 'Osprey' }))
      const message = { role: 'assistant' as const, content: null, tool_calls }
      return { ...completion, choices: [{ index: 0, finish_reason: 'tool_calls', message }] }
    },
  }
}

/** Starts a platform on the site's files, ingests, builds contexts, asks every approach once and stops it again. */
async function run(changes: Partial<Ingredients> = {}) {
  const ingredients = { ...BASE, ...changes }
  const models = modelsOf(ingredients)
  const profile = testProfile('harbour', ingredients.profile)
  const engine = createGraphEngine({
    stateFile: graphFile(),
    models,
    rerank: null,
    apiKey: null,
    entityTypes: profile.entity_types,
  })
  const service = site.service({
    profiles: [profile],
    embed: (texts, signal) => models.embed('embed', texts, 'document', signal),
    embeddingSpace: ingredients.embedding,
    graph: () => graphTargetClient(engine),
  })
  const question = (text: string) => ({ model: 'any', messages: [{ role: 'user' as const, content: text }] })
  const plugin = pluginOver(site.store, models, site.folder, {
    aliases: { ...consumer, ingestion_profiles: [profile] },
    profile: 'harbour',
    graph: embeddedGraphQueries(engine),
    workflow: {
      ask: async (query) => {
        const { rag_extension: evidence } = await plugin.answer('graph-rag', question(query))
        const body = { answer: evidence!.answer, route: 'linked', approach: 'graph-rag', rag_extension: evidence }
        return { status: 200, body, again: {}, waitedMs: 0, spent: null }
      },
    },
  })
  try {
    const { ingestion_id: id, unchanged } = await service.submit({ profile: 'harbour' }, { inRequest: true })
    const record = await service.settled(id)
    const contexts = await plugin.buildContextual('harbour')
    const work = {
      embedded: models.embedded.filter((text) => FACTS_TEXT.test(text)).length,
      extracted: models.extracted.length,
      blurbs: contexts.blurbs,
    }
    const read = new Map<string, Derivation[]>()
    for (const alias of ALIASES) {
      const { rag_extension: evidence } = await plugin.answer(alias, question('Who sailed the Osprey?'))
      read.set(alias, evidence!.derivations ?? [])
    }
    return { record, unchanged, work, read }
  } finally {
    await plugin.close()
    await service.close()
    await engine.close()
  }
}

/** A text with a fact: as a chunk, below its context, and as a chunk of the graph, which embeds names and descriptions too. */
const FACTS_TEXT = /\/\w+ > /

const ALIASES = [
  'vanilla-rag',
  'hybrid-rag',
  'contextual-rag',
  'graph-rag',
  'agentic-rag',
  'workflow-adaptive-rag',
  'lazy-graph-rag',
]

type Ran = Awaited<ReturnType<typeof run>>

/** Artefacts of which the second run has another record; how an extraction went is not part of what made it. */
function changedArtefacts(before: Ran, after: Ran): string[] {
  const records = ({ read }: Ran) =>
    new Map(
      [...read.values()]
        .flat()
        // Each question is answered again.
        .filter(({ artefact }) => artefact !== 'answer')
        .map(({ extraction: _, ...made }) => [made.artefact, JSON.stringify(made)] as const),
    )
  const [then, now] = [records(before), records(after)]
  return [...now].filter(([artefact, record]) => then.get(artefact) !== record).map(([artefact]) => artefact)
}

const NOTHING = { embedded: 0, extracted: 0, blurbs: 0 }

describe('records of what derived artefacts were made by', () => {
  it('are carried by the answers of every approach, from the artefacts that it read', async () => {
    const { read } = await run()
    expect([...read].map(([alias, made]) => [alias, made.map(({ artefact }) => artefact)])).toEqual([
      ['vanilla-rag', ['chunks', 'answer']],
      ['hybrid-rag', ['chunks', 'answer']],
      ['contextual-rag', ['contexts', 'answer']],
      ['graph-rag', ['graph', 'chunks', 'answer']],
      ['agentic-rag', ['chunks', 'graph', 'answer']],
      ['workflow-adaptive-rag', ['graph', 'chunks', 'answer']],
      ['lazy-graph-rag', ['chunks', 'concepts', 'answer']],
    ])
    expect(read.get('workflow-adaptive-rag')).toEqual(read.get('graph-rag'))
    const answered = (alias: string) => read.get(alias)!.at(-1)!
    expect(answered('hybrid-rag')).toEqual({
      artefact: 'answer',
      input: expect.stringMatching(/^[0-9a-f]{16}$/),
      code: 'answer 2',
      model: expect.stringMatching(/ \(test\)$/),
      prompt: expect.stringMatching(/^answer \(v2\) [0-9a-f]{8}$/),
      reranker: expect.stringMatching(/ \(test\)$/),
    })
    expect(answered('vanilla-rag')).toMatchObject({ prompt: answered('hybrid-rag').prompt, reranker: 'none' })
    expect(read.get('graph-rag')!.slice(0, 1)).toEqual([
      {
        artefact: 'graph',
        input: expect.stringMatching(/^[0-9a-f]{64}$/),
        embedding: 'embed-1',
        model: 'extract-1',
        prompt: expect.stringMatching(/^[0-9a-f]{16}$/),
        chunking: 4800,
        code: 'extraction 3',
        gleanings: 1,
        documents: 3,
        extraction: expect.objectContaining({ chunks_sent: 3, chunks_parsed: 3, documents_without_entity: 0 }),
      },
    ])
    expect(read.get('contextual-rag')![0]).toMatchObject({ model: 'blurb-1', embedding: 'embed-1' })
  })

  it('are equal for an unchanged platform, which then makes nothing', async () => {
    const first = await run()
    const second = await run()
    expect([second.unchanged, second.work, changedArtefacts(first, second)]).toEqual([true, NOTHING, []])
  })

  it.each<[string, Partial<Ingredients>, string[], Partial<typeof NOTHING>]>([
    ['the extraction model', { extraction: 'extract-2' }, ['graph'], { extracted: 3 }],
    ['a setting of the extraction model', { extraction: 'extract-1 (x 1)' }, ['graph'], { extracted: 3 }],
    ['the types of entities', { profile: { entity_types: ['vessel'] } }, ['graph'], { extracted: 3 }],
    ['the model that writes contexts', { contexts: 'blurb-2' }, ['contexts'], { blurbs: 3, embedded: 0 }],
    ['the embedding model', { embedding: 'embed-2' }, ['chunks', 'contexts', 'graph'], { embedded: 9 }],
    [
      'the chunker',
      { profile: { chunker: { strategy: 'recursive', chunk_size: 60, overlap: 0 } } },
      ['chunks', 'contexts', 'concepts'],
      { embedded: 6, blurbs: 6 },
    ],
    ['the order of parsers', { profile: { parser_order: ['plain_text'] } }, ['chunks'], {}],
  ])('another value of %s rebuilds what depends on it and nothing else', async (_, changes, artefacts, work) => {
    const first = await run()
    const second = await run(changes)
    expect(second.record).toMatchObject({ status: 'completed', errors: [] })
    expect(changedArtefacts(first, second).sort()).toEqual([...artefacts].sort())
    expect(second.work).toEqual({ ...NOTHING, ...work })
  })

  it('a changed document rebuilds its own chunks, context and extraction', async () => {
    const first = await run()
    await writeFiles(path.join(site.corpusRoot, 'harbour'), {
      'crew.md': '# Crew\n\nCy/person > sailed > Osprey/vessel: Cy sailed the Osprey with Ann.',
    })
    const second = await run()
    expect(changedArtefacts(first, second).sort()).toEqual(['chunks', 'concepts', 'contexts', 'graph'])
    expect(second.work).toEqual({ embedded: 3, extracted: 1, blurbs: 1 })
  })

  it.each([
    ['prompt', /"prompt":"\w+"/, '"prompt":"another"'],
    ['code', /extraction 3/, 'extraction 0'],
    ['chunking', /"chunking":4800/, '"chunking":100'],
  ])('a graph that was made by another %s is extracted again', async (_, pattern, other) => {
    await run()
    const database = new Database(graphFile())
    const stored = database.prepare<[], string>('SELECT extract_model FROM documents LIMIT 1').pluck().get()!
    expect(stored).toMatch(pattern)
    database.prepare('UPDATE documents SET extract_model = ?').run(stored.replace(pattern, other))
    database.close()
    const second = await run()
    expect([second.unchanged, second.work]).toEqual([false, { ...NOTHING, extracted: 3 }])
  })
})
