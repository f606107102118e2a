import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Aggregate } from '../../../contract/evidence/aggregate.ts'
import { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import { readSealedJson } from '../../../main/lib/files/sealed-json.ts'
import { CELL_COLUMNS } from '../../../main/report/csv/cells-csv.ts'
import { failureOf } from '../../helpers/engine-process.ts'
import { exported } from '../../helpers/engine-runs.ts'
import { json } from '../../helpers/fault-server.ts'
import { MODELS, RUN, root, client, evaluator, rowId, ran, run } from './setup.ts'

describe('runs side by side', () => {
  it('report what failed, repeat only that, and derive the rest', async () => {
    // A status that is not tried again, which would take seconds for each cell.
    evaluator.script(json({ detail: 'broken' }, 422))
    await client.settings.update({ settings: { evaluator_url: `${evaluator.url}/api/rag/evaluate` } })
    await run({ run_id: 'two', dataset_ids: ['smoke'], models: MODELS, judge: { enabled: false } })
    expect(await client.runs.failures({ run_id: 'two' })).toEqual({
      run_id: 'two',
      classes: [{ class: 'evaluation_error', cells: 12 }],
    })
    expect(await failureOf(client.runs.retryFailures({ run_id: 'two', classes: ['timeout'] }))).toMatchObject({
      code: 'not_found',
    })
    await client.settings.update({ settings: { evaluator_url: null } })
    const job = await ran('two-again', () => client.runs.retryFailures({ run_id: 'two', new_run_id: 'two-again' }))
    expect(job).toMatchObject({ state: 'completed', failures: [], retry_of: { run_id: 'two' } })
    const rows = (await readFile(join(root, 'results/two-again-smoke-evidence.jsonl'), 'utf8')).trim().split('\n')
    const seen = rows.map((line) => JSON.parse(line) as Record<string, { run_id: string }>)
    expect(seen.map((row) => [row['run_id'], row['derived_from']!.run_id])).toEqual(
      Array.from({ length: 12 }, () => ['two-again', 'two']),
    )
    // The evaluator could not score these the first time either.
    const { classes } = await client.runs.failures({ run_id: 'one' })
    expect(await client.runs.failures({ run_id: 'two-again' })).toEqual({ run_id: 'two-again', classes })
    expect((await client.runs.failures({ run_id: 'two' })).classes).toHaveLength(1)
  })

  it('are compared by scores, provenance, cost and significance', async () => {
    const runIds = ['one', 'two-again']
    const compared = await client.compare.runs({ run_ids: [...runIds, 'none'], metric: 'token_f1' })
    expect(compared).toMatchObject({ unknown_run_ids: ['none'], better: 'higher' })
    expect(compared.aliases.map(({ model, runs }) => [model, runs.length])).toEqual(MODELS.map((model) => [model, 2]))
    const provenance = await client.compare.provenance({ run_ids: runIds, dataset_id: 'smoke' })
    expect(provenance.differences.map(({ path }) => path)).toContainEqual(expect.stringContaining('judge_panel'))
    // Another run of the same questions on documents that were ingested again.
    const trend = await client.compare.trend({ run_id: 'one', dataset_id: 'smoke' })
    expect(trend.comparable.map(({ run_id: id }) => id)).toEqual(expect.arrayContaining(runIds))
    expect(trend.apart).toEqual([])
    const { points } = await client.compare.frontier({ run_ids: ['one'], metric: 'token_f1' })
    expect(points.map(({ model }) => model)).toEqual(MODELS)
    const pairs = await client.statistics.pairs({ ...RUN, metric: 'token_f1' })
    expect(pairs.comparison.pairs).toHaveLength(3)
    const same = await client.statistics.runs({ run_ids: runIds, dataset_id: 'smoke', metric: 'token_f1' })
    expect(same.changes.map(({ model, difference }) => [model, difference])).toEqual(MODELS.map((model) => [model, 0]))
    expect(same.headline).toBe('Every score is the same in both runs')
  })

  it('are listed and summed up', async () => {
    const { runs, total } = await client.runs.list({})
    expect([total, runs.map(({ run_id }) => run_id)]).toEqual([3, ['two-again', 'two', 'one']])
    const summary = await client.runs.summary({ run_id: 'one' })
    expect(summary.datasets[0]!.artifacts.map(({ kind, state }) => [kind, state]).toSorted()).toEqual(
      [
        ['evaluation', 'applied'],
        ['evidence', 'applied'],
        ['judgments', 'applied'],
        ['matrix', 'listed'],
      ].toSorted(),
    )
    expect(await failureOf(client.runs.summary({ run_id: 'none' }))).toMatchObject({ code: 'not_found' })
    expect((await client.runs.jobs()).map(({ run_id }) => run_id)).toEqual(['two-again', 'two', 'one'])
    const { datasets } = await client.runs.view({ run_id: 'one' })
    expect(datasets.map(({ dataset_id }) => dataset_id)).toEqual(['smoke'])
    expect(await failureOf(client.runs.dismiss({ run_id: 'one' }))).toMatchObject({ code: 'run_state' })
  })
})

/** Rows that are taken over keep their time: two runs may have the same one. */
const namesOf = (runs: { run_id: string }[]): string[] => runs.map(({ run_id }) => run_id).toSorted()

describe('the list of runs', () => {
  it('has the settings and the verdict of each run, and the notes that a person wrote', async () => {
    const { runs, total } = await client.runs.overview({})
    expect(total).toBe(3)
    expect(namesOf(runs)).toEqual(['one', 'two', 'two-again'])
    expect(runs.at(-1)!.run_id).toBe('one')
    const one = runs.find(({ run_id }) => run_id === 'one')!
    expect(one).toMatchObject({
      state: 'completed',
      kind: 'canonical',
      models: MODELS,
      model_sets: ['builtin'],
      primary_metric: 'facts_found',
      datasets: [{ dataset_id: 'smoke', damaged: false }],
      cells: { ok: 12, failed: 0 },
      kept: null,
    })
    const { verdicts } = await client.compare.result({ run_id: 'one' })
    expect(one.verdicts).toEqual(
      verdicts.map(({ dataset, kind, headline }) => ({ dataset_id: dataset, kind, headline })),
    )
    expect(one.verdicts).toHaveLength(1)
    await client.runs.annotate({ run_id: 'one', label: ' First look ' })
    await client.runs.annotate({ run_id: 'one', starred: true })
    await client.runs.annotate({ run_id: 'one', tags: ['base'] })
    const note = { label: 'First look', starred: true, tags: ['base'], note: '' }
    expect((await client.runs.overview({ limit: 3 })).runs.find(({ run_id }) => run_id === 'one')!.note).toEqual(note)
    await client.cells.annotate({ run_id: 'one', row_id: rowId, flagged: true, note: 'check the source' })
    expect(await client.cells.notes({ run_id: 'one' })).toEqual({
      cells: [{ row_id: rowId, flagged: true, note: 'check the source' }],
    })
  })

  it('loses a run that is moved to the trash, and has it again, journal included, once it is restored', async () => {
    const before = (await client.runs.jobs()).find(({ run_id }) => run_id === 'two')
    const { trash_id } = await client.runs.remove({ run_id: 'two' })
    expect(namesOf((await client.runs.overview({})).runs)).toEqual(['one', 'two-again'])
    expect((await client.runs.jobs()).map(({ run_id }) => run_id)).toEqual(['two-again', 'one'])
    expect((await readdir(join(root, 'results'))).filter((name) => /^two-smoke.*(?:json|jsonl)$/.test(name))).toEqual(
      [],
    )
    expect((await client.runs.trash()).map((removed) => removed.trash_id)).toEqual([trash_id])
    await client.runs.restore({ trash_id })
    expect(namesOf((await client.runs.overview({})).runs)).toEqual(['one', 'two', 'two-again'])
    expect((await client.runs.jobs()).find(({ run_id }) => run_id === 'two')).toEqual(before)
    expect(await failureOf(client.runs.remove({ run_id: 'none' }))).toMatchObject({ code: 'not_found' })
  })
})

describe('the bundle of a run', () => {
  it('is sent in pieces, and opened again once the run is gone', async () => {
    const pieces: Buffer[] = []
    for await (const piece of await client.exports.bundle({ run_id: 'two' }))
      if (piece.type === 'bytes') pieces.push(Buffer.from(piece.base64, 'base64'))
    const source = join(root, 'two.bundle.zip')
    await writeFile(source, Buffer.concat(pieces))
    expect(await failureOf(client.runs.importBundle({ source }))).toMatchObject({ code: 'input_invalid' })
    const { trash_id } = await client.runs.remove({ run_id: 'two' })
    expect(await client.runs.importBundle({ source })).toEqual({ run_id: 'two', dataset_ids: ['smoke'] })
    expect((await client.runs.overview({})).runs.find(({ run_id }) => run_id === 'two')).toMatchObject({
      state: null,
      cells: { ok: 12 },
    })
    // The original comes back, so that the tests below find the run as it was.
    const again = await client.runs.remove({ run_id: 'two' })
    expect(again.files).toBeGreaterThan(2)
    await client.runs.restore({ trash_id })
  })
})

describe('an export', () => {
  it('is the long CSV, the aggregates, or a page that needs nothing else', async () => {
    const csv = await exported(client.exports.csv(RUN))
    expect(csv.name).toBe('one-smoke.csv')
    const [head, ...lines] = csv.text.trim().split('\n')
    expect(head).toMatch(/metric/)
    expect(lines.filter((line) => line.includes('vanilla-rag')).length).toBeGreaterThan(5)
    const aggregates = JSON.parse((await exported(client.exports.json({ run_id: 'one' }))).text) as unknown[]
    expect(aggregates.map((value) => Aggregate.parse(value).run_id)).toEqual(['one'])
    // The export is what the run itself had written.
    const written = readSealedJson(await readFile(join(root, 'results/one-smoke-evaluation.json'), 'utf8'))
    expect(written?.seal).toBe('intact')
    expect(aggregates).toEqual([written?.value])
    const cells = await exported(client.exports.cells(RUN))
    expect([cells.name, cells.text.split('\n')[0]]).toEqual(['one-smoke-cells.csv', CELL_COLUMNS.join(',')])
    const rows = await exported(client.exports.rows({ run_id: 'one' }))
    expect(rows.name).toBe('one-cells.jsonl')
    const ids = rows.text
      .trimEnd()
      .split('\n')
      .map((line) => CanonicalRow.parse(JSON.parse(line)).row_id)
    expect([new Set(ids).size, ids.includes(rowId)]).toEqual([12, true])
    const report = await exported(client.exports.report(RUN))
    expect(report.name).toBe('one-smoke.html')
    expect(report.text).toMatch(/^<!doctype html>/i)
    expect(report.text).not.toMatch(/(?:src|href)="https?:/)
  })

  it('of what is not there fails as a call does', async () => {
    const stream = await client.exports.csv({ run_id: 'none' })
    expect(await failureOf(Array.fromAsync(stream))).toMatchObject({ code: 'not_found' })
  })
})
