import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { ConversionResult } from '../../contract/http/conversion.ts'
import { LocalService } from '../../main/engine/services/local-service.ts'
import { installedServices } from '../../main/engine/services/service-definitions.ts'
import { loadExperiment } from '../../main/manifests/experiment.ts'
import { createNodeLauncher } from '../../main/supervisor/node-launcher.ts'
import { converterParser } from '../../providers/platform/ingestion/parsers.ts'
import { fuzzConverter } from '../helpers/conversion/fuzz.ts'
import { longPdf } from '../helpers/conversion/raw-pdf.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'

const CORPUS = join(PROJECT_ROOT, 'corpus', 'mixed_formats')
const TOKEN = 'right'
const FORMATS = ['pdf', 'docx', 'doc', 'pptx', 'ppt', 'xlsx', 'html', 'png', 'jpg', 'tiff']

let folder: string
let service: LocalService
let url: string
const states: string[] = []
let papers: Map<string, Buffer<ArrayBuffer>>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rag-ladder-conversion-'))
  // Old formats by our own readers, as on a machine without LibreOffice, wherever this runs.
  vi.stubEnv('LIBREOFFICE_PATH', join(folder, 'none'))
  const names = await readdir(CORPUS)
  papers = new Map(await Promise.all(names.map(async (name) => [name, await readFile(join(CORPUS, name))] as const)))
  service = new LocalService(
    installedServices().find(({ name }) => name === 'converter')!,
    {
      launcher: createNodeLauncher(),
      env: { DOCCONV_PORT: '0', DOCCONV_API_TOKEN: TOKEN },
      stateDir: folder,
      changed: ({ state }) => void states.push(state),
      need: async () => ({}),
    },
  )
  url = (await service.address('panel')).url
})
afterAll(async () => {
  await service.stop()
  vi.unstubAllEnvs()
  await rm(folder, { recursive: true, force: true })
})

async function convert(name: string, bytes: Uint8Array<ArrayBuffer>, fields: Record<string, string> = {}) {
  const form = new FormData()
  form.append('file', new Blob([bytes]), name)
  for (const [field, value] of Object.entries(fields)) form.append(field, value)
  const response = await fetch(`${url}/v1/document/convert`, {
    method: 'POST',
    body: form,
    headers: { authorization: `Bearer ${TOKEN}` },
  })
  return { status: response.status, body: (await response.json()) as ConversionResult & { detail: unknown } }
}

const file = (name: string, bytes: Buffer) => ({
  path: name,
  sizeBytes: bytes.length,
  sha256: '',
  read: async () => bytes,
})

/** Most memory that any child of a process has had so far, in bytes. */
async function peakOfChildren(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'pid=', '--ppid', String(pid)])
  const peaks = stdout
    .trim()
    .split(/\s+/)
    .map(async (child) => Number(/VmHWM:\s+(\d+) kB/.exec(await readFile(`/proc/${child}/status`, 'utf8'))![1]) * 1024)
  return Math.max(...(await Promise.all(peaks)))
}

describe('the converter under the supervisor', () => {
  // The first: its process has done nothing else yet.
  it('reads a thousand pages within bounded memory', async () => {
    const { status, body } = await convert('long.pdf', longPdf(1000))
    expect([status, body.metadata.pages, body.content.match(/lifted load/g)?.length]).toEqual([200, 1000, 38_000])
    if (process.platform === 'linux') expect(await peakOfChildren(service.track.pid!)).toBeLessThan(600e6)
  })

  it('gives every gold fact of the mixed_formats corpus, whatever the format, with pages and sections', async () => {
    const { datasets } = await loadExperiment(PROJECT_ROOT)
    const { questions } = datasets.find(({ dataset }) => dataset.id === 'mixed_formats')!
    const parser = converterParser({ url, token: TOKEN })
    const read = new Map<string, ConversionResult>()
    for (const [name, bytes] of papers) {
      expect(parser.accepts({ path: name })).toBe(true)
      const { status, body } = await convert(name, bytes, { enable_chunking: 'true' })
      expect([name, status]).toEqual([name, 200])
      read.set(name, body)
    }
    await parser.close()
    expect(new Set([...read.values()].map(({ metadata }) => metadata.source_format))).toEqual(new Set(FORMATS))
    expect(questions).toHaveLength(12)
    const missing = questions.flatMap(({ id, gold }) =>
      gold
        .filter(({ document, fact }) => !read.get(document)!.content.includes(fact ?? ''))
        .map(({ document, fact }) => `${id}, ${document}: ${fact}`),
    )
    expect(missing).toEqual([])
    const log = read.get('storm-log.tif')!
    expect(log.metadata).toMatchObject({ source_format: 'tiff', pages: 2, ocr_pages: 2 })
    expect(log.chunks!.map(({ metadata }) => [metadata.section_title, metadata.page])).toEqual([
      ['Storm log, first sheet', 1],
      ['Storm log, second sheet', 2],
    ])
    const pagesOf = (name: string): unknown[] => [
      ...new Set(read.get(name)!.chunks!.map(({ metadata }) => metadata.page)),
    ]
    expect(['tug-briefing.ppt', 'visitors.html', 'pilot-handbook.docx', 'dredging-memo.doc'].map(pagesOf)).toEqual([
      [1, 2],
      [null],
      [null],
      [null],
    ])
  })

  it('recognizes always or never where it is set', async () => {
    const never = await convert('storm-log.tif', papers.get('storm-log.tif')!, { use_ocr: 'never' })
    expect([never.body.content.trim().split(/\s*\n\s*/), never.body.metadata.images]).toEqual([
      ['<!-- image -->', '<!-- image -->'],
      2,
    ])
    const always = await convert('annual-report.pdf', papers.get('annual-report.pdf')!, { use_ocr: 'always' })
    expect(always.body.metadata.ocr_pages).toBe(1)
    expect(always.body.content).toContain('| Containers | 188 | 243 |')
  })

  it('ends every damaged file in a refusal or in content, and stays up', async () => {
    const quick = new Map([...papers].filter(([name]) => /(report\.pdf|\.(ppt|xlsx|docx|pptx|html))$/.test(name)))
    const { wrong, refused, converted } = await fuzzConverter(url, TOKEN, quick, 24)
    expect(wrong).toEqual([])
    expect(refused + converted).toBe(24)
    expect(refused).toBeGreaterThan(3)
  })

  it('killed in the middle of a conversion, it restarts on the same port, reads that document again, and works', async () => {
    const parser = converterParser({ url, token: TOKEN })
    const scan = papers.get('storm-log.tif')!
    const read = parser.parse(file('storm-log.tif', scan), AbortSignal.timeout(60_000), async () => [])
    // Its one place is taken: the conversion is under way. A request without a form holds that place for an instant only.
    const probe = async (): Promise<number> =>
      (await fetch(`${url}/v1/document/convert`, { method: 'POST', headers: { authorization: `Bearer ${TOKEN}` } }))
        .status
    await expect.poll(probe, { interval: 100, timeout: 15_000 }).toBe(429)
    const seen = states.length
    process.kill(service.track.pid!, 'SIGKILL')
    await expect.poll(() => states.slice(seen), { timeout: 30_000 }).toContain('ready')
    expect(await read).toMatchObject({ title: 'Storm log, first sheet' })
    expect((await service.address('panel')).url).toBe(url)
    const page = file('visitors.html', papers.get('visitors.html')!)
    expect((await parser.parse(page, AbortSignal.timeout(60_000), async () => [])).title).toBe('Visiting the harbour')
    await parser.close()
  })
})
