import { join } from 'node:path'
import fc from 'fast-check'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { fakeModelHost, type FakeModelHostOptions } from '../../../../tests/helpers/fake-model-host.ts'
import { chunksOf, COLLECTIONS, ingest, testStore, WORLD } from '../../../../tests/helpers/rag-fixture.ts'
import { ModelCallError } from '../../models/model-host.ts'
import { parseBlurbTask } from '../../models/prompts/blurb-task.ts'
import type { StoredChunk } from '../../stores/vector-store/vector-store.ts'
import { openBlurbCache } from './blurb-cache.ts'
import { buildContextual, documentAround, MAX_DOCUMENT_CHARS, reassembleDocument } from './build-collection.ts'
import { createCollectionBuilds } from '../collection-builds.ts'
import { temporaryFolder } from '../../../../tests/helpers/temporary-folder.ts'

const CHUNKS = chunksOf(WORLD)

async function world(options: FakeModelHostOptions = {}, chunks: StoredChunk[] = CHUNKS) {
  const folder = await temporaryFolder()
  const store = await testStore(folder)
  const cache = openBlurbCache(join(folder, 'blurbs.sqlite'))
  onTestFinished(() => cache.close())
  await ingest(store, fakeModelHost(), 'smoke', chunks)
  const build = (more: FakeModelHostOptions = options, signal?: AbortSignal) => {
    const models = fakeModelHost(more)
    return {
      models,
      result: buildContextual({
        store,
        models,
        cache,
        collections: COLLECTIONS,
        ...(signal === undefined ? {} : { signal }),
      }),
    }
  }
  return { folder, store, cache, build }
}

const blurbCalls = (models: ReturnType<typeof fakeModelHost>) =>
  models.calls.filter(({ role }) => role === 'contextual_blurb')

