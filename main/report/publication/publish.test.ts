import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Matrix } from '../../../contract/evidence/matrix.ts'
import { DatasetCatalogue, PublishedRun } from '../../../contract/manifests/datasets.ts'
import { catalogueText, evidenceBytes, projectWith, writeRun } from '../../../tests/helpers/report-project.ts'
import { fixtureDataset, goldenRows, REPORT_RUN, streamOf } from '../../../tests/helpers/report-rows.ts'
import { artifactFiles } from '../../evidence/files/artifact-files.ts'
import { loadManifest } from '../../manifests/load-manifest.ts'
import { aggregateText } from '../aggregate/aggregate-run.ts'
import { summarizeFolder } from './folder-summaries.ts'
import { readPublished, unpackedFolderForUse } from './published-folder.ts'
import { leftOverNotice, publish, whilePublishing, withPublished } from './publish.ts'
import { summaryContextFromRows } from '../aggregate/run-summary.ts'
import { writeArtifacts } from './write-artifacts.ts'

const first = fixtureDataset('subset', 'Subset', 1)
const second = fixtureDataset('graph_native', 'Graph-native', 2)
let root: string
let datasetsFile: string
beforeEach(async () => {
  ;({ root, datasetsFile } = await projectWith([first, second]))
  await writeRun(join(root, 'results'), first)
})
afterEach(() => rm(root, { recursive: true, force: true }))

const publication = (dataset = first) => ({
  root,
  datasetsFile,
  files: artifactFiles(join(root, 'results'), REPORT_RUN, dataset.id),
  runId: REPORT_RUN,
  datasetId: dataset.id,
  expectedCells: goldenRows(dataset).length,
})
const below = (path: string) => readFile(join(root, path), 'utf8')

