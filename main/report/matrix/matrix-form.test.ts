import { describe, expect, it } from 'vitest'
import { Matrix } from '../../../contract/evidence/matrix.ts'
import {
  matrixDataset as dataset,
  matrixFrame as frame,
  matrixText,
  toMatrix,
} from '../../../tests/helpers/matrix-in-memory.ts'
import { ALIASES, fixtureRow, goldenRows, streamOf } from '../../../tests/helpers/report-rows.ts'
import { latencySeconds } from './matrix-form.ts'

describe('toMatrix', () => {
  it('holds its schema, in the order asked for and then by name, whatever the order of rows', async () => {
    const rows = goldenRows(dataset)
    const matrix = Matrix.parse(await toMatrix(streamOf(rows), frame))
    expect(matrix.models).toEqual(['graph-rag', 'vanilla-rag', 'hybrid-rag', 'hybrid-rag-fast'])
    expect(matrix.queries.map(({ id }) => id)).toEqual(['q-2', 'q-1', 'q-3', 'q-4', 'q-5', 'q-6', 'q-7', 'q-8'])
    expect(matrix.cells).toHaveLength(rows.length)
    expect(await toMatrix(streamOf(rows.toReversed()), frame)).toEqual(matrix)
  })

  it('holds the first 2,000 characters of an error: a body of megabytes stays in the evidence', async () => {
    const message = '€'.repeat(100_000)
    const row = fixtureRow(dataset, ALIASES.vanilla, 0, { failure: { type: 'http_error', message } })
    const { cells } = Matrix.parse(await toMatrix(streamOf([row]), frame))
    const { error } = cells[0] as { error: string }
    expect(error).toMatch(/^http_error: €+… \(100012 characters\)$/)
    expect(error.length).toBeLessThan(2100)
  })

  it('holds repetitions in their order, up to the selected number', async () => {
    const rows = [3, 1, 2].map((repeat) => fixtureRow(dataset, ALIASES.vanilla, 0, { repeat }))
    const repeatsIn = async (repeats: number | null) =>
      Matrix.parse(await toMatrix(streamOf(rows), { ...frame, repeats })).cells.map(({ repeat }) => repeat)
    expect(await repeatsIn(null)).toEqual([undefined, 2, 3])
    expect(await repeatsIn(2)).toEqual([undefined, 2])
  })

  it('gives a failed cell its error and nothing else', async () => {
    const row = fixtureRow(dataset, ALIASES.vanilla, 0, { failure: { type: 'http_error', message: 'HTTP 500' } })
    const { cells } = await toMatrix(streamOf([row]), frame)
    expect(cells).toEqual([
      {
        query_id: 'q-1',
        model: 'vanilla-rag',
        base_model: 'vanilla-rag',
        flavor: null,
        requires_reingest: false,
        latency_s: 0.1,
        ok: false,
        error: 'http_error: HTTP 500',
      },
    ])
  })

  it('shows seconds with one decimal', () =>
    expect([0, 49, 50, 1234, 17_960].map(latencySeconds)).toEqual([0, 0, 0.1, 1.2, 18]))

  it('is written as the same JSON, also without a row', async () => {
    for (const rows of [[], goldenRows(dataset)]) {
      const matrix = await toMatrix(streamOf(rows), frame)
      expect(JSON.parse([...matrixText(matrix)].join(''))).toEqual(matrix)
    }
  })
})