describe('a contextual build', () => {
  it('puts one blurb before each chunk in the index and leaves the content alone', async () => {
    const { store, build } = await world()
    const { models, result } = build({
      chat: (_role, { messages }) => `About ${parseBlurbTask(messages)!.documentTitle}.`,
    })
    expect(await result).toMatchObject({ chunks: 7, blurbs: 7, cached_blurbs: 0, reused: false })
    expect(blurbCalls(models)).toHaveLength(7)
    const stored = await store.chunks('RagContextual_smoke')
    const plain = await store.chunks('RagBase_smoke')
    expect(stored).toEqual(plain.map((chunk) => ({ ...chunk, indexText: `About ${chunk.title}.\n\n${chunk.content}` })))
  })

  it('shows the blurb model the whole document, put together from its chunks', async () => {
    const { build } = await world()
    const { models, result } = build()
    await result
    const task = parseBlurbTask(blurbCalls(models)[0]!.request!.messages)!
    const { title, paragraphs } = Object.values(WORLD).find((document) => document.title === task.documentTitle)!
    expect(task).toEqual({
      documentTitle: title,
      headings: [],
      before: paragraphs[paragraphs.indexOf(task.chunk) - 1] ?? '',
      document: paragraphs.join('\n\n'),
      chunk: expect.any(String),
    })
    expect(paragraphs).toContain(task.chunk)
  })

  it('shows less of a long document to a model whose context is too small, and fails when that is no use', async () => {
    const paragraph = (number: number): string => `Paragraph ${number}. ${'The ship sailed on and on. '.repeat(30)}`
    const long = chunksOf({
      'long.md': { title: 'Long', paragraphs: Array.from({ length: 40 }, (_, at) => paragraph(at)) },
    })
    const { build } = await world({}, long)
    const sizes: number[] = []
    const limited = (most: number): FakeModelHostOptions => ({
      chat: (_role, { messages }) => {
        const { document } = parseBlurbTask(messages)!
        sizes.push(document.length)
        return document.length > most
          ? new ModelCallError('context_length_exceeded', 'contextual_blurb', 'long')
          : 'About it.'
      },
    })
    await expect(build(limited(100)).result).rejects.toMatchObject({ code: 'context_length_exceeded' })
    expect(Math.min(...sizes)).toBeGreaterThan(1000)
    expect(await build(limited(7000)).result).toMatchObject({ chunks: long.length, blurbs: long.length })
  })

  it('asks again for a blurb whose bytes were changed from outside', async () => {
    const file = join(await temporaryFolder(), 'blurbs.sqlite')
    const cache = openBlurbCache(file)
    for (const key of ['a', 'b']) cache.put(key, 'model', `About ${key}, 1904.`)
    cache.close()
    const database = new Database(file)
    database.exec(`UPDATE blurbs SET blurb = replace(blurb, '1904', '1994') WHERE key = 'a'`)
    database.close()
    const again = openBlurbCache(file)
    expect([again.get('a'), again.get('b')]).toEqual([null, 'About b, 1904.'])
    again.close()
  })

  it('names a collection whose bytes were changed from outside in the log and in the result of the build, and builds it again', async () => {
    const { folder, store, cache, build } = await world()
    await build().result
    const database = new Database(join(folder, 'store.db'))
    const tables = database
      .prepare<[], string>(`SELECT name FROM sqlite_master WHERE name GLOB 'chunks_[0-9]*' ORDER BY name`)
      .pluck()
      .all()
    database.exec(`UPDATE ${tables.at(-1)!} SET content = replace(content, 'a', 'e')`)
    database.close()
    const warned: string[] = []
    const models = fakeModelHost()
    const logger = { warn: (text: string) => void warned.push(text) }
    const again = () => buildContextual({ store, models, cache, collections: COLLECTIONS, logger })
    const built = await again()
    expect(built).toMatchObject({ reused: false, damage: expect.stringContaining('store.db') })
    expect(warned).toEqual([`${built.damage}; it is built again`])
    expect((await again()).damage).toBeUndefined()
  })

  it('reuses the collection with no call while chunks and models are the same', async () => {
    const { store, build } = await world()
    const first = await build().result
    const { models, result } = build()
    expect(await result).toEqual({ ...first, blurbs: 0, reused: true, seconds: expect.any(Number) })
    expect(models.calls).toEqual([])

    const otherBlurbs = build({ models: { contextual_blurb: 'other' } })
    expect(await otherBlurbs.result).toMatchObject({ blurbs: 7, reused: false })
    const back = build()
    expect(await back.result).toMatchObject({
      blurbs: 0,
      cached_blurbs: 7,
      reused: false,
      content_digest: first.content_digest,
    })

    const changed = CHUNKS.map((chunk) =>
      chunk.document === 'salt.md'
        ? { ...chunk, content: `${chunk.content} It is white.`, indexText: `${chunk.indexText} It is white.` }
        : chunk,
    )
    await ingest(store, fakeModelHost(), 'smoke', changed)
    const after = build()
    expect(await after.result).toMatchObject({ blurbs: 1, cached_blurbs: 6, reused: false })
    expect(after.models.calls.filter(({ kind }) => kind === 'embed').map(({ size }) => size)).toEqual([1])
  })

  it('lets other requests run while it compares many chunks with what was built', async () => {
    const documents = Object.fromEntries(
      Array.from({ length: 100 }, (_, at) => [
        `${at}.md`,
        { title: `Lock ${at}`, paragraphs: [`It opened in ${at}.`] },
      ]),
    )
    const { build } = await world({}, chunksOf(documents))
    await build().result
    let now = 0
    // Every step takes longer than a turn.
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 1000))
    let turns = 0
    const everyTurn = (): void => {
      turns += 1
      next = setImmediate(everyTurn)
    }
    let next = setImmediate(everyTurn)
    try {
      expect(await build().result).toMatchObject({ reused: true, chunks: 100 })
    } finally {
      clearImmediate(next)
      clock.mockRestore()
    }
    expect(turns).toBeGreaterThanOrEqual(100)
  })

  it('pays only for the missing blurbs after a failure, and keeps the old collection until then', async () => {
    const { store, build } = await world()
    await build({ models: { contextual_blurb: 'old' } }).result
    const before = await store.info('RagContextual_smoke')
    const failing = build({
      chat: (_role, _request, call) =>
        call === 5 ? new ModelCallError('unreachable', 'contextual_blurb', 'x') : 'Blurb.',
    })
    await expect(failing.result).rejects.toMatchObject({ code: 'unreachable' })
    const paid = blurbCalls(failing.models).length - 1
    expect(await store.info('RagContextual_smoke')).toEqual(before)
    expect(await build().result).toMatchObject({ blurbs: 7 - paid, cached_blurbs: paid })
  })

  it('indexes a chunk without its context where that call alone failed, counts it, and asks for it again next time', async () => {
    const { store, build } = await world()
    const failing = build({
      chat: (_role, _request, call) =>
        call === 5 ? new ModelCallError('timeout', 'contextual_blurb', 'slow') : 'Blurb.',
    })
    const made = await failing.result
    expect(made).toMatchObject({
      chunks: 7,
      blurbs: 6,
      failed: 1,
      failure: expect.stringContaining('slow'),
      reused: false,
    })
    const info = await store.info('RagContextual_smoke')
    expect(info?.contentDigest).toBe(made.content_digest)
    expect(info?.derivation?.contexts).toEqual({ chunks: 7, without_context: 1 })
    const bare = (await store.chunks('RagContextual_smoke')).filter(({ indexText }) => !indexText.startsWith('Blurb.'))
    expect(bare.map(({ indexText, content }) => indexText === content)).toEqual([true])
    const again = build({ chat: () => 'Blurb.' })
    expect(await again.result).toMatchObject({ blurbs: 1, cached_blurbs: 6, failed: 0, failure: null, reused: false })
    expect(blurbCalls(again.models)).toHaveLength(1)
    expect((await store.info('RagContextual_smoke'))?.derivation).not.toHaveProperty('contexts')
    expect(await build().result).toMatchObject({ reused: true, failed: 0 })
  })

  it('fails where more than one chunk in ten would be without its context', async () => {
    const { store, build } = await world()
    const failing = build({
      chat: (_role, _request, call) =>
        call > 4 ? new ModelCallError('timeout', 'contextual_blurb', 'slow') : 'Blurb.',
    })
    await expect(failing.result).rejects.toMatchObject({ code: 'timeout' })
    expect(await store.info('RagContextual_smoke')).toBeNull()
  })

  it('keeps blurbs across a restart of the process', async () => {
    const { folder, build } = await world()
    await build().result
    const reopened = openBlurbCache(join(folder, 'blurbs.sqlite'))
    onTestFinished(() => reopened.close())
    const other = await testStore()
    await ingest(other, fakeModelHost(), 'smoke', CHUNKS)
    const models = fakeModelHost()
    const result = await buildContextual({ store: other, models, cache: reopened, collections: COLLECTIONS })
    expect(result).toMatchObject({ blurbs: 0, cached_blurbs: 7, reused: false })
    expect(blurbCalls(models)).toEqual([])
  })

  it('fails before anything is touched when vectors are missing or a blurb is empty', async () => {
    const { store, build } = await world()
    await build({ models: { contextual_blurb: 'old' } }).result
    const before = await store.info('RagContextual_smoke')
    const short = build({
      chat: () => 'Another blurb.',
      models: { contextual_blurb: 'new' },
      embedAll: (texts) => texts.slice(1).map(() => new Float32Array(768).fill(0.1)),
    })
    await expect(short.result).rejects.toMatchObject({ code: 'model_answer_invalid', status: 502 })
    const empty = build({ chat: () => '  ', models: { contextual_blurb: 'silent' } })
    await expect(empty.result).rejects.toThrow(/returned no text for chunk \d of /)
    expect(await store.info('RagContextual_smoke')).toEqual(before)
  })

  it('refuses to build from nothing', async () => {
    const store = await testStore()
    const cache = openBlurbCache(join(await temporaryFolder(), 'blurbs.sqlite'))
    onTestFinished(() => cache.close())
    const models = fakeModelHost()
    await expect(buildContextual({ store, models, cache, collections: COLLECTIONS })).rejects.toMatchObject({
      code: 'collection_missing',
    })
    expect(models.calls).toEqual([])
  })

  it('never has more than four blurb calls under way', async () => {
    let underWay = 0
    let most = 0
    const { build } = await world()
    const { result } = build({
      chat: async () => {
        most = Math.max(most, ++underWay)
        await new Promise((resolve) => setImmediate(resolve))
        underWay -= 1
        return 'Blurb.'
      },
    })
    await result
    expect(most).toBe(4)
  })
})

