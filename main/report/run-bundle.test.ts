import { hash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { unzipSync, zipSync } from 'fflate'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../tests/helpers/temporary-folder.ts'
import { evidenceBytes } from '../../tests/helpers/report-project.ts'
import { sampleRow } from '../../tests/helpers/evidence-rows.ts'
import { readTraceTexts, TraceTexts, traceTextsPathFor } from '../evidence/traces/trace-texts.ts'
import { readOwnApproaches } from '../../core/own-approaches/read-approaches.ts'
import { trustedApproaches } from '../manifests/project/own-approaches.ts'
import { exportBundle, importBundle } from './run-bundle.ts'

let folder: string
let here: { root: string; resultsDir: string; named: Record<string, never> }
let there: { root: string; resultsDir: string }
let bundle: string
beforeEach(async () => {
  folder = await temporaryFolder('bundle')
  const place = (name: string) => ({ root: join(folder, name), resultsDir: join(folder, name, 'results') })
  here = { ...place('here'), named: {} }
  there = place('there')
  bundle = join(folder, 'run.zip')
  const { run_id, dataset } = sampleRow()
  await mkdir(here.resultsDir, { recursive: true })
  await mkdir(join(here.root, 'manifests/datasets'), { recursive: true })
  await mkdir(join(here.root, '.rag-ladder'))
  const prefix = join(here.resultsDir, `${run_id}-${dataset.id}`)
  await writeFile(`${prefix}-evidence.jsonl`, evidenceBytes([sampleRow()]))
  await writeFile(`${prefix}-evaluation.json`, '{"of": "the run"}')
  await writeFile(join(here.resultsDir, `${run_id}-2-${dataset.id}-evaluation.json`), '{"of": "another run"}')
  await writeFile(join(here.root, 'manifests/consumer.yaml'), 'version: 1\n')
  await writeFile(join(here.root, '.rag-ladder/models.yaml'), 'connections: {}\n')
})

const { run_id: RUN } = sampleRow()

/** The bundle with some entries replaced; null removes one. */
async function changed(change: Record<string, string | null>): Promise<void> {
  const entries = new Map<string, Uint8Array>(Object.entries(unzipSync(await readFile(bundle))))
  for (const [name, text] of Object.entries(change))
    if (text === null) entries.delete(name)
    else entries.set(name, Buffer.from(text))
  await writeFile(bundle, zipSync(Object.fromEntries(entries)))
}

describe('the bundle of a run', () => {
  it('holds manifests whose folder has a blank in its name, and is opened with them', async () => {
    await mkdir(join(here.root, 'manifests/my sets'))
    await writeFile(join(here.root, 'manifests/my sets/x.yaml'), 'version: 1\n')
    await writeFile(join(here.root, 'manifests/my sets/aux.yaml'), 'version: 1\n')
    await exportBundle(here, RUN, bundle)
    await importBundle(there, bundle)
    expect(await readdir(join(there.root, '.rag-ladder/bundles', RUN, 'my sets'))).toEqual(['x.yaml'])
  })

  it('brings no approach that a run could ask, wherever a stranger puts its file', async () => {
    const evil = 'version: 1\nkind: command\ncommand: [node, -e, ""]\n'
    await mkdir(join(here.root, 'manifests/approaches'))
    await writeFile(join(here.root, 'manifests/approaches/evil.yaml'), evil)
    await exportBundle(here, RUN, bundle)
    await importBundle(there, bundle)
    expect(await readdir(there.root)).not.toContain('approaches')
    expect(readOwnApproaches(there.root)).toEqual({ usable: [], unusable: [] })
    expect(trustedApproaches(there.root, { RAG_LADDER_USER_DIR: folder })).toEqual([])
    await rm(there.resultsDir, { recursive: true })
    for (const name of ['', 'manifests/../../../', 'artifacts/../../']) {
      await changed({ [`${name}approaches/evil.yaml`]: evil })
      await expect(importBundle(there, bundle)).rejects.toThrow('evil.yaml')
      await changed({ [`${name}approaches/evil.yaml`]: null })
    }
    expect(readOwnApproaches(there.root)).toEqual({ usable: [], unusable: [] })
  })

  it('is opened elsewhere with the same bytes, and holds neither another run nor the person’s own files', async () => {
    const written = await exportBundle(here, RUN, bundle)
    expect(written).toMatchObject({ runId: RUN, files: 3 })
    await importBundle(there, bundle)
    const names = (await readdir(there.resultsDir)).sort()
    expect(names.map((name) => name.replace(/^.*-(?=ev)/, ''))).toEqual(['evaluation.json', 'evidence.jsonl'])
    for (const name of names)
      expect(await readFile(join(there.resultsDir, name))).toEqual(await readFile(join(here.resultsDir, name)))
    const manifests = join(there.root, '.rag-ladder/bundles', RUN)
    expect(await readdir(manifests)).toEqual(['consumer.yaml'])
    // Its run was removed: it can be opened again.
    for (const name of names) await rm(join(there.resultsDir, name))
    await importBundle(there, bundle)
    expect((await readdir(there.resultsDir)).sort()).toEqual(names)
  })

  it('has the texts of its traces, and is refused where one does not match its digest', async () => {
    const { dataset } = sampleRow()
    const name = `${RUN}-${dataset.id}-evidence.jsonl`
    const texts = new TraceTexts(join(here.resultsDir, name))
    const sha256 = hash('sha256', 'asked')
    await texts.add(new Map([[sha256, 'asked']]))
    await texts.close()
    await exportBundle(here, RUN, bundle)
    await importBundle(there, bundle)
    const read = await readTraceTexts(join(there.resultsDir, name), new Set([sha256]))
    expect(read.get(sha256)).toBe('asked')
    await rm(bundle)
    await rm(there.resultsDir, { recursive: true })
    const path = traceTextsPathFor(join(here.resultsDir, name))
    await writeFile(path, (await readFile(path, 'utf8')).replace(sha256, hash('sha256', 'another')))
    await exportBundle(here, RUN, bundle)
    await expect(importBundle(there, bundle)).rejects.toThrow('do not match their digests')
  })

  it('is not opened over a run that is there, and not written over a file', async () => {
    await exportBundle(here, RUN, bundle)
    await expect(importBundle(here, bundle)).rejects.toThrow('exists already')
    expect((await readdir(here.resultsDir)).filter((name) => name.startsWith('.'))).toEqual([])
    await expect(exportBundle(here, RUN, bundle)).rejects.toThrow('name another file')
    await expect(exportBundle(here, 'none', join(folder, 'none.zip'))).rejects.toThrow('no evidence of a run none')
  })

  it.each<[string, (evidence: string) => Record<string, string | null>, string]>([
    ['a changed row', (evidence) => ({ [evidence]: '{}\n' }), 'its checksum differs'],
    ['a missing file', (evidence) => ({ [evidence]: null }), 'is missing'],
    ['no list', () => ({ 'bundle.json': null }), 'it is not an exported run'],
    ['a path that leaves the folder', () => ({ 'artifacts/../../evil.txt': 'x' }), 'cannot be unpacked'],
    ['a file that is not listed', () => ({ 'manifests/more.yaml': 'x' }), 'is not in its list'],
    ['a foreign file', () => ({ 'evil.sh': 'x' }), 'cannot be unpacked'],
  ])('with %s is refused, and nothing is left of it', async (_what, change, message) => {
    await exportBundle(here, RUN, bundle)
    const { dataset } = sampleRow()
    await changed(change(`artifacts/${RUN}-${dataset.id}-evidence.jsonl`))
    await expect(importBundle(there, bundle)).rejects.toThrow(message)
    expect(await readdir(there.resultsDir)).toEqual([])
  })

  it('that is not a zip file is refused', async () => {
    await writeFile(bundle, 'not a zip file')
    await expect(importBundle(there, bundle)).rejects.toThrow('not a zip file')
  })
})
