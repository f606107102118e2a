import { spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readFile, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { startFileServer, type FileServer } from '../../../tests/helpers/file-server.ts'
import { hubFiles, isPinned, type DeclaredModel } from './declared-model.ts'
import { ModelStore, type ModelProgress, type ModelStoreSettings } from './model-store.ts'

const WEIGHTS = Buffer.from(Uint32Array.from({ length: 50_000 }, (_, i) => i * 2_654_435_761).buffer)
const WORDS = Buffer.from('salt\nsea\n')
const sha256 = (bytes: Buffer): string => hash('sha256', bytes)

let server: FileServer
let cache: string
let model: DeclaredModel
beforeEach(async () => {
  server = await startFileServer()
  server.files.set('/weights.onnx', WEIGHTS).set('/words.txt', WORDS)
  cache = await temporaryFolder('models')
  model = {
    id: 'someone/small-model',
    license: 'CC-BY-4.0',
    sourcePage: 'https://example.org/small-model',
    files: [
      {
        path: 'onnx/weights.onnx',
        url: `${server.url}/weights.onnx`,
        sizeBytes: WEIGHTS.length,
        sha256: sha256(WEIGHTS),
      },
      { path: 'words.txt', url: `${server.url}/words.txt`, sizeBytes: null, sha256: sha256(WORDS) },
    ],
  }
})
afterEach(() => server.close())

const settings = (more: Partial<ModelStoreSettings> = {}): ModelStoreSettings => ({
  cacheFolder: cache,
  hub: server.url,
  isOffline: false,
  retryMs: 1,
  ...more,
})
const store = (more: Partial<ModelStoreSettings> = {}) => new ModelStore(settings(more))
const kept = async (): Promise<string[]> =>
  (await readdir(join(cache, 'someone/small-model'), { recursive: true })).filter((name) => name !== 'onnx').sort()
/** Breaks the connection whenever so many bytes have been stored. */
const cutAt =
  (...bytes: number[]) =>
  ({ receivedBytes }: ModelProgress): void => {
    if (bytes.includes(receivedBytes)) server.cut()
  }
const WHOLE = ['.verified.json', 'onnx/weights.onnx', 'words.txt']

describe('a model at its first use', () => {
  it('is fetched with progress in bytes, and not a second time', async () => {
    const seen: ModelProgress[] = []
    const { file } = await store().ensure(model, { onProgress: (progress) => seen.push(progress) })
    expect(await readFile(file('onnx/weights.onnx'))).toEqual(WEIGHTS)
    expect(await kept()).toEqual(WHOLE)
    const total = WEIGHTS.length + WORDS.length
    expect(seen[0]).toMatchObject({ receivedBytes: 0, totalBytes: WEIGHTS.length, license: 'CC-BY-4.0' })
    expect(seen.at(-1)).toEqual({
      model: model.id,
      license: 'CC-BY-4.0',
      file: 'words.txt',
      receivedBytes: total,
      totalBytes: total,
    })
    expect(seen.every(({ receivedBytes }, i) => i === 0 || receivedBytes >= seen[i - 1]!.receivedBytes)).toBe(true)
    await store({ isOffline: true }).ensure(model)
    expect(server.requests).toEqual(['/weights.onnx whole', '/words.txt whole'])
  })

  it('goes on where the connection broke, and from the start where the server or the file does not let it', async () => {
    server.faults = [{ hangAfter: 70_000 }, { hangAfter: 50_000 }]
    await store().ensure(model, { onProgress: cutAt(70_000, 120_000) })
    expect(server.requests.slice(0, 3)).toEqual([
      '/weights.onnx whole',
      '/weights.onnx bytes=70000-',
      '/weights.onnx bytes=120000-',
    ])
    for (const second of [{ ignoresRange: true }, { status: 503 }]) {
      await store().remove(model)
      server.requests = []
      server.faults = [{ hangAfter: 70_000 }, second]
      const { file } = await store().ensure(model, { onProgress: cutAt(70_000) })
      expect(server.requests[1]).toBe('/weights.onnx bytes=70000-')
      expect(await readFile(file('onnx/weights.onnx'))).toEqual(WEIGHTS)
    }
  })

  it.each([true, false])(
    'is whole when the file changed between two tries (the server reports versions: %s)',
    async (hasTags) => {
      server.hasTags = hasTags
      server.files.set('/weights.onnx', Buffer.alloc(WEIGHTS.length, 1))
      server.faults = [{ hangAfter: 70_000 }, { status: 404 }]
      await expect(store().ensure(model, { onProgress: cutAt(70_000) })).rejects.toMatchObject({
        code: 'refused',
        file: 'onnx/weights.onnx',
      })
      server.files.set('/weights.onnx', WEIGHTS)
      const { file } = await store().ensure(model)
      expect(await readFile(file('onnx/weights.onnx'))).toEqual(WEIGHTS)
    },
  )

  it('is finished by the next try when everything had arrived but the last step', async () => {
    await mkdir(join(cache, 'someone/small-model/onnx'), { recursive: true })
    await writeFile(join(cache, 'someone/small-model/onnx/weights.onnx.part'), WEIGHTS)
    const { file } = await store().ensure(model)
    expect(await readFile(file('onnx/weights.onnx'))).toEqual(WEIGHTS)
    expect(server.requests[0]).toBe(`/weights.onnx bytes=${WEIGHTS.length}-`)
  })

  it('takes size and checksum from the hub where the declaration has none', async () => {
    const [onHub] = hubFiles('a/b', 'main', [{ path: 'weights.onnx' }])
    server.files.set('/a/b/resolve/main/weights.onnx', WEIGHTS)
    const declared = { ...model, files: [onHub!] }
    const hub = `${server.url}/hub`
    await expect(store().ensure(declared)).rejects.toMatchObject({ code: 'no_checksum', file: 'weights.onnx' })
    expect(await readFile((await store({ hub }).ensure(declared)).file('weights.onnx'))).toEqual(WEIGHTS)
  })

  it('is fetched once by two that want it at the same time', async () => {
    await Promise.all([store().ensure(model), store().ensure(model)])
    expect(server.requests).toHaveLength(2)
  })

  it('can be cancelled', async () => {
    server.faults = [{ hangAfter: 1000 }]
    const stop = new AbortController()
    const onProgress = ({ receivedBytes }: ModelProgress) => {
      if (receivedBytes > 0) stop.abort(new Error('enough'))
    }
    await expect(store().ensure(model, { signal: stop.signal, onProgress })).rejects.toThrow('enough')
  })
})

describe('what is unavailable', () => {
  it('names file, folder and what works meanwhile when there is no network', async () => {
    await server.close()
    const error = await store()
      .ensure(model, { meanwhile: 'pocketsphinx would work now' })
      .catch((cause: unknown) => cause)
    expect(error).toMatchObject({
      code: 'offline',
      file: 'onnx/weights.onnx',
      folder: join(cache, 'someone/small-model'),
    })
    expect((error as Error).message).toContain('onnx/weights.onnx of the model someone/small-model (CC-BY-4.0)')
    expect((error as Error).message).toContain(join(cache, 'someone/small-model'))
    expect((error as Error).message).toMatch(/pocketsphinx would work now$/)
    await expect(store({ isOffline: true }).ensure(model)).rejects.toThrow('the network is not to be used')
  })

  it('throws away what has the wrong checksum, and reports it', async () => {
    server.files.set('/weights.onnx', Buffer.alloc(WEIGHTS.length))
    await expect(store().ensure(model)).rejects.toMatchObject({ code: 'checksum_mismatch', file: 'onnx/weights.onnx' })
    expect(await kept()).toEqual([])
  })

  it.each([
    ['a refusal', { status: 403 }, 'refused', 1],
    ['trouble that does not pass', { status: 503 }, 'refused', 4],
    ['silence', { hangAfter: 1000 }, 'interrupted', 5],
  ])('reports %s', async (_name, fault, code, tries) => {
    server.faults = Array.from({ length: 20 }, (_, i) => (i > 0 && 'hangAfter' in fault ? { hangAfter: 0 } : fault))
    await expect(store({ stallMs: 150 }).ensure(model)).rejects.toMatchObject({ code })
    expect(server.requests).toHaveLength(tries)
  })

  it('reports a server that sends more than was declared', async () => {
    server.files.set('/weights.onnx', Buffer.alloc(WEIGHTS.length + 1))
    await expect(store().ensure(model)).rejects.toThrow(`more than ${WEIGHTS.length} bytes`)
  })

  it('reports a folder that cannot be written', async () => {
    await writeFile(join(cache, 'someone'), 'a file where a folder should be')
    await expect(store().ensure(model)).rejects.toMatchObject({ code: 'not_writable' })
  })

  it('does not leave the cache for any name', () => {
    for (const id of ['../up', 'a/../../b', '/etc', 'a//b', '.hidden', 'a\\b'])
      expect(() => store().folderOf({ ...model, id })).toThrow('is not the name of a model')
  })
})

describe('a model whose source names no commit and whose files have no declared checksum', () => {
  const record = () => join(cache, 'someone/small-model.first-fetch.json')
  const onHub = () => store({ hub: `${server.url}/hub` })
  const words = '/a/b/resolve/main/words.txt'
  let unpinned: DeclaredModel
  beforeEach(() => {
    unpinned = { ...model, files: hubFiles('a/b', 'main', [{ path: 'words.txt' }]) }
    server.files.set(words, WORDS)
  })

  it('is distinguished from those that are pinned, by a checksum or by a commit', () => {
    const files = hubFiles('a/b', '8f23f0c03c8761650bdb5b40aaf3e40d2c15f1ce', [{ path: 'words.txt' }])
    expect([model, { ...model, files }, unpinned].map(isPinned)).toEqual([true, true, false])
  })

  it('is refused before its first byte when its source has replaced a file, until the record is deleted', async () => {
    await onHub().ensure(unpinned)
    expect(JSON.parse(await readFile(record(), 'utf8'))).toEqual({
      version: 1,
      files: { 'words.txt': { sha256: sha256(WORDS), fetchedAt: expect.stringMatching(/^\d{4}-.*Z$/) } },
    })
    await onHub().remove(unpinned)
    await onHub().ensure(unpinned)
    await onHub().remove(unpinned)
    const other = Buffer.from('sugar\n')
    server.files.set(words, other)
    const refused = await onHub()
      .ensure(unpinned)
      .catch((error: unknown) => error as Error)
    expect(refused).toMatchObject({ code: 'changed', file: 'words.txt' })
    for (const part of [sha256(WORDS), sha256(other), `delete ${record()} and fetch again`])
      expect((refused as Error).message).toContain(part)
    expect(await onHub().isPresent(unpinned)).toBe(false)
    await rm(record())
    const { file } = await onHub().ensure(unpinned)
    expect(await readFile(file('words.txt'))).toEqual(other)
  })

  it('is refused after it arrived where the server does not report its checksum beforehand', async () => {
    await onHub().ensure(unpinned)
    await onHub().remove(unpinned)
    server.files.set(words, Buffer.from('sugar\n'))
    await expect(store().ensure(unpinned)).rejects.toMatchObject({ code: 'changed' })
    server.files.set(words, WORDS)
    await store().ensure(unpinned)
    expect(await store().sizeOnDisk(unpinned)).toBe(WORDS.length)
  })

  it('is refused while its record cannot be read', async () => {
    await mkdir(join(cache, 'someone'), { recursive: true })
    await writeFile(record(), '{"version":1')
    await expect(onHub().ensure(unpinned)).rejects.toMatchObject({
      code: 'changed',
      message: expect.stringContaining(`delete ${record()}`),
    })
    expect(server.requests).toEqual([])
  })
})

it('a local folder is taken as it is, without network', async () => {
  const local = join(cache, 'mine')
  await mkdir(join(local, 'onnx'), { recursive: true })
  await writeFile(join(local, 'words.txt'), 'my own')
  await expect(store().ensure(model, { localFolder: local })).rejects.toMatchObject({
    code: 'missing',
    message: `The folder ${local} lacks onnx/weights.onnx of the model someone/small-model; see https://example.org/small-model`,
  })
  await writeFile(join(local, 'onnx/weights.onnx'), 'my own')
  expect((await store().ensure(model, { localFolder: local })).folder).toBe(local)
  expect(server.requests).toEqual([])
})

describe('a file of the cache', () => {
  it('that was damaged without a trace is found when the model does not load, set aside and downloaded again', async () => {
    const { file } = await store().ensure(model)
    const path = file('onnx/weights.onnx')
    const parse = async () => {
      if (!(await readFile(path)).equals(WEIGHTS)) throw new Error('no such operator')
      return 'loaded'
    }
    expect(await store().open(model, parse)).toBe('loaded')
    const now = new Date()
    await utimes(path, now, now)
    await store().ensure(model)
    await writeFile(path, Buffer.alloc(WEIGHTS.length))
    await utimes(path, now, now)
    await expect(store().open(model, parse)).rejects.toMatchObject({ code: 'damaged', file: 'onnx/weights.onnx' })
    expect(await kept()).toEqual(['.verified.json', 'onnx/weights.onnx.damaged', 'words.txt'])
    expect(await store().open(model, parse)).toBe('loaded')
  })

  it('that another program replaced is found before it is used', async () => {
    const { file } = await store().ensure(model)
    await writeFile(file('words.txt'), 'something else')
    await store().ensure(model)
    expect(await readFile(file('words.txt'))).toEqual(WORDS)
    expect(await kept()).toEqual([...WHOLE, 'words.txt.damaged'])
  })

  it('is not blamed for what is wrong elsewhere', async () => {
    const load = () => Promise.reject(new Error('out of memory'))
    await expect(store().open(model, load)).rejects.toThrow('out of memory')
    expect(await kept()).toEqual(WHOLE)
  })

  it('that a person put there is verified and not fetched', async () => {
    await mkdir(join(cache, 'someone/small-model/onnx'), { recursive: true })
    await writeFile(join(cache, 'someone/small-model/onnx/weights.onnx'), WEIGHTS)
    await writeFile(join(cache, 'someone/small-model/words.txt'), WORDS)
    await store({ isOffline: true }).ensure(model)
    expect(server.requests).toEqual([])
  })

  it('is gone when the model is removed', async () => {
    await store().ensure(model)
    expect(await store().isPresent(model)).toBe(true)
    expect([await store().remove(model), await store().remove(model)]).toEqual([true, false])
    expect(await store().isPresent(model)).toBe(false)
  })
})

it('another process waits for a download, and goes on with it when its process is killed', async () => {
  server.faults = [{ hangAfter: 90_000 }]
  const script = `
    import { ModelStore } from ${JSON.stringify(join(import.meta.dirname, 'model-store.ts'))}
    const onProgress = ({ receivedBytes }) => receivedBytes === 90_000 && console.log('under way')
    await new ModelStore(${JSON.stringify(settings())}).ensure(${JSON.stringify(model)}, { onProgress })`
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  const waiting = store().ensure(model)
  expect(server.requests).toHaveLength(1)
  child.kill('SIGKILL')
  const { file } = await waiting
  expect(await readFile(file('onnx/weights.onnx'))).toEqual(WEIGHTS)
  expect(server.requests[1]).toBe('/weights.onnx bytes=90000-')
})