describe('builds', () => {
  it('lets a second caller join and shows progress', async () => {
    const { store, cache } = await world()
    const halfway = Promise.withResolvers<undefined>()
    const goOn = Promise.withResolvers<undefined>()
    const models = fakeModelHost({
      chat: async (_role, _request, call) => {
        if (call === 3) halfway.resolve(undefined)
        if (call >= 3) await goOn.promise
        return 'Blurb.'
      },
    })
    const builder = createCollectionBuilds((work) => buildContextual({ store, models, cache, ...work }))
    const first = builder.build(COLLECTIONS)
    const second = builder.build(COLLECTIONS)
    await halfway.promise
    expect(builder.progress()).toMatchObject({ smoke: { state: 'running', total: 7, error: null } })
    goOn.resolve(undefined)
    expect(await first).toBe(await second)
    expect(blurbCalls(models)).toHaveLength(7)
    await builder.close()
  })

  it('stops a build under way when it is closed', async () => {
    const { store, cache } = await world()
    const started = Promise.withResolvers<undefined>()
    const models = fakeModelHost()
    const stuck: typeof models = {
      ...models,
      chat: (_role, _request, signal) => {
        started.resolve(undefined)
        return new Promise((_resolve, reject) => {
          signal!.addEventListener('abort', () => reject(signal!.reason as Error))
        })
      },
    }
    const builder = createCollectionBuilds((work) => buildContextual({ store, models: stuck, cache, ...work }))
    const build = expect(builder.build(COLLECTIONS)).rejects.toThrow('the platform is stopping')
    await started.promise
    await builder.close()
    await build
    expect(await store.info('RagContextual_smoke')).toBeNull()
  })
})

