import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { loadHistorical } from './historical.ts'
import { longCsv } from '../csv/long-csv.ts'

let dir: string
beforeEach(async () => {
  dir = await temporaryFolder('report-old')
})

const cell = (query_id: string, model: string, ok: boolean, rest: object = {}) => ({ query_id, model, ok, ...rest })
const matrix = {
  dataset_id: 'old_set',
  generator: 'of before',
  cells: [
    cell('q1', 'vanilla-rag', true, { latency_s: 1.5, metrics: { seconds: 1.25, chunks: 5 }, answer: 'yes' }),
    cell('q2', 'vanilla-rag', true, { latency_s: 2.5 }),
    cell('q1', 'graph-rag', false, { error: 'timeout' }),
  ],
}
const judgments = {
  status: 'ok',
  dataset_id: 'old_set',
  judges: ['a', 'b'],
  queries: [
    {
      query_id: 'q1',
      query: 'One?',
      per_judge: { a: { scores: { 'vanilla-rag': 4, 'graph-rag': 1 }, best: 'vanilla-rag' } },
      mean_by_approach: { 'vanilla-rag': 4, 'graph-rag': 1 },
      votes: { 'vanilla-rag': 1 },
      observed_winner: 'vanilla-rag',
    },
  ],
}
const put = (name: string, value: unknown) =>
  writeFile(join(dir, name), typeof value === 'string' ? value : JSON.stringify(value))
const csv = async () =>
  [...longCsv({ aggregates: [], snapshots: (await loadHistorical(dir)).snapshots })].join('').trim().split('\n')

describe('historical snapshots', () => {
  it('keep what they have, and gain nothing', async () => {
    await put('2020-old-matrix.json', matrix)
    await put('2020-old-judgments.json', judgments)
    const { snapshots, unusable } = await loadHistorical(dir)
    const [snapshot, ...others] = snapshots
    expect([others, unusable]).toEqual([[], []])
    expect(snapshot).toMatchObject({ name: '2020-old', matrix, judge: { state: 'read' } })
    expect(snapshot!.matrix).not.toHaveProperty('ingestion')
  })

  it('give the long form their cells, latency, server metrics and judges', async () => {
    await put('2020-old-matrix.json', matrix)
    await put('2020-old-judgments.json', judgments)
    const lines = (await csv()).slice(1).map((line) => line.split(',').slice(0, 20).join(','))
    expect(lines).toEqual([
      'old_set,2020-old,vanilla-rag,,,operational,cells,,ok,,,,,,,,2,2,2,1',
      'old_set,2020-old,vanilla-rag,,,operational,latency_ms,,,2000,2000,707.107,2450,1500,2500,4000,2,2,2,1',
      'old_set,2020-old,vanilla-rag,,,operational,server_seconds,,,1.25,1.25,,1.25,1.25,1.25,1.25,1,2,2,0.5',
      'old_set,2020-old,vanilla-rag,,,operational,chunks,,,5,5,,5,5,5,5,1,2,2,0.5',
      'old_set,2020-old,vanilla-rag,,,judge_panel,score,,partial,4,,,,,,,1,,2,0.5',
      'old_set,2020-old,vanilla-rag,,,judge_panel,votes,,partial,,,,,,,1,1,,2,0.5',
      'old_set,2020-old,graph-rag,,,operational,cells,,error,,,,,,,,0,2,2,0',
      'old_set,2020-old,graph-rag,,,judge_panel,score,,partial,1,,,,,,,1,,2,0.5',
      'old_set,2020-old,graph-rag,,,judge_panel,votes,,partial,,,,,,,0,1,,2,0.5',
    ])
  })

  it.each([
    ['malformed', '{'],
    ['not_an_object', '[]'],
    ['invalid', '{"status":"ok"}'],
  ])('have figures without judges when the judgments are %s', async (reason, text) => {
    await put('2020-old-matrix.json', matrix)
    await put('2020-old-judgments.json', text)
    const lines = await csv()
    expect(lines.filter((line) => line.includes('operational')).length).toBe(5)
    expect(lines.find((line) => line.includes('judge_panel'))).toContain(reason)
  })

  it('leaves runs with evidence alone, and lists a matrix that is none while the others are read', async () => {
    await put('new-matrix.json', matrix)
    await put('new-evidence.jsonl', '')
    await put('2020-old-matrix.json', matrix)
    await put('bad-matrix.json', '{"cells":[{"ok":1}]}')
    expect(await loadHistorical(dir)).toMatchObject({
      snapshots: [{ name: '2020-old' }],
      unusable: [{ file: 'bad-matrix.json', reason: expect.stringContaining('the first of 3 problems') as string }],
    })
  })

  it('keep the scores of judgments in the form of other writers, and name the rest unknown', async () => {
    const { matrix: _none, ...nameless } = { matrix: null, cells: matrix.cells }
    await put('2020-older-matrix.json', { ...nameless, ingestion: { id: 'ing-1', profile: 'old' } })
    await put('2020-older-judgments.json', {
      judges: ['a', 'b', 'c'],
      runtime: { endpoint: 'http://127.0.0.1:1234', think: 'omit', python: '3.12' },
      ingestion: { id: 'ing-1', profile: 'old' },
      queries: [
        {
          query_id: 'q1',
          query: 'One?',
          expect_winner: null,
          per_judge: {
            a: {
              scores: { 'vanilla-rag': 4, 'graph-rag': '2' },
              best: 'vanilla-rag',
              reasons: { 'vanilla-rag': 'why' },
            },
            b: null,
            c: { error: 'no verdict' },
          },
          mean_by_approach: { 'vanilla-rag': 4, 'graph-rag': 2 },
          votes: { 'vanilla-rag': 1 },
          observed_winner: 'vanilla-rag',
        },
      ],
    })
    const { snapshots } = await loadHistorical(dir)
    expect(snapshots[0]!.judge).toMatchObject({
      state: 'read',
      unknown: ['runtime', 'status', 'dataset_id', 'ingestion'],
      judgments: {
        queries: [
          { per_judge: { a: { scores: { 'vanilla-rag': 4, 'graph-rag': 2 }, reasons: { 'vanilla-rag': 'why' } } } },
        ],
      },
    })
    const lines = (await csv()).filter((line) => line.includes('judge_panel,score'))
    expect(lines.map((line) => line.split(',').slice(0, 11).join(','))).toEqual([
      '2020-older,2020-older,vanilla-rag,,,judge_panel,score,,partial,4,',
      '2020-older,2020-older,graph-rag,,,judge_panel,score,,partial,2,',
    ])
  })
})
