import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { PROJECT_ROOT } from '../../../tests/helpers/project-root.ts'
import { loadExperiment } from '../experiment.ts'
import { ageWords, digestsToPublish, publishedAge } from './published-age.ts'
import { readDigests } from './read-digests.ts'

const revision = '19d2e2c30ecfe69c14e20814d005ff7ea85261bd'

it('ageWords names the revision and counts what has changed, and is null where nothing has or the age is unknown', () => {
  expect(ageWords({ revision, changed: ['main/runner/cells/call-approach.ts'] })).toBe(
    'Published with revision 19d2e2c30ecf, which is older than this version: 1 part of what makes answers or scores has changed since. A run of this version can give other figures.',
  )
  expect(ageWords({ revision, changed: [] })).toBeNull()
  expect(ageWords({ revision, changed: null })).toBeNull()
})

describe('publishedAge', () => {
  const of = async (commit: string | null) => {
    const experiment = await loadExperiment(PROJECT_ROOT)
    const runtime = { repository: { revision: commit, dirty: false, patch_sha256: null } }
    return publishedAge(experiment, experiment.datasets[0]!, { reproducibility: { runtime } } as never)
  }

  it('does not know the age of a commit that git does not have, and has none without a commit', async () => {
    expect(await of('0'.repeat(40))).toEqual({ revision: '0'.repeat(40), changed: null })
    expect(await of(null)).toBeNull()
  })

  it('counts no page, no command and no test as changed', async () => {
    const { changed } = (await of(revision))!
    // A shallow clone does not have the commit.
    for (const file of changed ?? [])
      expect(file).toMatch(/^(contract|main\/(evaluation|judge|runner|statistics)|providers|core|manifests|corpus)\//)
  })

  it('compares with the digests that a publication kept where git no longer has the commit', async () => {
    const experiment = await loadExperiment(PROJECT_ROOT)
    const [dataset] = experiment.datasets
    const lost = '0'.repeat(40)
    const ageWith = (made_by: Record<string, string>, root = experiment.root) => {
      const published = { run_id: 'r', ingestion: null, artifacts: [], made_by }
      const runtime = { repository: { revision: lost, dirty: false, patch_sha256: null } }
      return publishedAge({ ...experiment, root }, { ...dataset!, dataset: { ...dataset!.dataset, published } }, {
        reproducibility: { runtime },
      } as never)
    }
    const { changed: every } = (await ageWith({}))!
    expect(every).toEqual(
      expect.arrayContaining(['core/chunking', 'core/refused-by-rule.ts', 'main/statistics', 'providers/platform']),
    )
    // A project elsewhere does not hold the program: nothing can be said of its code there.
    const { changed: there } = (await ageWith({ 'main/statistics': 'a'.repeat(64) }, join(tmpdir(), 'no-project')))!
    expect(there).not.toContain('main/statistics')
    expect(
      await digestsToPublish(experiment, dataset!, {
        reproducibility: { runtime: { repository: { revision: lost } } },
      } as never),
    ).toBeUndefined()
  })
})

describe('readDigests', () => {
  const folderWith = async (files: Record<string, string>) => {
    const root = await temporaryFolder()
    for (const [name, text] of Object.entries(files)) {
      await mkdir(join(root, name, '..'), { recursive: true })
      await writeFile(join(root, name), text)
    }
    return root
  }
  const reads = {
    files: ['code'],
    manifests: [{ file: 'm.yaml', part: ({ seed }: Record<string, unknown>) => ({ seed }) }],
    corpus: 'corpus',
  }
  const start = { 'code/a.ts': '1', 'code/b/c.ts': '2', 'm.yaml': 'seed: 1\nname: x\n', 'corpus/d.md': 'text' }
  const digestsOf = async (files: Record<string, string>) => readDigests(await folderWith(files), reads)

  it.each([
    ['a changed file', { 'code/b/c.ts': '3' }, ['code']],
    ['an added file', { 'code/e.ts': '' }, ['code']],
    ['a changed document', { 'corpus/d.md': 'other' }, ['corpus']],
    ['a value of the manifest that is read', { 'm.yaml': 'seed: 2\nname: x\n' }, ['m.yaml']],
    ['a value that is not read, and a test', { 'm.yaml': 'seed: 1 # one\nname: y\n', 'code/a.test.ts': '' }, []],
  ])('tells %s', async (_, change, changed) => {
    const before = await digestsOf(start)
    const after = await digestsOf({ ...start, ...change })
    expect(Object.keys(before)).toEqual(['code', 'corpus', 'm.yaml'])
    expect(Object.keys(before).filter((part) => before[part] !== after[part])).toEqual(changed)
  })
})