describe('documents put together from chunks', () => {
  it('are the original, whatever the cuts and overlaps', () => {
    const words = fc.array(fc.constantFrom('alpha', 'beta.', 'gamma', 'δελτα', '😀'), { minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(words, fc.integer({ min: 5, max: 40 }), fc.integer({ min: 0, max: 4 }), (parts, size, overlap) => {
        const text = parts.join('')
        const chunks: StoredChunk[] = []
        for (let start = 0; start < text.length; start += size - overlap) {
          const end = Math.min(text.length, start + size)
          const content = text.slice(start, end)
          chunks.push({
            document: 'd',
            title: 't',
            chunkIndex: chunks.length,
            startChar: start,
            endChar: end,
            content,
            indexText: content,
          })
          if (end === text.length) break
        }
        const shuffled = chunks.toReversed()
        const whole = reassembleDocument(shuffled)
        expect(whole.text).toBe(text)
        for (const [index, chunk] of shuffled.entries())
          expect(whole.text.slice(whole.starts[index]).startsWith(chunk.content)).toBe(true)
      }),
    )
  })

  it('are shown around the chunk when they are long', () => {
    const text = Array.from({ length: 9000 }, (_, index) => `w${index}`).join(' ')
    const document = { text, starts: [0, Math.floor(text.length / 2), text.length - 10] }
    for (const index of [0, 1, 2]) {
      const shown = documentAround(document, index, 10)
      expect(shown.length).toBeLessThanOrEqual(MAX_DOCUMENT_CHARS)
      expect(shown.startsWith('w0 w1 ')).toBe(true)
      expect(shown).toContain(text.slice(document.starts[index], document.starts[index]! + 10))
    }
  })
})