describe('publish', () => {
  it('copies the artifacts, names them in the catalogue, and writes report and index', async () => {
    const outcome = await publish(publication())
    const made = ['evidence.jsonl', 'evaluation.json', 'matrix.json'].map((end) => `${REPORT_RUN}-subset-${end}`)
    const names = made.map((name) => (name.endsWith('-evaluation.json') ? name : `${name}.br`))
    expect(outcome).toEqual({
      ok: true,
      written: [
        ...names.map((name) => `docs/results/${name}`),
        datasetsFile,
        'docs/results/subset.md',
        'docs/results/ladder.html',
        'docs/results/README.md',
      ],
      leftOver: [],
    })
    expect((await readdir(join(root, 'docs/results'))).toSorted()).toEqual(
      ['README.md', 'ladder.html', ...names, 'subset.md'].toSorted(),
    )
    for (const [at, name] of made.entries()) {
      const content = await below(`results/${name}`)
      expect((await readPublished(join(root, 'docs/results', names[at]!))).toString()).toBe(content)
      expect(await below(`.rag-ladder/published/${name}`)).toBe(content)
    }
    const { datasets } = await loadManifest(root, datasetsFile, DatasetCatalogue)
    expect(datasets[0]!.published).toMatchObject({ run_id: REPORT_RUN, ingestion: { job_id: 'job-subset' } })
    expect(datasets[0]!.published!.artifacts.map(({ file }) => file)).toEqual(
      names.map((name) => `docs/results/${name}`),
    )
    expect(datasets[1]).not.toHaveProperty('published')
    expect(await below('docs/results/README.md')).toContain('[Subset](subset.md)')
    expect(await below('docs/results/README.md')).toContain('not published')
  })

  it('notes the publication of a dataset with a file of its own in that file alone', async () => {
    const file = 'manifests/datasets/subset.yaml'
    const manifest = '# Ours.\nversion: 1\nlabel: Subset\nquestions:\n  - { id: q-1, query: Who? } # one\n'
    await mkdir(join(root, 'manifests/datasets'))
    await writeFile(join(root, file), manifest)
    const catalogue = catalogueText([second])
    await writeFile(join(root, datasetsFile), catalogue)
    expect(await publish(publication())).toMatchObject({ ok: true, written: expect.arrayContaining([file]) })
    const text = await below(file)
    expect(text.startsWith(`${manifest}published:\n  run_id: ${REPORT_RUN}\n`)).toBe(true)
    expect(await below(datasetsFile)).toBe(catalogue)
    expect(await below('docs/results/README.md')).toContain('Subset')
  })

  it('takes a run that only its rows describe, whose matrix judge wrote in the order of the summary', async () => {
    const { files, runId } = publication()
    // Rows as an external gateway answered them: neither in the order of the questions nor of the ladder.
    const rows = goldenRows(first).toReversed()
    await writeFile(files.evidence, evidenceBytes(rows))
    await writeArtifacts(files, streamOf(rows), summaryContextFromRows(runId, first.id))
    expect(await publish(publication())).toMatchObject({ ok: true })
    const { models } = Matrix.parse(JSON.parse(await readFile(files.matrix, 'utf8')))
    expect(models[0]).toBe('vanilla-rag')
  })

  it('lists a published summary that cannot be read, and publishes the other dataset', async () => {
    await publish(publication())
    await writeFile(join(root, `docs/results/${REPORT_RUN}-subset-evaluation.json`), '{"torn')
    await writeRun(join(root, 'results'), second)
    expect(await publish(publication(second))).toMatchObject({ ok: true })
    expect(await below('docs/results/README.md')).toContain('subset-evaluation.json: not JSON')
    expect(await below('docs/results/ladder.html')).toContain('subset-evaluation.json: not JSON')
  })

  it('names no dataset of a person in what is published', async () => {
    await mkdir(join(root, 'datasets/mine'), { recursive: true })
    await writeFile(
      join(root, 'datasets/mine/dataset.yaml'),
      'version: 1\nlabel: Letters to my lawyer\nquestions: []\n',
    )
    expect(await publish(publication())).toMatchObject({ ok: true })
    for (const page of ['README.md', 'ladder.html']) {
      expect(await below(`docs/results/${page}`)).toContain('Subset')
      expect(await below(`docs/results/${page}`)).not.toContain('Letters to my lawyer')
    }
  })

  it.each([
    ['is broken', 'mine', 'version: 1\nlabel: ['],
    ['has a question with an error', 'mine', 'version: 1\nlabel: Mine\nquestions: [{ id: q-1 }]\n'],
    ['has a folder name that is no id', 'my letters', 'version: 1\nlabel: Mine\nquestions: []\n'],
  ])('publishes beside a dataset of a person that %s', async (_what, folder, text) => {
    await mkdir(join(root, 'datasets', folder), { recursive: true })
    await writeFile(join(root, 'datasets', folder, 'dataset.yaml'), text)
    expect(await publish(publication())).toMatchObject({ ok: true, leftOver: [] })
    expect(await below('docs/results/README.md')).not.toContain(folder)
  })

  it('writes the same bytes again, and keeps other datasets published', async () => {
    await publish(publication())
    await writeRun(join(root, 'results'), second)
    await publish(publication(second))
    const before = await Promise.all([
      below(datasetsFile),
      below('docs/results/README.md'),
      below('docs/results/subset.md'),
    ])
    await publish(publication())
    expect(
      await Promise.all([below(datasetsFile), below('docs/results/README.md'), below('docs/results/subset.md')]),
    ).toEqual(before)
    expect(before[1]).toContain('[Graph-native](graph_native.md)')
  })

  it('files of an earlier run are reported and not changed', async () => {
    const former = `docs/results/former-subset-evidence.jsonl`
    await mkdir(join(root, 'docs/results'), { recursive: true })
    await writeFile(join(root, former), '{}')
    await writeFile(join(root, 'docs/results/notes.md'), 'mine')
    const outcome = await publish(publication())
    expect(outcome).toMatchObject({ ok: true, leftOver: [former] })
    expect(leftOverNotice([former])).toContain(former)
    expect(leftOverNotice([])).toBeNull()
    expect(await below(former)).toBe('{}')
  })

  it('a run that an earlier version published unpacked is published packed in its place', async () => {
    const earlier = join(root, `docs/results/${REPORT_RUN}-subset-evidence.jsonl`)
    await mkdir(join(root, 'docs/results'), { recursive: true })
    await writeFile(earlier, 'earlier')
    expect(await publish(publication())).toMatchObject({ ok: true, leftOver: [] })
    const name = `${REPORT_RUN}-subset-evidence.jsonl`
    expect(await readdir(join(root, 'docs/results'))).not.toContain(name)
    expect(await below(`.rag-ladder/published/${name}`)).toBe(await below(`results/${name}`))
  })

  it('concurrent publishers do not lose each other’s entries', async () => {
    await writeRun(join(root, 'results'), second)
    const outcomes = await Promise.all([publish(publication()), publish(publication(second)), publish(publication())])
    expect(outcomes.map(({ ok }) => ok)).toEqual([true, true, true])
    const { datasets } = await loadManifest(root, datasetsFile, DatasetCatalogue)
    expect(datasets.map(({ published }) => published?.run_id)).toEqual([REPORT_RUN, REPORT_RUN])
    const index = await below('docs/results/README.md')
    expect([index.includes('[Subset](subset.md)'), index.includes('[Graph-native](graph_native.md)')]).toEqual([
      true,
      true,
    ])
  })

  it('publishing fails with nothing written while another publisher holds the lock', async () => {
    const held = Promise.withResolvers<null>()
    const inside = Promise.withResolvers<null>()
    const other = whilePublishing(root, () => {
      inside.resolve(null)
      return held.promise
    })
    await inside.promise
    await expect(whilePublishing(root, async () => 'never', 60)).rejects.toMatchObject({ code: 'publish_busy' })
    held.resolve(null)
    await other
    expect(await whilePublishing(root, async () => 'now')).toBe('now')
  })

  it('published files can be summarized again', async () => {
    await publish(publication())
    const problems: string[] = []
    const { aggregates, snapshots } = await unpackedFolderForUse(
      join(root, 'docs/results'),
      (problem) => problems.push(problem),
      (folder) => summarizeFolder(folder),
    )
    expect(problems).toEqual([])
    expect(snapshots).toEqual([])
    expect(aggregateText(aggregates[0]!)).toBe(await below(`results/${REPORT_RUN}-subset-evaluation.json`))
  })

  it('writes nothing when the artifacts are not valid', async () => {
    const catalogue = await below(datasetsFile)
    await writeFile(publication().files.matrix, '{}')
    const outcome = await publish(publication())
    expect(outcome).toMatchObject({ ok: false, problems: [{ code: 'schema' }] })
    await expect(readdir(join(root, 'docs'))).rejects.toMatchObject({ code: 'ENOENT' })
    expect(await below(datasetsFile)).toBe(catalogue)
  })

  it('writes nothing when the catalogue cannot take the entry', async () => {
    await writeFile(join(root, datasetsFile), catalogueText([second]))
    await expect(publish(publication())).rejects.toMatchObject({ code: 'catalogue' })
    await expect(readdir(join(root, 'docs'))).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('no temporary file remains when a target cannot be replaced', async () => {
    await mkdir(join(root, 'docs/results', `${REPORT_RUN}-subset-matrix.json.br`), { recursive: true })
    await expect(publish(publication())).rejects.toThrow()
    const names = await readdir(join(root, 'docs/results'))
    expect(names.filter((name) => name.endsWith('.tmp'))).toEqual([])
    expect(await below(datasetsFile)).not.toContain('published')
  })
})

describe('withPublished', () => {
  const run = PublishedRun.parse({
    run_id: 'r',
    ingestion: null,
    artifacts: [{ file: 'docs/results/a.json', sha256: '0'.repeat(64) }],
  })
  const text = catalogueText([first, second])

  it('publishing adds its lines to the catalogue and changes no other', () => {
    const updated = withPublished(text, 'datasets.yaml', 'subset', run)
    const added = updated.split('\n').filter((line) => !text.split('\n').includes(line))
    expect(added).toEqual([
      '    published:',
      '      run_id: r',
      '      ingestion: null',
      '      artifacts:',
      '        - file: docs/results/a.json',
      `          sha256: '${'0'.repeat(64)}'`,
    ])
    expect(updated.split('\n').filter((line) => !added.includes(line))).toEqual(text.split('\n'))
  })

  it('an earlier publication is replaced', () => {
    const once = withPublished(text, 'datasets.yaml', 'subset', run)
    const twice = withPublished(once, 'datasets.yaml', 'subset', { ...run, run_id: 's' })
    expect(twice).toBe(once.replace('run_id: r', 'run_id: s'))
  })

  it.each([
    ['an unknown dataset', text, 'nowhere'],
    ['broken YAML', 'datasets: [', 'subset'],
    ['another schema', text.replace('label:', 'name:'), 'subset'],
  ])('refuses %s', (_what, source, id) => {
    expect(() => withPublished(source, 'datasets.yaml', id, run)).toThrow(/datasets\.yaml/)
  })
})
