import { describe, expect, it } from 'vitest'
import { failureOf } from '../../helpers/engine-process.ts'
import { BUILTINS } from '../../helpers/judge-panel.ts'
import { MODELS, RUN, client, rowId } from './setup.ts'

describe('the matrix', () => {
  it('gives pages, heads with coverage, single cells and their neighbours', async () => {
    const metric = 'faithfulness'
    const page = await client.matrix.page({
      ...RUN,
      metric,
      aliases: ['hybrid-rag', 'graph-rag'],
      sort: { by: 'value', alias: 'hybrid-rag', descending: true },
      filters: { states: ['ok'] },
    })
    expect(page.aliases).toEqual(['hybrid-rag', 'graph-rag'])
    const values = page.rows.map(({ cells }) => cells[0]!.value ?? -1)
    expect(values).toEqual(values.toSorted((a, b) => b - a))
    const { heads } = await client.matrix.heads({ ...RUN, metric })
    const byModel = new Map(heads.map((head) => [head.model, head]))
    // Answers without contexts cannot be faithful or not: no value, and no zero.
    expect(byModel.get('graph-rag')).toMatchObject({ n: 0, mean: null })
    expect(byModel.get('vanilla-rag')!.n).toBeGreaterThan(0)

    const cell = await client.cells.get({ run_id: 'one', row_id: rowId })
    if (cell.kind !== 'canonical') throw new Error('not a canonical cell')
    const { answer } = cell.row.evidence!
    expect(cell.verdicts.map(({ judge }) => judge).sort()).toEqual(BUILTINS)
    const slice = await client.cells.answerSlice({ run_id: 'one', row_id: rowId, offset: 2, limit: 10 })
    expect(slice).toEqual({ text: answer.slice(2, 12), total: answer.length, next_offset: 12 })
    const { starts } = await client.cells.answerStarts({ run_id: 'one', row_ids: [rowId] })
    expect(answer.replace(/\s+/g, ' ')).toContain(starts[rowId])
    expect(starts[rowId]!.length).toBeGreaterThan(0)
    // What the model was sent and answered is read back by its digest.
    const model = cell.row.trace!.steps.findLast(({ kind }) => kind === 'model')!
    const textOf = async (sha256: string) =>
      (await client.cells.traceText({ run_id: 'one', row_id: rowId, sha256 })).text
    expect(await textOf(model.request!.sha256)).toContain('"messages"')
    expect(await textOf(model.response!.sha256)).toContain('"finish_reason"')
    expect(await textOf('0'.repeat(64))).toBeNull()
    const { cells } = await client.cells.others({ run_id: 'one', row_id: rowId })
    expect(cells.map(({ model }) => model)).toEqual(MODELS)
    expect(cells[0]!.judge_mean).toBeGreaterThan(0)
    // The facts that the page counts are those of the score.
    const found = cell.gold_ranks!.filter((rank) => rank !== null).length
    const asked = cells.find(({ model: alias }) => alias === cell.row.approach.model)!
    expect(asked.found).toBeCloseTo(found / cell.row.question.gold.length)
    expect(await failureOf(client.cells.get({ run_id: 'one', row_id: '0'.repeat(64) }))).toMatchObject({
      code: 'not_found',
    })
  })

  it('is searched in questions and answers', async () => {
    const [question] = (await client.datasets.questions({ dataset_id: 'smoke' })).questions
    const word = question!.question.query.match(/\p{L}{6,}/u)![0]
    const { hits } = await client.matrix.search({ text: word })
    expect(hits.length).toBeGreaterThan(0)
    expect(hits[0]).toMatchObject({ found_in: 'question', ...RUN, question_id: question!.question.id })
    expect((await client.matrix.search({ text: 'zzzznothing' })).hits).toEqual([])
  })

  it('gives its verdict, as the aggregate has it, with the caution that rules were used', async () => {
    const { verdicts, pending, caution } = await client.compare.result({ run_id: 'one' })
    expect(verdicts).toHaveLength(1)
    expect(verdicts[0]).toMatchObject({ dataset: 'smoke', metric: 'facts_found' })
    expect(verdicts[0]!.sentences[0]).toContain('Smoke')
    expect(pending).toEqual([])
    expect(caution).toContain('built-in rule')
    expect(await failureOf(client.compare.result({ run_id: 'none' }))).toMatchObject({ code: 'not_found' })
  })

  it('has its coverage explained by the six states', async () => {
    const { basis, aliases } = await client.coverage.get(RUN)
    const graph = aliases.find(({ model }) => model === 'graph-rag')!
    const faithfulness = graph.metrics.find(({ metric }) => metric === 'faithfulness')!
    expect(basis).toBe('summary')
    expect(faithfulness).toMatchObject({ scored: 0, mean: null, unevaluable: 4, timeouts: 0, missing: 0 })
    expect(Object.keys(faithfulness.unevaluable_by_reason!)).toHaveLength(1)
  })
})
