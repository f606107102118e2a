import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { OwnDatasetFile, ownDatasetOf } from '../../../contract/manifests/datasets.ts'
import { PROJECT_ROOT } from '../../../tests/helpers/project-root.ts'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { loadExperiment } from '../experiment.ts'
import { findRevision } from '../project/program-revision.ts'
import { providerSelection, readersOf } from './provider-selection.ts'

const { datasets } = await loadExperiment(PROJECT_ROOT)
const profileOf = (id: string) => datasets.find(({ dataset }) => dataset.id === id)!.profile

describe('providerSelection', () => {
  it('names the services that read a corpus, and addresses without their credentials', async () => {
    const env = { DOCCONV_ENDPOINT: 'http://user:word@convert.example:8000/?key=1', RERANKER_URL: '' }
    expect(await providerSelection(PROJECT_ROOT, profileOf('mixed_formats'), 'embedded', env)).toEqual({
      converter: 'http://convert.example:8000',
      'graph-engine': 'embedded',
      platform: 'embedded',
      plugin: 'embedded',
      reranker: 'embedded',
      'vector-store': 'embedded',
      'speech-to-text': 'not needed',
      workflow: 'embedded',
    })
    const spoken = await providerSelection(PROJECT_ROOT, profileOf('spoken_notes'), 'embedded', {})
    expect(spoken).toMatchObject({ 'speech-to-text': 'embedded' })
  })

  it('names the services that read the documents of a person’s own dataset', async () => {
    const root = await temporaryFolder()
    const documents = join(root, 'datasets/mine/documents/north')
    await mkdir(documents, { recursive: true })
    for (const name of ['plan.docx', 'note.flac']) await writeFile(join(documents, name), '')
    const { profile } = ownDatasetOf('mine', OwnDatasetFile.parse({ version: 1, label: 'Mine', questions: [] }))
    expect(await readersOf(root, profile)).toEqual(['converter', 'stt'])
  })

  it('claims nothing about the services of an external platform', async () => {
    const env = { DOCCONV_ENDPOINT: 'http://127.0.0.1:1' }
    const { platform, ...others } = await providerSelection(PROJECT_ROOT, profileOf('smoke'), 'external', env)
    expect(platform).toBe('external')
    expect(new Set(Object.values(others))).toEqual(new Set(['unknown']))
  })
})

describe('findRevision', () => {
  it('takes the variable first, then the checkout, and is null for a folder inside another checkout', async () => {
    expect(await findRevision(PROJECT_ROOT, { RAG_LADDER_REVISION: 'abc' })).toBe('abc')
    expect(await findRevision(PROJECT_ROOT, {})).toMatch(/^[0-9a-f]{40}(-dirty)?$/)
    expect(await findRevision(join(PROJECT_ROOT, 'main'), {})).toBeNull()
  })

  it('is dirty by a change of the program, and not by what a run publishes into the checkout', async () => {
    const folder = await temporaryFolder('revision')
    const git = (...args: string[]): string =>
      execFileSync('git', ['-C', folder, '-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args])
        .toString()
        .trim()
    for (const name of ['main', 'docs/results', 'manifests']) await mkdir(join(folder, name), { recursive: true })
    await writeFile(join(folder, 'main/cli.ts'), 'a')
    await writeFile(join(folder, 'manifests/datasets.yaml'), 'a')
    await writeFile(join(folder, 'docs/results/run.json'), 'a')
    git('init', '--quiet')
    git('add', '.')
    git('commit', '--quiet', '-m', 'first')
    const revision = git('rev-parse', 'HEAD')
    await writeFile(join(folder, 'docs/results/run.json'), 'b')
    await writeFile(join(folder, 'manifests/datasets.yaml'), 'published: b')
    expect(await findRevision(folder, {})).toBe(revision)
    await writeFile(join(folder, 'main/cli.ts'), 'b')
    expect(await findRevision(folder, {})).toBe(`${revision}-dirty`)
  })
})
