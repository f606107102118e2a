import { readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { useEngineBench } from '../../../tests/helpers/graph-engine-bench.ts'
import { hashEmbedding, hashEmbeddings } from '../../../tests/helpers/hash-embedding.ts'
import { ingest, openIngestionSite, phase, writeFiles } from '../../../tests/helpers/ingestion-fixture.ts'
import { testProfile } from '../../../tests/helpers/ingestion-profile.ts'
import type { IngestionSite } from '../../../tests/helpers/ingestion-fixture.ts'
import { scriptedModels } from '../../../tests/helpers/scripted-models.ts'
import { graphTargetClient } from '../stores/graph-engine/graph-target.ts'
import { keptFilePath } from './kept-file.ts'
import type { DocumentParser } from './parsers.ts'
import type { VectorStore } from '../stores/vector-store/vector-store.ts'

const DOCUMENTS = 20
const COLLECTION = 'RagBase_harbour'
const profile = testProfile('harbour', { chunker: { strategy: 'recursive', chunk_size: 120, overlap: 0 } })

/** Several chunks of its own each; the last line is a fact that the scripted model extracts. */
const documentText = (number: number, yard = 'Red Yard'): string =>
  [
    `# Ship ${number}`,
    ...[1, 2, 3, 4].map(
      (part) => `Part ${part} of the log of ship ${number} tells of weather, cargo and crew at length.`,
    ),
    `${yard}/organization > built > Ship ${number}/vessel: The ${yard} built Ship ${number}.`,
  ].join('\n\n')

const fileOf = (number: number): string => `ship-${number}.md`

let site: IngestionSite
const bench = useEngineBench()
beforeEach(async () => {
  site = await openIngestionSite()
  for (let number = 0; number < DOCUMENTS; number += 1)
    await writeFiles(path.join(site.corpusRoot, 'harbour'), { [fileOf(number)]: documentText(number) })
})

/** A platform's ingestion with every text that is embedded and every title that is extracted. */
function openCounted(name: string, store: VectorStore) {
  const embedded: string[] = []
  const models = scriptedModels()
  const engine = bench.open({ stateFile: bench.file(`${name}.sqlite`), models })
  const service = site.service({
    stateFile: path.join(site.folder, `${name}.sqlite`),
    profiles: [profile],
    store,
    graph: () => graphTargetClient(engine),
    embed: async (texts) => {
      embedded.push(...texts)
      return hashEmbeddings(texts)
    },
  })
  return { embedded, extracted: models.extracted, engine, service }
}

/** All that a search or an answer can read, ids left out. */
async function contents(store: VectorStore, engine: ReturnType<typeof openCounted>['engine']) {
  const questions = ['Who built Ship 7?', 'weather of ship 12', 'Blue Yard']
  const searches = questions.map(async (text) => [
    await store.dense(COLLECTION, hashEmbedding(text), 50),
    await store.keyword(COLLECTION, text, 50),
    await store.hybrid(COLLECTION, { text, vector: hashEmbedding(text), alpha: 0.5, limit: 50 }),
  ])
  return {
    info: await store.info(COLLECTION),
    chunks: await store.chunks(COLLECTION),
    searches: await Promise.all(searches),
    graph: await engine.graph(100),
  }
}

describe('a corpus of which one document changed', () => {
  it('embeds and extracts that document alone, and is then what a build from scratch gives', async () => {
    const kept = openCounted('kept', site.store)
    await ingest(kept.service, 'harbour')
    expect(kept.extracted).toHaveLength(DOCUMENTS)
    kept.embedded.length = 0
    kept.extracted.length = 0

    await writeFile(path.join(site.corpusRoot, 'harbour', fileOf(7)), documentText(7, 'Blue Yard'))
    await rm(path.join(site.corpusRoot, 'harbour', fileOf(3)))
    const record = await ingest(kept.service, 'harbour')
    expect(record.status).toBe('completed')
    expect(kept.embedded).toEqual(['Blue Yard/organization > built > Ship 7/vessel: The Blue Yard built Ship 7.'])
    expect(kept.extracted).toEqual(['Ship 7'])
    expect(phase(record, 'embed').counts).toMatchObject({ chunks_unchanged: record.counts['chunks_created']! - 1 })

    const other = await openIngestionSite()
    const scratch = openCounted('scratch', other.store)
    await ingest(scratch.service, 'harbour')
    expect(scratch.embedded).toHaveLength(record.counts['chunks_created']!)
    expect(await contents(site.store, kept.engine)).toEqual(await contents(other.store, scratch.engine))
  })

  it('embeds no sentence of the other documents for a semantic chunker either', async () => {
    const embedded: string[] = []
    const semantic = testProfile('harbour', { chunker: { strategy: 'semantic', chunk_size: 200, overlap: 0 } })
    const service = (state: string, store: VectorStore) =>
      site.service({
        stateFile: path.join(site.folder, `${state}.sqlite`),
        profiles: [semantic],
        store,
        embed: async (texts) => {
          embedded.push(...texts)
          return hashEmbeddings(texts)
        },
      })
    const kept = service('kept', site.store)
    const first = await ingest(kept, 'harbour')
    expect(embedded.length).toBeGreaterThan(first.counts['chunks_created']!)
    embedded.length = 0
    await writeFile(path.join(site.corpusRoot, 'harbour', fileOf(7)), documentText(7, 'Blue Yard'))
    expect((await ingest(kept, 'harbour')).status).toBe('completed')
    expect(embedded.length).toBeGreaterThan(0)
    expect(embedded.filter((text) => /ship (?!7\b)\d+/i.test(text))).toEqual([])

    const other = await openIngestionSite()
    await ingest(service('scratch', other.store), 'harbour')
    expect(await site.store.chunks(COLLECTION)).toEqual(await other.store.chunks(COLLECTION))
  })

  it('parses only files that changed, by content, by what their service is, or because they were parsed never', async () => {
    const harbour = path.join(site.corpusRoot, 'harbour')
    await writeFiles(harbour, { 'chart.pdf': 'depths', 'report.pdf': 'cargo', 'call.wav': 'voices' })
    let parsed: string[] = []
    let converter = 'one'
    const parser = (name: 'converter' | 'speech', ext: string, revision: () => string | null): DocumentParser => ({
      name,
      accepts: ({ path: file }) => file.endsWith(ext),
      revision: async () => revision(),
      parse: async (file) => {
        parsed.push(file.path)
        return {
          title: file.path,
          text: `Read from ${String(await file.read())}.`,
          warnings: [`${file.path} is short`],
        }
      },
    })
    const service = site.service({
      profiles: [{ ...profile, parser_order: ['converter', 'speech', 'plain_text'] }],
      parsers: [parser('converter', '.pdf', () => converter), parser('speech', '.wav', () => null)],
    })
    const again = async () => {
      parsed = []
      const record = await ingest(service, 'harbour')
      expect(record.status).toBe('completed')
      const { counts, note } = phase(record, 'parse')
      return { parsed, unchanged: counts['documents_unchanged'] ?? 0, note }
    }
    const note = ['call.wav', 'chart.pdf', 'report.pdf'].map((name) => `'${name}': ${name} is short`).join('; ')
    expect(await again()).toEqual({ parsed: ['call.wav', 'chart.pdf', 'report.pdf'], unchanged: 0, note })
    // The service that states no revision is asked again.
    await writeFiles(harbour, { 'report.pdf': 'more cargo' })
    expect(await again()).toEqual({ parsed: ['call.wav', 'report.pdf'], unchanged: 1, note })
    const texts = (await site.store.chunks(COLLECTION)).map(({ content }) => content)
    expect(texts).toContain('Read from depths.')
    expect(texts).toContain('Read from more cargo.')
    expect(texts).not.toContain('Read from cargo.')

    converter = 'two'
    await writeFiles(harbour, { [fileOf(7)]: documentText(7, 'Blue Yard') })
    expect((await again()).parsed).toEqual(['call.wav', 'chart.pdf', 'report.pdf'])
    // A text of an earlier content or revision is forgotten with the run that did not read it.
    converter = 'one'
    await writeFiles(harbour, { 'report.pdf': 'cargo' })
    expect((await again()).parsed).toEqual(['call.wav', 'chart.pdf', 'report.pdf'])
    await service.resetProfile('harbour')
    expect((await again()).parsed).toEqual(['call.wav', 'chart.pdf', 'report.pdf'])
  })

  it('keeps no text of the last converted file once that has left the corpus', async () => {
    const harbour = path.join(site.corpusRoot, 'harbour')
    const stateFile = path.join(site.folder, 'kept.sqlite')
    await writeFiles(harbour, { 'chart.pdf': 'depths' })
    const converter: DocumentParser = {
      name: 'converter',
      accepts: ({ path: file }) => file.endsWith('.pdf'),
      revision: async () => 'one',
      parse: async (file) => ({ title: file.path, text: `Read from ${String(await file.read())}.` }),
    }
    const service = site.service({ stateFile, profiles: [profile], parsers: [converter] })
    const kept = keptFilePath(stateFile, COLLECTION, 'texts')
    expect((await ingest(service, 'harbour')).status).toBe('completed')
    expect(String(await readFile(kept))).toContain('Read from depths.')
    await rm(path.join(harbour, 'chart.pdf'))
    expect((await ingest(service, 'harbour')).status).toBe('completed')
    expect(String(await readFile(kept))).not.toContain('Read from depths.')
  })

  it('does not convert again what a failed run had converted', async () => {
    const harbour = path.join(site.corpusRoot, 'harbour')
    await writeFiles(harbour, { 'a.pdf': 'depths', 'b.pdf': 'damaged' })
    const parsed: string[] = []
    const converter: DocumentParser = {
      name: 'converter',
      accepts: ({ path: file }) => file.endsWith('.pdf'),
      revision: async () => 'one',
      parse: async (file) => {
        parsed.push(file.path)
        const text = String(await file.read())
        if (text === 'damaged') throw new Error('no page can be read')
        return { title: file.path, text }
      },
    }
    const service = site.service({ profiles: [profile], parsers: [converter] })
    expect((await ingest(service, 'harbour')).status).toBe('failed')
    await writeFiles(harbour, { 'b.pdf': 'repaired' })
    expect((await ingest(service, 'harbour')).status).toBe('completed')
    expect(parsed).toEqual(['a.pdf', 'b.pdf', 'b.pdf'])
  })

  it('embeds everything for another model', async () => {
    await ingest(openCounted('one', site.store).service, 'harbour')
    const embedded: string[] = []
    const service = site.service({
      profiles: [profile],
      embeddingSpace: 'another',
      embed: async (texts) => {
        embedded.push(...texts)
        return hashEmbeddings(texts)
      },
    })
    const record = await ingest(service, 'harbour')
    expect(embedded).toHaveLength(record.counts['chunks_created']!)
  })
})
