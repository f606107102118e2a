// This finds where a stored `-matrix.json` differs from what the evidence gives. Both are read line by line, as `matrix-spool.ts` writes them: one question and one cell per
// line. Memory is that of the longest cell, however large the matrix is.
import { createReadStream } from 'node:fs'
import { Matrix } from '../../../contract/evidence/matrix.ts'
import { describeIssues } from '../../../core/issues.ts'
import { jsonIn } from '../../../core/json.ts'
import { firstDifference, type Difference } from '../../evidence/rows/row-identity.ts'

type MatrixDifference =
  /** The stored file is not a matrix, or none as this program writes it. */
  { code: 'schema'; message: string } | { code: 'differs'; difference: Difference | null }

/** The first difference of a stored matrix from the bytes that the evidence gives; they are known to differ. Rejects with the system's error. */
export async function matrixDifference(file: string, again: AsyncIterable<Buffer>): Promise<MatrixDifference> {
  const stored = linesOf(createReadStream(file) as AsyncIterable<Buffer>)
  const current = linesOf(again)
  try {
    const storedHead = await readHead(stored)
    if (!storedHead.ok) return { code: 'schema', message: storedHead.problem }
    const currentHead = await readHead(current)
    if (!currentHead.ok) throw new Error(`the matrix made again is not valid: ${currentHead.problem}`)
    const difference = firstDifference(storedHead.matrix, currentHead.matrix)
    return difference === null ? await cellDifference(stored, current) : { code: 'differs', difference }
  } finally {
    await stored.return()
    await current.return()
  }
}

const CELLS_LINE = '  "cells": ['

/** Everything before the cells, as a matrix without cells. */
async function readHead(
  lines: AsyncGenerator<string>,
): Promise<{ ok: true; matrix: Matrix } | { ok: false; problem: string }> {
  const head: string[] = []
  for (let next = await lines.next(); !next.done; next = await lines.next()) {
    if (!next.value.startsWith(CELLS_LINE)) {
      head.push(next.value)
      continue
    }
    const parsed = Matrix.safeParse(jsonIn(`${head.join('\n')}\n${CELLS_LINE}]}`))
    return parsed.success
      ? { ok: true, matrix: parsed.data }
      : { ok: false, problem: describeIssues(parsed.error).slice(0, 5).join('; ') }
  }
  return { ok: false, problem: 'not a matrix with one cell per line' }
}

async function cellDifference(
  stored: AsyncGenerator<string>,
  current: AsyncGenerator<string>,
): Promise<MatrixDifference> {
  for (let index = 0; ; index += 1) {
    const [before, now] = [await stored.next(), await current.next()]
    if (before.done === true && now.done === true) return { code: 'differs', difference: null }
    const [left, right] = [before.value as string | undefined, now.value as string | undefined]
    if (left === right) continue
    const [storedCell, currentCell] = [cellOf(left), cellOf(right)]
    // The end of the list in one of them: a cell too few or too many.
    const parsed = storedCell === undefined ? null : Matrix.shape.cells.element.safeParse(storedCell)
    if (parsed?.success === false)
      return { code: 'schema', message: `cells[${index}]: ${describeIssues(parsed.error).slice(0, 5).join('; ')}` }
    const difference = firstDifference(storedCell, currentCell, ['cells', index])
    if (difference !== null) return { code: 'differs', difference }
  }
}

/** The cell of a line, undefined at the end of the list; null, which is not a cell, where the line is no JSON. */
function cellOf(line: string | undefined): unknown {
  if (line === undefined || /^\s*[\]}]/.test(line) || line === '') return undefined
  return jsonIn(line.replace(/,$/, '')) ?? null
}

const NEWLINE = 10

/** Lines end at `\n` alone: JSON may hold other line separators. */
async function* linesOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<string, void, void> {
  let begun: Buffer[] = []
  for await (const block of bytes) {
    let start = 0
    for (let end = block.indexOf(NEWLINE); end !== -1; end = block.indexOf(NEWLINE, start)) {
      yield Buffer.concat([...begun, block.subarray(start, end)]).toString()
      begun = []
      start = end + 1
    }
    begun.push(block.subarray(start))
  }
  yield Buffer.concat(begun).toString()
}
