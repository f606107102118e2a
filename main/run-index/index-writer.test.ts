import { appendFile, copyFile, readFile, rename, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { evidenceBytes, writeRun } from '../../tests/helpers/report-project.ts'
import { fixtureDataset, goldenJudgments, goldenRows, REPORT_RUN } from '../../tests/helpers/report-rows.ts'
import { contentOf, freshContent, indexFolders, openIndex, type OpenedIndex } from '../../tests/helpers/run-index.ts'

const dataset = fixtureDataset('alpha', 'Alpha', 1)
const rows = goldenRows(dataset)
const lines = rows.map((row) => evidenceBytes([row]))

async function withEvidence(bytes: Buffer) {
  const folders = await indexFolders()
  const evidence = join(folders.results, `${REPORT_RUN}-alpha-evidence.jsonl`)
  await writeFile(evidence, bytes)
  return { folders, evidence, index: openIndex(folders) }
}

const cellCount = ({ db }: OpenedIndex): number => db.prepare<[], number>('SELECT count(*) FROM cells').pluck().get()!
const artifact = ({ db }: OpenedIndex, path: string) =>
  db
    .prepare('SELECT state, applied_bytes, damage_offset, damage_line, damage_message FROM artifacts WHERE path = ?')
    .get(path) as { state: string; applied_bytes: number; damage_offset: number | null; damage_line: number | null }

describe('following an evidence file', () => {
  it('an index that follows a growing file equals one that is built from the whole file', async () => {
    const { folders, evidence, index } = await withEvidence(Buffer.alloc(0))
    expect((await index.sync()).runs).toEqual([])
    let added = 0
    for (let from = 0; from < lines.length; from += 5) {
      const piece = lines.slice(from, from + 5)
      await appendFile(evidence, Buffer.concat(piece))
      const { runs } = await index.sync()
      expect(runs).toMatchObject([{ run_id: REPORT_RUN, dataset_id: 'alpha', rows_added: piece.length }])
      added += piece.length
      expect(cellCount(index)).toBe(added)
    }
    expect((await index.sync()).runs).toEqual([])
    expect(await index.verify()).toMatchObject({ ok: true, rows: rows.length })
    expect(contentOf(index.db)).toEqual(await freshContent(folders))
  })

  it('an unfinished last line is not indexed until it is complete, wherever it is cut', async () => {
    const { evidence, index } = await withEvidence(lines[0]!)
    const next = lines[1]!
    const cuts = [1, 17, next.length >> 1, next.length - 2, next.length - 1]
    let written = 0
    for (const cut of cuts) {
      await appendFile(evidence, next.subarray(written, cut))
      written = cut
      await index.sync()
      expect(cellCount(index)).toBe(1)
      expect(artifact(index, evidence)).toMatchObject({ state: 'applied', applied_bytes: lines[0]!.length })
    }
    await appendFile(evidence, next.subarray(written))
    await index.sync()
    expect(cellCount(index)).toBe(2)
  })

  it('indexing stops at an invalid line, reports it, and continues after it was repaired', async () => {
    const broken = Buffer.from(lines[3]!)
    broken[broken.length >> 1]! ^= 1
    const { evidence, index } = await withEvidence(Buffer.concat([...lines.slice(0, 3), broken, ...lines.slice(4, 8)]))
    const offset = lines.slice(0, 3).reduce((sum, line) => sum + line.length, 0)
    const { damaged } = await index.sync()
    expect(damaged).toEqual([
      { path: evidence, damage: { offset, line: 4, message: expect.stringContaining('checksum') as string } },
    ])
    expect(cellCount(index)).toBe(3)
    expect(artifact(index, evidence)).toMatchObject({ state: 'damaged', damage_offset: offset, damage_line: 4 })
    expect((await index.sync()).damaged).toEqual([])
    const verified = await index.verify()
    expect(verified.problems).toMatchObject([{ code: 'damaged_file', path: evidence }])

    await writeFile(evidence, Buffer.concat(lines.slice(0, 8)))
    await index.sync()
    expect(cellCount(index)).toBe(8)
    expect(artifact(index, evidence)).toMatchObject({ state: 'applied', damage_offset: null })
    expect((await index.verify()).ok).toBe(true)
  })

  it.each([
    ['a duplicate row', () => lines[0]!, /duplicate row/],
    [
      'a row of another run',
      () => evidenceBytes(goldenRows(fixtureDataset('beta', 'Beta', 2)).slice(0, 1)),
      /belongs to/,
    ],
    ['text', () => Buffer.from('not a row\n'), /not JSON/],
    ['JSON of another kind', () => Buffer.from('{"a":1}\n'), /./],
  ])('takes %s for damage', async (_name, line, message) => {
    const { evidence, index } = await withEvidence(Buffer.concat([...lines.slice(0, 2), line(), lines[2]!]))
    const { damaged } = await index.sync()
    expect(damaged).toMatchObject([{ path: evidence, damage: { line: 3 } }])
    expect(damaged[0]!.damage.message).toMatch(message)
    expect(cellCount(index)).toBe(2)
  })

  it('a flipped byte in an indexed part is noticed', async () => {
    const { folders, evidence, index } = await withEvidence(Buffer.concat(lines))
    await index.sync()
    const bytes = await readFile(evidence)
    const offset = lines.slice(0, 5).reduce((sum, line) => sum + line.length, 0)
    bytes[offset + 40]! ^= 4
    await writeFile(evidence, bytes)
    // As a disk would do it: nothing about the file reveals it.
    expect((await index.verify()).problems.map(({ code }) => code)).toContain('hash_differs')
    await utimes(evidence, new Date(), new Date(Date.now() + 5000))
    expect((await index.sync()).damaged).toMatchObject([{ damage: { offset, line: 6 } }])
    expect(contentOf(index.db)).toEqual(await freshContent(folders))
  })

  it('a file is read again only when it was replaced, cut or rotated', async () => {
    const { folders, evidence, index } = await withEvidence(Buffer.concat(lines.slice(0, 6)))
    await index.sync()
    const checks: [string, () => Promise<void>, number, boolean][] = [
      ['grown', () => appendFile(evidence, lines[6]!), 7, false],
      ['a copy with the same bytes', () => replace(evidence, Buffer.concat(lines.slice(0, 7))), 7, false],
      ['a copy with more rows', () => replace(evidence, Buffer.concat(lines.slice(0, 9))), 9, false],
      ['other rows', () => replace(evidence, Buffer.concat(lines.slice(2, 12))), 10, true],
      ['cut at a row', () => truncate(evidence, lines[2]!.length + lines[3]!.length), 2, true],
      ['cut in a row', () => truncate(evidence, lines[2]!.length + 100), 1, true],
      ['emptied', () => truncate(evidence, 0), 0, true],
    ]
    for (const [name, change, count, isAnew] of checks) {
      await change()
      const { runs, removed } = await index.sync()
      expect(cellCount(index), name).toBe(count)
      expect(runs.some(({ replaced }) => replaced) || removed.length > 0, name).toBe(isAnew)
      expect(contentOf(index.db), name).toEqual(await freshContent(folders))
    }
  })

  it('a restarted writer continues at the stored offset', async () => {
    const { folders, evidence, index } = await withEvidence(Buffer.concat(lines.slice(0, 6)))
    await index.sync()
    index.close()
    await appendFile(evidence, Buffer.concat(lines.slice(6)))
    const again = openIndex(folders)
    expect((await again.sync()).runs).toMatchObject([{ rows_added: lines.length - 6, replaced: false }])
    expect((await again.verify()).ok).toBe(true)
    expect(contentOf(again.db)).toEqual(await freshContent(folders))
  })

  it('a removed file is removed from the index', async () => {
    const { evidence, index } = await withEvidence(Buffer.concat(lines))
    await index.sync()
    await rm(evidence)
    expect((await index.sync()).removed).toEqual([{ run_id: REPORT_RUN, dataset_id: 'alpha' }])
    expect(cellCount(index)).toBe(0)
    for (const table of ['runs', 'dataset_runs', 'sources', 'answer_text', 'dataset_run_questions', 'artifacts'])
      expect(index.db.prepare(`SELECT count(*) FROM ${table}`).pluck().get(), table).toBe(0)
    expect((await index.verify()).ok).toBe(true)
  })

  it('two processes can sync one index', async () => {
    const { folders, evidence, index } = await withEvidence(Buffer.concat(lines.slice(0, 4)))
    const other = openIndex(folders)
    await Promise.all([index.sync(), other.sync()])
    for (let next = 4; next < lines.length; next += 1) {
      await appendFile(evidence, lines[next]!)
      await Promise.all([index.sync(), other.sync()])
    }
    expect(cellCount(index)).toBe(lines.length)
    expect((await other.verify()).ok).toBe(true)
    expect(contentOf(index.db)).toEqual(await freshContent(folders))
  })
})

describe('the other artifacts', () => {
  it('order, missing cells and reasons come from the aggregate, verdicts from the judgments', async () => {
    const folders = await indexFolders()
    const { files } = await writeRun(folders.results, dataset, goldenJudgments(dataset))
    const index = openIndex(folders)
    expect((await index.sync()).damaged).toEqual([])
    const one = (sql: string) => index.db.prepare(sql).raw().get()
    expect(one('SELECT expected, questions FROM dataset_runs')).toEqual([32, 8])
    expect(one(`SELECT count(*) FROM dataset_run_aliases WHERE unavailable IS NOT NULL`)).toEqual([2])
    // Two judges, each with one grade per alias; the second is silent on the last of eight questions.
    expect(one('SELECT count(*), sum(best) FROM verdicts')).toEqual([60, 15])
    expect(one(`SELECT count(judge_mean), count(*) FROM cells`)).toEqual([rows.length, rows.length])
    expect((await index.verify()).ok).toBe(true)

    const content = contentOf(index.db)
    await rm(files.judgments)
    await rm(files.evaluation)
    await index.sync()
    expect(one('SELECT expected FROM dataset_runs')).toEqual([null])
    expect(one('SELECT count(*) FROM verdicts')).toEqual([0])
    expect(one('SELECT count(judge_mean) FROM cells')).toEqual([0])
    await writeRun(folders.results, dataset, goldenJudgments(dataset))
    await index.sync()
    expect(contentOf(index.db)).toEqual(content)
  })

  it('questions without a row have their position, which their rows take later', async () => {
    const folders = await indexFolders()
    const { files } = await writeRun(folders.results, dataset)
    const first = rows.filter(({ question }) => question.id !== 'q-3')
    const rest = rows.filter(({ question }) => question.id === 'q-3')
    await writeFile(files.evidence, evidenceBytes(first))
    const index = openIndex(folders)
    await index.sync()
    const order = () =>
      index.db
        .prepare(
          'SELECT question_id, query FROM dataset_run_questions JOIN questions ON id = question ORDER BY position',
        )
        .raw()
        .all() as [string, string | null][]
    expect(order().map(([id]) => id)).toEqual(dataset.questions.map(({ id }) => id))
    expect(order()[2]).toEqual(['q-3', null])
    await appendFile(files.evidence, evidenceBytes(rest))
    await index.sync()
    expect(order()[2]).toEqual(['q-3', dataset.questions[2]!.query])
    expect(order()).toHaveLength(8)
    expect((await index.verify()).ok).toBe(true)
  })

  it('verdicts are joined to rows that are added after them', async () => {
    const folders = await indexFolders()
    const { files } = await writeRun(folders.results, dataset, goldenJudgments(dataset))
    const index = openIndex(folders)
    await writeFile(files.evidence, evidenceBytes(rows.slice(0, 25)))
    await index.sync()
    await writeFile(files.evidence, evidenceBytes(rows))
    await index.sync()
    expect(contentOf(index.db)).toEqual(await freshContent(folders))
    expect(index.db.prepare('SELECT count(judge_mean) FROM cells').pluck().get()).toBe(rows.length)
  })

  it('invalid judgments and aggregates are reported and the cells stay indexed', async () => {
    const folders = await indexFolders()
    const { files } = await writeRun(folders.results, dataset, goldenJudgments(dataset))
    await writeFile(files.judgments, '[]')
    await writeFile(files.evaluation, '{"run_id":"x"}')
    const index = openIndex(folders)
    const { damaged } = await index.sync()
    expect(damaged.map(({ path }) => basename(path)).sort()).toEqual(
      [files.evaluation, files.judgments].map((path) => basename(path)).sort(),
    )
    expect(cellCount(index)).toBe(rows.length)
  })
})

// A file of the kernel that is listed as a regular one and cannot be read, also not by root.
it.skipIf(process.platform !== 'linux')(
  'a file that the system cannot read is shown as damaged, and the others are indexed',
  async () => {
    const { folders, index } = await withEvidence(Buffer.concat(lines))
    const unreadable = ['a-evidence.jsonl', 'b-matrix.json'].map((name) => join(folders.results, name))
    for (const path of unreadable) await symlink('/proc/self/mem', path)
    const { damaged } = await index.sync()
    expect(damaged.map(({ path }) => path)).toEqual(unreadable.slice(-damaged.length))
    expect(damaged.at(-1)!.damage.message).toMatch(/^cannot be read: EIO/)
    expect(cellCount(index)).toBe(lines.length)
  },
)

describe('copies and snapshots', () => {
  it('a working file is indexed instead of its published copy until it is removed', async () => {
    const folders = await indexFolders()
    const { files } = await writeRun(folders.published, dataset, goldenJudgments(dataset))
    const index = openIndex(folders)
    await index.sync()
    const published = contentOf(index.db)
    const working = await writeRun(folders.results, dataset, goldenJudgments(dataset))
    await index.sync()
    expect(cellCount(index)).toBe(rows.length)
    expect(artifact(index, working.files.evidence).state).toBe('applied')
    for (const path of Object.values(files)) expect(artifact(index, path).state, path).toBe('copy')
    expect((await index.verify()).ok).toBe(true)
    expect(contentOf(index.db)).toEqual(await freshContent(folders))
    for (const path of Object.values(working.files)) await rm(path)
    await index.sync()
    expect(contentOf(index.db)).toEqual(published)
  })

  it('snapshots from before evidence files are indexed with their judgments', async () => {
    const folders = await indexFolders()
    const matrix = {
      run_id: 'old-1',
      dataset_id: 'archive',
      queries: [{ id: 'a', query: 'Who kept the lock?', ground_truth: 'Ada.' }],
      cells: [
        {
          query_id: 'a',
          model: 'vanilla-rag',
          base_model: 'vanilla-rag',
          ok: true,
          latency_s: 1.5,
          answer: 'Ada did.',
          sources: [{ title: 'log.md', score: 0.5 }],
          metrics: { seconds: 1.25 },
          extra: [1],
        },
        { query_id: 'a', model: 'hybrid-rag', ok: false, error: 'boom' },
        { query_id: 'b', model: 'vanilla-rag', ok: true, latency_s: 'soon' },
      ],
    }
    const judgments = {
      status: 'ok',
      dataset_id: 'archive',
      judges: ['j'],
      queries: [
        {
          query_id: 'a',
          query: 'Who kept the lock?',
          per_judge: { j: { scores: { 'vanilla-rag': 4 }, best: 'vanilla-rag' } },
          mean_by_approach: { 'vanilla-rag': 4 },
          votes: { 'vanilla-rag': 1 },
          observed_winner: 'vanilla-rag',
        },
        {
          query_id: 'b',
          query: 'Who opened it?',
          per_judge: {},
          mean_by_approach: {},
          votes: {},
          observed_winner: null,
        },
      ],
    }
    await writeFile(join(folders.published, '2024-archive-matrix.json'), JSON.stringify(matrix))
    await writeFile(join(folders.published, '2024-archive-judgments.json'), JSON.stringify(judgments))
    await writeFile(
      join(folders.published, 'nameless-matrix.json'),
      JSON.stringify({ cells: matrix.cells.slice(0, 1) }),
    )
    await writeFile(join(folders.published, 'broken-matrix.json'), '{"cells":[{"model":"x"}]}')
    const index = openIndex(folders)
    const { damaged } = await index.sync()
    expect(damaged.map(({ path }) => basename(path))).toEqual(['broken-matrix.json'])
    const cells = index.db
      .prepare(
        `SELECT r.run_id, s.dataset_id, q.question_id, q.query, m.model, c.status, c.latency_ms, c.judge_mean, c.offset
         FROM cells c JOIN runs r ON r.id = c.run_id JOIN dataset_runs d ON d.id = c.scope JOIN datasets s ON s.id = d.dataset
         JOIN questions q ON q.id = c.question JOIN aliases m ON m.id = c.alias ORDER BY 1, 3, 5`,
      )
      .raw()
      .all()
    expect(cells).toEqual([
      ['nameless', 'nameless', 'a', null, 'vanilla-rag', 0, 1500, null, null],
      ['old-1', 'archive', 'a', 'Who kept the lock?', 'hybrid-rag', 1, null, null, null],
      ['old-1', 'archive', 'a', 'Who kept the lock?', 'vanilla-rag', 0, 1500, 4, null],
      ['old-1', 'archive', 'b', 'Who opened it?', 'vanilla-rag', 0, null, null, null],
    ])
    const verified = await index.verify()
    expect(verified.problems.map(({ code }) => code)).toEqual(['damaged_file'])

    await writeFile(
      join(folders.published, '2024-archive-matrix.json'),
      JSON.stringify({ ...matrix, cells: matrix.cells.slice(1) }),
    )
    await index.sync()
    expect(contentOf(index.db)).toEqual(await freshContent(folders))
  })

  it('a matrix is not indexed as a snapshot once its evidence exists', async () => {
    const folders = await indexFolders()
    const { files } = await writeRun(folders.results, dataset)
    const aside = join(folders.results, 'aside')
    await rename(files.evidence, aside)
    await rm(files.evaluation)
    const index = openIndex(folders)
    await index.sync()
    expect(index.db.prepare('SELECT kind FROM dataset_runs').pluck().all()).toEqual(['historical'])
    await rename(aside, files.evidence)
    await index.sync()
    expect(index.db.prepare('SELECT kind FROM dataset_runs').pluck().all()).toEqual(['canonical'])
    expect(contentOf(index.db)).toEqual(await freshContent(folders))
  })
})

/** Another file under the same name, as a restore or a checkout leaves it. */
async function replace(path: string, bytes: Buffer): Promise<void> {
  await writeFile(`${path}.new`, bytes)
  await rename(`${path}.new`, path)
}

it('of two copies the file with the name that the runner gives is indexed', async () => {
  const folders = await indexFolders()
  const { files } = await writeRun(folders.results, dataset)
  await copyFile(files.evidence, join(folders.results, 'another-name-evidence.jsonl'))
  const index = openIndex(folders)
  await index.sync()
  expect(cellCount(index)).toBe(rows.length)
  expect(artifact(index, join(folders.results, 'another-name-evidence.jsonl')).state).toBe('copy')
  expect(artifact(index, files.evidence).state).toBe('applied')
})
